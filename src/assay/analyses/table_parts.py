"""Columns, cells, notes and figures shared by the tables of several analyses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.analyses.outcomes import Estimate, Outcomes, Sampling
from assay.core.errors import count as counted
from assay.core.errors import listing
from assay.core.item import Item
from assay.core.suite import Measured
from assay.core.table import Figure, Kind, TableColumn

FIRST, CONTAMINATED, UNCOVERED, TIED = "*", "†", "‡", "="
AVERAGE = "average"
"""Metric name in a row that is the mean over all metrics."""
FIRST_PLACE = "A star marks the metrics that share the first place."

SHARE_INTERVALS = "95% intervals: Wilson's for shares, joined for means of shares (Newcombe)"

METRIC = TableColumn("metric", mark="contaminated")
UNSCORED = TableColumn("unscored", kind="count")
MARKS = (TableColumn("first", hidden=True), TableColumn("contaminated", hidden=True))


def estimate_columns(
    key: str, label: str = "", kind: Kind = "number", decimals: int = 3, mark: str | None = "first"
) -> tuple[TableColumn, ...]:
    """Return a column with an interval, and two hidden columns for its bounds (KEY_low and KEY_high)."""
    low, high = f"{key}_low", f"{key}_high"
    shown = TableColumn(key, label, kind, decimals, interval=(low, high), mark=mark)
    bounds = (TableColumn(bound, kind=kind, decimals=decimals, hidden=True) for bound in (low, high))
    return (shown, *bounds)


def estimate_cells(key: str, estimate: Estimate | None, first: str | None = "first") -> dict[str, Any]:
    """Return the cells for `estimate_columns`; if there is no estimate, they are empty (None)."""
    cells: dict[str, Any] = {
        key: estimate.value if estimate else None,
        f"{key}_low": estimate.low if estimate else None,
        f"{key}_high": estimate.high if estimate else None,
    }
    if first is not None:
        cells[first] = FIRST if estimate and estimate.first else ""
    return cells


def outcome_cells(n: int, wins: int, ties: int, *, first: str = "", ties_win: bool = False) -> dict[str, Any]:
    """Return a metric's numbers of wins, ties and losses, and the marks for its accuracy: first place, and more ties than losses.

    With `ties_win`, ties count as wins.
    """
    losses = n - wins - (0 if ties_win else ties)
    tied = 2 * wins < n and n - wins - losses > losses
    return {"wins": wins, "ties": ties, "losses": losses, "marks": first + (TIED if tied else "")}


def tied_notes(rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Explain the mark for ties, if any row has it."""
    return (
        (f"{TIED} more ties than losses: the metric mostly misses the difference",)
        if any(TIED in row["marks"] for row in rows)
        else ()
    )


def blindest(accuracies: Iterable[tuple[float, Any, str, bool]], most: int = 2) -> str:
    """Return the lowest of (accuracy, sort key, name, mostly tied), as ``NAME 12%, NAME 30% (ties)``."""
    return ", ".join(
        f"{name} {100 * value:.0f}%{' (ties)' if tied else ''}" for value, _, name, tied in sorted(accuracies)[:most]
    )


def metric_cells(metric: Measured) -> dict[str, Any]:
    """Return the name of the metric, and the mark of one that was trained on the suite."""
    return {"metric": metric.name, "contaminated": CONTAMINATED if metric.contaminated else ""}


def with_average(
    rows: Sequence[Mapping[str, Any]], keys: Sequence[str], values: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Return the rows, each group with the same `keys` followed by the mean of `values` over its metrics.

    The mean has no interval or place, because metrics are not a random sample. Counts are the largest ones.
    """
    lines: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        lines.setdefault(tuple(row[key] for key in keys), []).append(row)
    return [row for group in lines.values() for row in (*group, *_average(group, keys, values))]


def _average(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], values: Sequence[str]) -> list[dict[str, Any]]:
    if len(rows) < 2:
        return []
    mean: dict[str, Any] = {}
    for key, first in rows[0].items():
        present = [row[key] for row in rows if row[key] is not None]
        if key in keys:
            mean[key] = first
        elif key in values:
            mean[key] = sum(present) / len(present) if present else None
        elif present and all(isinstance(value, int) for value in present):
            mean[key] = 0 if key == "unscored" else max(present)
        else:
            mean[key] = "" if present and isinstance(present[0], str) else None
    return [mean | {"metric": AVERAGE}]


def none_if_nan(value: float) -> float | None:
    """Return the value, or None (an empty cell) for NaN."""
    return None if math.isnan(value) else float(value)


def common_notes(
    items: Sequence[Item], measured: Sequence[Measured], outcome: Outcomes, sampling: Sampling
) -> tuple[str, ...]:
    """Return the notes below every table: sampling, first place, and warnings about metrics."""
    notes = [SHARE_INTERVALS]
    if len(measured) > 1:
        notes.append(f"{first_place_note(sampling.correction)}; bootstrap n={sampling.samples:,}, seed {sampling.seed}")
    notes += contamination_notes(measured)
    notes += _inverted_notes(measured, outcome)
    for m, metric in enumerate(measured):
        missing = int((~outcome.scored[m]).sum())
        if missing:
            ids = listing((items[i].id for i in (~outcome.scored[m]).nonzero()[0][:4]), 3)
            more = " …" if missing > 3 else ""
            notes.append(f"{metric.name}: {counted(missing, 'item')} unscored and left out (such as {ids}{more})")
    return (*notes, *coverage_notes((item.langpair for item in items), measured))


INVERTED_BELOW = -0.1
"""Correlation with human judgements below which a metric looks inverted."""


def inverted_note(name: str, what: str, *, higher_is_better: bool = True) -> str:
    """Warn that a metric's scores look inverted."""
    other = "lower" if higher_is_better else "higher"
    fix = f"FILE:{other} for a score file, higher_is_better on the card of a metric"
    return f"⚠ {name} looks inverted: {what}. If {other} is better, set {fix}"


def _inverted_notes(measured: Sequence[Measured], outcome: Outcomes) -> list[str]:
    """Warn about metrics that prefer the error in at least three of four pairs, ignoring ties."""
    notes = []
    for m, metric in enumerate(measured):
        decided = outcome.scored[m] & ~outcome.tied[m]
        wins, pairs = int((decided & outcome.better[m]).sum()), int(decided.sum())
        if pairs and 4 * wins <= pairs:
            what = f"it prefers the error in {pairs - wins:,} of {counted(pairs, 'pair')}, ignoring ties"
            notes.append(inverted_note(metric.name, what, higher_is_better=metric.card.higher_is_better))
    return notes


def first_place_note(correction: str) -> str:
    """Explain the star."""
    how = "" if correction == "none" else f", {correction} over the table"
    return f"{FIRST} shares the first place: not significantly worse than the best at 0.05 (one-sided, paired on items{how})"


def without_places(notes: Sequence[str]) -> tuple[str, ...]:
    """Return the notes without the explanation of the star."""
    return tuple(note for note in notes if not note.startswith(f"{FIRST} "))


def contamination_notes(measured: Sequence[Measured]) -> tuple[str, ...]:
    """Return one note that names the metrics trained on the suite, if any."""
    trained = [metric.name for metric in measured if metric.contaminated]
    return (f"{CONTAMINATED} trained on this suite, according to its card: {listing(trained)}",) if trained else ()


def coverage_notes(langpairs: Iterable[str], measured: Sequence[Measured]) -> tuple[str, ...]:
    """Return one note for each metric whose card does not cover some of the language pairs."""
    distinct = list(dict.fromkeys(langpairs))
    notes = []
    for metric in measured:
        outside = [pair for pair in distinct if not metric.card.covers(pair)]
        if outside:
            notes.append(f"{UNCOVERED} {metric.name}: its card does not cover {listing(outside, 8)}")
    return tuple(notes)


_BARS = "bars: 95% intervals · dashed: chance"
_HARDEST = "hardest first in each group · orange: below chance, blue: above"
BY_CATEGORY: Mapping[str, Any] = {"index": "phenomenon", "group": "category"}


def accuracy_dots(family: str, name: str, index: str) -> Figure:
    """Return a figure with one row per value of `index` and one dot per metric, excluding the mean over metrics."""
    options = {"value": "accuracy", "span": (0, 1), "chance": 0.5, "subtitle": f"strict accuracy · {_BARS}"}
    return Figure(name, "dots", {**options, "index": index, "left_out": (AVERAGE,)}, family)


def accuracy_map(family: str, name: str, lines: Mapping[str, Any] = BY_CATEGORY) -> Figure:
    """Return a heat map of accuracies in percent, one row per phenomenon, grouped as `lines` defines."""
    options = {"value": "accuracy", "chance": 0.5, "ties": True, "subtitle": f"strict accuracy, % · {_HARDEST}"}
    return Figure(name, "heatmap", {**options, **lines}, family)


def accuracies(family: str, name: str, rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Return dots of accuracies by phenomenon if there are few enough, else a heat map."""
    few = len(rows) <= 120 and len({row["phenomenon"] for row in rows}) <= 30
    return accuracy_dots(family, name, "phenomenon") if few else accuracy_map(family, name)


def tau_dots(family: str, name: str, index: str, series: str = "metric") -> Figure:
    """Return `accuracy_dots` for Kendall's tau-like; `series` selects the colours."""
    options = {"value": "tau", "span": (-1, 1), "chance": 0, "subtitle": f"Kendall's tau-like · {_BARS}"}
    return Figure(name, "dots", {**options, "index": index, "series": series, "left_out": (AVERAGE,)}, family)


def tau_map(family: str, name: str) -> Figure:
    """Return `accuracy_map` for Kendall's tau-like."""
    options = {"value": "tau", "ties": True, "subtitle": f"Kendall's tau-like · {_HARDEST}", **BY_CATEGORY}
    return Figure(name, "heatmap", options, family)


def area_dots(family: str, name: str, index: str) -> Figure:
    """Return `accuracy_dots` for areas under the ROC curve."""
    options = {"value": "auroc", "span": (0, 1), "chance": 0.5, "subtitle": f"area under the ROC curve · {_BARS}"}
    return Figure(name, "dots", {**options, "index": index}, family)
