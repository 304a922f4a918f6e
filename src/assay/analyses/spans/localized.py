"""Localized errors (xCOMET, section 7.1 and appendix C): pairs of a good translation and the same with one error put in.

Only pairs whose good translation the metric found clean are looked at, so that what it marks in the other one comes from the
error: how often it still marks nothing (Table 5), how bad it calls what it marks (Figure 3a), how far its score falls
(Figures 3b and 5). A metric that marks no spans has its score's fall alone, over all pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.analyses.table_parts import MARKS, METRIC, contamination_notes, metric_cells
from assay.core.analysis import requires
from assay.core.errors import count
from assay.core.item import Item
from assay.core.spans import SEVERITIES
from assay.core.suite import Measured
from assay.core.table import Figure, Pivot, Table, TableColumn
from assay.stats.proportions import wilson

if TYPE_CHECKING:
    from assay.core.metric import Floats

ALL = "all"
QUANTILES = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}
LEVELS = SEVERITIES[1:]


@requires("items", spans=True)
def tables(
    items: Sequence[Item],
    measured: Sequence[Measured],
    *,
    seed: int = 12345,
    samples: int = 1000,
    correction: str = "none",
) -> list[Table]:
    """`summary` (Table 5), `severities` (Figure 3a) and `drops` (Figures 3b and 5)."""
    kept = {metric.name: clean(items, metric) for metric in measured}
    notes = [*_left_out(items, measured, kept), *contamination_notes(measured)]
    groups = _groups(items)
    fall = _drops(groups, measured, kept, notes)
    if all(metric.incorrect_spans is None for metric in measured):
        return [fall]
    return [_undetected(items, groups, measured, kept, notes), _severities(groups, measured, kept, notes), fall]


def clean(items: Sequence[Item], metric: Measured) -> list[int]:
    """The pairs that count for a metric: both sides scored, and nothing marked in the good translation."""
    scored = _scored(metric)
    if metric.good_spans is None:
        return [row for row in range(len(items)) if scored[row]]
    return [row for row in range(len(items)) if scored[row] and not _marked(metric.good_spans[row])]


def _scored(metric: Measured) -> Any:
    assert metric.good is not None and metric.incorrect is not None
    return np.isfinite(metric.good) & np.isfinite(metric.incorrect)


def _marked(spans: Sequence[Any]) -> bool:
    return any(span.severity != "neutral" for span in spans)


def _left_out(items: Sequence[Item], measured: Sequence[Measured], kept: Mapping[str, Sequence[int]]) -> list[str]:
    notes = []
    for metric in measured:
        if metric.good_spans is None:
            notes.append(f"{metric.name} marks no error spans: all {count(len(kept[metric.name]), 'scored pair')}")
        else:
            notes.append(f"{metric.name}: {len(kept[metric.name]):,} of {count(len(items), 'pair')} were clean before")
    return notes


def _groups(items: Sequence[Item]) -> dict[tuple[str, str], set[int]]:
    """(langpair, phenomenon) to items; all phenomena of a language pair together are ``all``."""
    found: dict[tuple[str, str], set[int]] = {}
    for row, item in enumerate(items):
        found.setdefault((item.langpair, item.phenomenon), set()).add(row)
    for pair in dict.fromkeys(item.langpair for item in items):
        whole = {row for row, item in enumerate(items) if item.langpair == pair}
        if len([name for here, name in found if here == pair]) > 1:
            found[pair, ALL] = whole
    return found


def _undetected(
    items: Sequence[Item],
    groups: Mapping[tuple[str, str], set[int]],
    measured: Sequence[Measured],
    kept: Mapping[str, Sequence[int]],
    notes: Sequence[str],
) -> Table:
    rows: list[dict[str, Any]] = []
    for metric in measured:
        for (pair, name), members in groups.items():
            chosen = [row for row in kept[metric.name] if row in members]
            row = {**metric_cells(metric), "langpair": pair, "phenomenon": name, "n": len(chosen)}
            row["column"] = f"{pair} {metric.name}".strip()
            share: tuple[float | None, ...] = (None, None, None)
            row["touched"] = _touched(items, metric, chosen)
            if metric.incorrect_spans is not None and chosen:
                missed = sum(not _marked(metric.incorrect_spans[row]) for row in chosen)
                share = (missed / len(chosen), *wilson(missed, len(chosen)))
            rows.append({**row, **dict(zip(("missed", "missed_low", "missed_high"), share, strict=True))})
    columns = [
        METRIC, TableColumn("langpair"), TableColumn("phenomenon"),
        TableColumn("missed", "no error marked, %", "percent", 2, lower_is_better=True, interval=("missed_low", "missed_high")),
        TableColumn("touched", "error touched, %", "percent", 1),
        TableColumn("n", "pairs", "count"), TableColumn("column", hidden=True),
        *(TableColumn(key, kind="percent", hidden=True) for key in ("missed_low", "missed_high")), *MARKS,
    ]  # fmt: skip
    reading = "Share of translations with an error in which the metric marks none, though it found the good one clean."
    pivot = (
        Pivot("phenomenon", "column", "missed") if len(measured) > 1 or len({pair for pair, _ in groups}) > 1 else None
    )
    return Table("summary", columns, rows, "localized errors that go unmarked", notes, pivot, reading)


def _touched(items: Sequence[Item], metric: Measured, rows: Sequence[int]) -> float | None:
    """Share of the pairs in which a marked span touches the place of the error, where the items say it (`assay make`)."""
    told = [row for row in rows if items[row].meta.get("spans")]
    if metric.incorrect_spans is None or not told:
        return None
    hits = 0
    for row in told:
        marked = [span for span in metric.incorrect_spans[row] if span.severity != "neutral"]
        places = [(start, max(end, start + 1)) for start, end in items[row].meta["spans"]]
        hits += any(
            span.start < end and start < max(span.end, span.start + 1) for span in marked for start, end in places
        )
    return hits / len(told)


def _severities(
    groups: Mapping[tuple[str, str], set[int]],
    measured: Sequence[Measured],
    kept: Mapping[str, Sequence[int]],
    notes: Sequence[str],
) -> Table:
    rows: list[dict[str, Any]] = []
    for metric in measured:
        if metric.incorrect_spans is None:
            continue
        for name in dict.fromkeys(name for _, name in groups):
            members = set().union(*(found for (_, here), found in groups.items() if here == name))
            spans = [span for row in kept[metric.name] if row in members for span in metric.incorrect_spans[row]]
            counted = {level: sum(span.severity == level for span in spans) for level in LEVELS}
            total = sum(counted.values())
            shares = {level: counted[level] / total if total else None for level in LEVELS}
            rows.append({**metric_cells(metric), "phenomenon": name, **shares, "n": total})
    columns = [
        METRIC, TableColumn("phenomenon"), *(TableColumn(level, f"{level}, %", "percent", 1) for level in LEVELS),
        TableColumn("n", "spans", "count"), *MARKS,
    ]  # fmt: skip
    figure = Figure("severity_shares", "shares", {"index": "phenomenon", "parts": LEVELS}, "localized")
    reading = "How bad the metric calls what it marks in the translations with an error."
    caption = "severity of the spans marked in localized errors"
    return Table("severities", columns, rows, caption, notes, reading=reading, figures=[figure])


def _drops(
    groups: Mapping[tuple[str, str], set[int]],
    measured: Sequence[Measured],
    kept: Mapping[str, Sequence[int]],
    notes: Sequence[str],
) -> Table:
    several = len({pair for pair, _ in groups}) > 1
    rows: list[dict[str, Any]] = []
    for metric in measured:
        assert metric.good is not None and metric.incorrect is not None
        fall = (metric.good - metric.incorrect) * (1 if metric.card.higher_is_better else -1)
        for (pair, name), members in groups.items():
            chosen = [row for row in kept[metric.name] if row in members]
            row = {**metric_cells(metric), "langpair": pair, "phenomenon": name, "n": len(chosen)}
            row["category"] = f"{name} {pair}" if several else name
            rows.append({**row, **_spread(fall[chosen])})
    columns = [
        METRIC, TableColumn("langpair"), TableColumn("phenomenon"), TableColumn("category", hidden=True),
        *(TableColumn(key, key.replace("q0", "").replace("q", "") + ("%" if key != "median" else ""), "number", 3)
          for key in QUANTILES),
        TableColumn("risen", "score rose, %", "percent", 1), TableColumn("n", "pairs", "count"), *MARKS,
    ]  # fmt: skip
    reading = (
        "By how much the score falls from the good translation to the one with the error, in the metric's own points: median "
        "and quantiles. A score that rises is a miss."
    )
    figure = Figure("score_drops", "boxes", {"what": "falls of the score", "unit": "pairs"}, "localized")
    caption = "fall of the score by a localized error"
    return Table("drops", columns, rows, caption, notes, reading=reading, figures=[figure])


def _spread(falls: Floats) -> dict[str, float | None]:
    if not len(falls):
        return {**dict.fromkeys(QUANTILES), "risen": None}
    values = np.quantile(falls, list(QUANTILES.values()))
    return {**dict(zip(QUANTILES, map(float, values), strict=True)), "risen": float((falls < 0).mean())}
