"""The screen *People* of a run: rankings, systems as points, and what a point is worth.

Rankings and curves are read from the run's tables, so that older runs show them, too; the tests of every two metrics and the
systems as points come from view.json, where they were kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from assay.core.screens import JudgedPair, Numbers, PairwiseTests, People
from assay.data.agreement import agreement
from assay.stats.multiple import rank_ranges

Row = Mapping[str, Any]
SWAPS = "Bars: 95% interval of the distance from the first, by random swaps."
ALPHA = 0.05


@dataclass(frozen=True)
class Entry:
    """A line of a ranking."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    cluster: int | None = None
    ranks: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Ranking:
    """Metrics by their agreement with people, or systems as people rank them; best first."""

    key: str
    title: str
    of: str
    """``metrics`` or ``systems``."""
    label: str
    decimals: int
    lower_is_better: bool
    entries: Sequence[Entry]
    comparison: PairwiseTests | None = None
    two_sided: bool = False
    about: str = ""


@dataclass(frozen=True)
class PointCurve:
    """The share of system pairs that people order as a metric does, by the size of its difference."""

    metric: str
    pairs: int
    difference: Sequence[float]
    agree: Sequence[float]
    low: Numbers
    high: Numbers
    origin: str
    """Where it was measured: ``this run``, or the published set that the package knows."""


def has_people(names: Iterable[str], verb: str) -> bool:
    """Whether tables of these names have a ranking by people in them."""
    there = set(names)
    return {"overall", "tasks"} <= there or (verb == "campaign" and "systems" in there)


def people(
    tables: Mapping[str, Mapping[str, Any]], kept: People | None, metrics: Iterable[str], verb: str
) -> dict[str, Any] | None:
    """All that the screen shows; None where nobody judged anything."""
    if not has_people(tables, verb):
        return None
    by_task = {comparison.task: comparison for comparison in kept.comparisons} if kept is not None else {}
    rankings = _systems(tables) if verb == "campaign" else [*_overall(tables, by_task), *_tasks(tables, by_task)]
    pairs: Sequence[JudgedPair] = kept.pairs if kept is not None else ()
    curves = _curves(tables) or _known_curves(metrics)
    return {
        "rankings": [asdict(ranking) for ranking in rankings],
        "pairs": [asdict(pair) for pair in pairs],
        "curves": [asdict(curve) for curve in curves],
    }


def _rows(tables: Mapping[str, Mapping[str, Any]], name: str) -> list[Row]:
    return list(tables[name]["rows"]) if name in tables else []


def _column(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return next((column for column in table["columns"] if column["key"] == key), {})


def _overall(tables: Mapping[str, Mapping[str, Any]], compared: Mapping[int, PairwiseTests]) -> list[Ranking]:
    column = _column(tables["overall"], "average")
    entries = [
        Entry(row["metric"], row.get("average"), cluster=row.get("cluster"), kind=row.get("kind") or "")
        for row in _rows(tables, "overall")
    ]
    ranking = Ranking(
        "all", "all tasks", "metrics", column.get("label", "average"), 3, bool(column.get("lower_is_better")), entries
    )
    return [_with_tests(ranking, compared.get(0))]


def _tasks(tables: Mapping[str, Mapping[str, Any]], compared: Mapping[int, PairwiseTests]) -> list[Ranking]:
    by_task: dict[int, list[Row]] = {}
    for row in _rows(tables, "tasks"):
        by_task.setdefault(row["task"], []).append(row)
    kinds = {row["metric"]: row.get("kind") or "" for row in _rows(tables, "overall")}
    made = []
    for task, rows in sorted(by_task.items()):
        rows.sort(key=lambda row: row["rank"])
        first = rows[0]
        more = [f", {first[key]}" for key in ("domain", "gold") if first.get(key)]
        pair = "all pairs" if "+" in first["langpair"] else first["langpair"]
        title = f"{task}: {pair} · {'systems' if first['level'] == 'sys' else 'segments'} · {first['statistic']}{''.join(more)}"
        entries = [
            Entry(row["metric"], row["value"], cluster=row.get("cluster"), kind=kinds.get(row["metric"], ""))
            for row in rows
        ]
        ranking = Ranking(f"task {task}", title, "metrics", first["statistic"], 3, False, entries)
        made.append(_with_tests(ranking, compared.get(task)))
    return made


def _with_tests(ranking: Ranking, tests: PairwiseTests | None) -> Ranking:
    """The ranking with what the tests say: ranges of ranks, and how far each lies behind the first."""
    if tests is None or [entry.name for entry in ranking.entries] != list(tests.names):
        return ranking
    import numpy as np

    n = len(tests.names)
    left, right = np.triu_indices(n, 1)
    better = np.zeros((n, n), bool)
    better[left, right] = np.array(tests.p, np.float64) <= ALPHA
    entries = list(ranking.entries)
    first = entries[0].value
    for i, (best, worst) in enumerate(rank_ranges(better)):
        entries[i] = replace(entries[i], ranks=str(best) if best == worst else f"{best}–{worst}")
        low, high = (tests.low[i - 1], tests.high[i - 1]) if i else (None, None)
        if first is not None and low is not None and high is not None:
            entries[i] = replace(entries[i], low=first - high, high=first - low)
    return replace(ranking, entries=entries, comparison=tests, about=SWAPS)


def _systems(tables: Mapping[str, Mapping[str, Any]]) -> list[Ranking]:
    """The systems of a campaign, language pair by language pair; the column that they were ranked by is the falling one."""
    by_pair: dict[str, list[Row]] = {}
    for row in _rows(tables, "systems"):
        by_pair.setdefault(row["langpair"], []).append(row)
    duels = _rows(tables, "duels")
    made = []
    for pair, rows in by_pair.items():
        key = next((key for key in ("score", "z") if _falls([row.get(key) for row in rows])), "score")
        column = _column(tables["systems"], key)
        entries = [
            Entry(
                row["system"], row.get(key), row.get(f"{key}_low"), row.get(f"{key}_high"), row.get("cluster"),
                str(row.get("ranks") or ""),
            )
            for row in rows
        ]  # fmt: skip
        label, decimals = column.get("label", key), column.get("decimals", 2)
        about = next((note for note in tables["systems"].get("notes", ()) if note.startswith("clusters")), "")
        made.append(
            Ranking(
                f"pair {pair}", pair or "all", "systems", label, decimals, False, entries,
                _duels([row for row in duels if row["langpair"] == pair], [entry.name for entry in entries]), True,
                f"Bars: 95% bootstrap of segments. {about[:1].upper()}{about[1:]}.",
            )
        )  # fmt: skip
    return made


def _falls(values: Sequence[float | None]) -> bool:
    known = [value for value in values if value is not None]
    return len(known) == len(values) > 0 and all(a >= b for a, b in itertools.pairwise(known))


def _duels(rows: Sequence[Row], names: Sequence[str]) -> PairwiseTests | None:
    found = {(row["first"], row["second"]): row for row in rows}
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    if not pairs or any(pair not in found for pair in pairs):
        return None
    nothing: Numbers = (None,) * len(pairs)
    difference, p = (tuple(found[pair].get(key) for pair in pairs) for key in ("difference", "p"))
    return PairwiseTests(0, tuple(names), difference, nothing, nothing, p)


def _curves(tables: Mapping[str, Mapping[str, Any]]) -> list[PointCurve]:
    by_metric: dict[str, list[Row]] = {}
    for row in _rows(tables, "point_curve"):
        by_metric.setdefault(row["metric"], []).append(row)
    return [
        PointCurve(
            metric, rows[0]["pairs"], [row["difference"] for row in rows], [row["agree"] for row in rows],
            tuple(row.get("agree_low") for row in rows), tuple(row.get("agree_high") for row in rows), "this run",
        )
        for metric, rows in by_metric.items()
    ]  # fmt: skip


def _known_curves(metrics: Iterable[str]) -> list[PointCurve]:
    """What is known of the run's metrics from WMT23, where the run did not measure it."""
    tables = [(name, table) for name in metrics if (table := agreement(name)) is not None]
    curves = []
    for name, table in tables:
        difference, share, low, high = (list(column) for column in zip(*table.points(), strict=True))
        curves.append(PointCurve(name, table.pairs, difference, share, tuple(low), tuple(high), "WMT23"))
    return curves
