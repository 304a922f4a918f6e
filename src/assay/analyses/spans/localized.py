"""Localized errors (xCOMET, Section 7.1 and Appendix C): pairs of a good translation and the same text with one error.

Only pairs whose good translation has no error according to the metric are used, so anything it marks in the other text comes
from the error. The tables show how often it still marks nothing (Table 5), the severity of its marks (Figure 3a), and how far
its score drops (Figures 3b and 5). For a metric without spans, only the score drop is reported, over all pairs.
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
    """Return `summary` (Table 5), `severities` (Figure 3a) and `drops` (Figures 3b and 5)."""
    usable = {metric.name: clean(items, metric) for metric in measured}
    notes = [*_left_out(items, measured, usable), *contamination_notes(measured)]
    groups = _groups(items)
    drops = _drops(groups, measured, usable, notes)
    if all(metric.incorrect_spans is None for metric in measured):
        return [drops]
    return [_undetected(items, groups, measured, usable, notes), _severities(groups, measured, usable, notes), drops]


def clean(items: Sequence[Item], metric: Measured) -> list[int]:
    """Return the pairs that count for a metric: both sides are scored, and nothing is marked in the good translation."""
    scored = _scored(metric)
    if metric.good_spans is None:
        return [row for row in range(len(items)) if scored[row]]
    return [row for row in range(len(items)) if scored[row] and not _marked(metric.good_spans[row])]


def _scored(metric: Measured) -> Any:
    assert metric.good is not None and metric.incorrect is not None
    return np.isfinite(metric.good) & np.isfinite(metric.incorrect)


def _marked(spans: Sequence[Any]) -> bool:
    return any(span.severity != "neutral" for span in spans)


def _left_out(items: Sequence[Item], measured: Sequence[Measured], usable: Mapping[str, Sequence[int]]) -> list[str]:
    notes = []
    for metric in measured:
        if metric.good_spans is None:
            notes.append(f"{metric.name} marks no error spans: all {count(len(usable[metric.name]), 'scored pair')}")
        else:
            notes.append(
                f"{metric.name}: {len(usable[metric.name]):,} of {count(len(items), 'pair')} had no marked error before"
            )
    return notes


def _groups(items: Sequence[Item]) -> dict[tuple[str, str], set[int]]:
    """Return items by (langpair, phenomenon); ``all`` contains all phenomena of a language pair."""
    groups: dict[tuple[str, str], set[int]] = {}
    for row, item in enumerate(items):
        groups.setdefault((item.langpair, item.phenomenon), set()).add(row)
    for pair in dict.fromkeys(item.langpair for item in items):
        rows_of_pair = {row for row, item in enumerate(items) if item.langpair == pair}
        if len([name for langpair, name in groups if langpair == pair]) > 1:
            groups[pair, ALL] = rows_of_pair
    return groups


def _undetected(
    items: Sequence[Item],
    groups: Mapping[tuple[str, str], set[int]],
    measured: Sequence[Measured],
    usable: Mapping[str, Sequence[int]],
    notes: Sequence[str],
) -> Table:
    rows: list[dict[str, Any]] = []
    for metric in measured:
        for (pair, name), members in groups.items():
            chosen = [row for row in usable[metric.name] if row in members]
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
    reading = (
        "Share of translations with an error in which the metric marks none, although it marks none in the good one."
    )
    pivot = (
        Pivot("phenomenon", "column", "missed") if len(measured) > 1 or len({pair for pair, _ in groups}) > 1 else None
    )
    return Table("summary", columns, rows, "undetected localized errors", notes, pivot, reading)


def _touched(items: Sequence[Item], metric: Measured, rows: Sequence[int]) -> float | None:
    """Return the share of pairs in which a marked span overlaps the error, if the items include its position (`assay make`)."""
    with_position = [row for row in rows if items[row].meta.get("spans")]
    if metric.incorrect_spans is None or not with_position:
        return None
    hits = 0
    for row in with_position:
        marked = [span for span in metric.incorrect_spans[row] if span.severity != "neutral"]
        positions = [(start, max(end, start + 1)) for start, end in items[row].meta["spans"]]
        hits += any(
            span.start < end and start < max(span.end, span.start + 1) for span in marked for start, end in positions
        )
    return hits / len(with_position)


def _severities(
    groups: Mapping[tuple[str, str], set[int]],
    measured: Sequence[Measured],
    usable: Mapping[str, Sequence[int]],
    notes: Sequence[str],
) -> Table:
    rows: list[dict[str, Any]] = []
    for metric in measured:
        if metric.incorrect_spans is None:
            continue
        for name in dict.fromkeys(name for _, name in groups):
            members = set().union(
                *(members_of_group for (_, phenomenon), members_of_group in groups.items() if phenomenon == name)
            )
            spans = [span for row in usable[metric.name] if row in members for span in metric.incorrect_spans[row]]
            counted = {level: sum(span.severity == level for span in spans) for level in LEVELS}
            total = sum(counted.values())
            shares = {level: counted[level] / total if total else None for level in LEVELS}
            rows.append({**metric_cells(metric), "phenomenon": name, **shares, "n": total})
    columns = [
        METRIC, TableColumn("phenomenon"), *(TableColumn(level, f"{level}, %", "percent", 1) for level in LEVELS),
        TableColumn("n", "spans", "count"), *MARKS,
    ]  # fmt: skip
    figure = Figure("severity_shares", "shares", {"index": "phenomenon", "parts": LEVELS}, "localized")
    reading = "Severities that the metric assigns in translations with an error."
    caption = "severity of spans marked in translations with a localized error"
    return Table("severities", columns, rows, caption, notes, reading=reading, figures=[figure])


def _drops(
    groups: Mapping[tuple[str, str], set[int]],
    measured: Sequence[Measured],
    usable: Mapping[str, Sequence[int]],
    notes: Sequence[str],
) -> Table:
    several = len({pair for pair, _ in groups}) > 1
    rows: list[dict[str, Any]] = []
    for metric in measured:
        assert metric.good is not None and metric.incorrect is not None
        drop = (metric.good - metric.incorrect) * (1 if metric.card.higher_is_better else -1)
        for (pair, name), members in groups.items():
            chosen = [row for row in usable[metric.name] if row in members]
            row = {**metric_cells(metric), "langpair": pair, "phenomenon": name, "n": len(chosen)}
            row["category"] = f"{name} {pair}" if several else name
            rows.append({**row, **_spread(drop[chosen])})
    columns = [
        METRIC, TableColumn("langpair"), TableColumn("phenomenon"), TableColumn("category", hidden=True),
        *(TableColumn(key, key.replace("q0", "").replace("q", "") + ("%" if key != "median" else ""), "number", 3)
          for key in QUANTILES),
        TableColumn("risen", "score rose, %", "percent", 1), TableColumn("n", "pairs", "count"), *MARKS,
    ]  # fmt: skip
    reading = (
        "Drop of the score from the good translation to the one with the error, in the metric's own points: median and "
        "quantiles. A score that rises is a miss."
    )
    figure = Figure("score_drops", "boxes", {"what": "drops of the score", "unit": "pairs"}, "localized")
    caption = "drop of the score by a localized error"
    return Table("drops", columns, rows, caption, notes, reading=reading, figures=[figure])


def _spread(falls: Floats) -> dict[str, float | None]:
    if not len(falls):
        return {**dict.fromkeys(QUANTILES), "risen": None}
    values = np.quantile(falls, list(QUANTILES.values()))
    return {**dict(zip(QUANTILES, map(float, values), strict=True)), "risen": float((falls < 0).mean())}
