"""Data of the screen *Human judgements*: rankings, systems as points, and agreement by score difference.

Rankings and curves come from the run's tables, so they are also available for older runs. Pairwise tests and points come
from view.json.
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
    """One line of a ranking."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    cluster: int | None = None
    ranks: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Ranking:
    """A ranking of metrics by agreement with human judgements, or of systems by human judgements; best first."""

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
    """Agreement of a metric with human judgements on system pairs, by score difference."""

    metric: str
    pairs: int
    difference: Sequence[float]
    agree: Sequence[float]
    low: Numbers
    high: Numbers
    origin: str
    """Where it was measured: ``this run``, or a published set."""


def has_people(names: Iterable[str], verb: str) -> bool:
    """Return whether tables with these names include a ranking by human judgements."""
    tables = set(names)
    return {"overall", "tasks"} <= tables or (verb == "campaign" and "systems" in tables)


def people(
    tables: Mapping[str, Mapping[str, Any]], kept: People | None, metrics: Iterable[str], verb: str
) -> dict[str, Any] | None:
    """Return the data of the screen; None if the run has no human judgements."""
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
    """Return the ranking with results of the tests: ranges of ranks, and each entry's distance from the first."""
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
    """Return the rankings of a campaign's systems by language pair, by the column whose values decrease."""
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
    numbers = [value for value in values if value is not None]
    return len(numbers) == len(values) > 0 and all(a >= b for a, b in itertools.pairwise(numbers))


def _duels(rows: Sequence[Row], names: Sequence[str]) -> PairwiseTests | None:
    by_pair = {(row["first"], row["second"]): row for row in rows}
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    if not pairs or any(pair not in by_pair for pair in pairs):
        return None
    nothing: Numbers = (None,) * len(pairs)
    difference, p = (tuple(by_pair[pair].get(key) for pair in pairs) for key in ("difference", "p"))
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
    """Return the curves of the run's metrics on WMT23, if the run did not measure its own."""
    tables = [(name, table) for name in metrics if (table := agreement(name)) is not None]
    curves = []
    for name, table in tables:
        difference, share, low, high = (list(column) for column in zip(*table.points(), strict=True))
        curves.append(PointCurve(name, table.pairs, difference, share, tuple(low), tuple(high), "WMT23"))
    return curves
