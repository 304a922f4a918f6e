"""What the analyses' tables have in common: columns with intervals, marks, and the notes below."""

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
"""The metric's place in a row that is the mean over all metrics."""
FIRST_PLACE = "A star marks the metrics that share the first place."

SHARE_INTERVALS = "95% intervals: Wilson's for shares, joined for means of shares (Newcombe)"

METRIC = TableColumn("metric", mark="contaminated")
UNSCORED = TableColumn("unscored", kind="count")
MARKS = (TableColumn("first", hidden=True), TableColumn("contaminated", hidden=True))


def estimate_columns(
    key: str, label: str = "", kind: Kind = "number", decimals: int = 3, mark: str | None = "first"
) -> tuple[TableColumn, ...]:
    """A column with an interval, and the two hidden columns of its bounds (KEY_low and KEY_high)."""
    low, high = f"{key}_low", f"{key}_high"
    shown = TableColumn(key, label, kind, decimals, interval=(low, high), mark=mark)
    bounds = (TableColumn(bound, kind=kind, decimals=decimals, hidden=True) for bound in (low, high))
    return (shown, *bounds)


def estimate_cells(key: str, estimate: Estimate | None, first: str | None = "first") -> dict[str, Any]:
    """The cells of `estimate_columns`; an estimate that could not be made leaves them empty (None)."""
    cells: dict[str, Any] = {
        key: estimate.value if estimate else None,
        f"{key}_low": estimate.low if estimate else None,
        f"{key}_high": estimate.high if estimate else None,
    }
    if first is not None:
        cells[first] = FIRST if estimate and estimate.first else ""
    return cells


def outcome_cells(n: int, wins: int, ties: int, *, first: str = "", ties_win: bool = False) -> dict[str, Any]:
    """Pairs that a metric wins, ties and loses, and the marks of its accuracy: first place, and more ties than losses.

    With `ties_win`, ties are among the wins.
    """
    losses = n - wins - (0 if ties_win else ties)
    tied = 2 * wins < n and n - wins - losses > losses
    return {"wins": wins, "ties": ties, "losses": losses, "marks": first + (TIED if tied else "")}


def tied_notes(rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What the mark of ties means, if a row has it."""
    return (
        (f"{TIED} more ties than losses: mostly blind to the difference",)
        if any(TIED in row["marks"] for row in rows)
        else ()
    )


def blindest(accuracies: Iterable[tuple[float, Any, str, bool]], most: int = 2) -> str:
    """The lowest of (accuracy, place among equal ones, name, mostly tied), as ``NAME 12%, NAME 30% (ties)``."""
    return ", ".join(
        f"{name} {100 * value:.0f}%{' (ties)' if tied else ''}" for value, _, name, tied in sorted(accuracies)[:most]
    )


def metric_cells(metric: Measured) -> dict[str, Any]:
    """The metric's name, and the mark of one that was trained on the suite."""
    return {"metric": metric.name, "contaminated": CONTAMINATED if metric.contaminated else ""}


def with_average(
    rows: Sequence[Mapping[str, Any]], keys: Sequence[str], values: Sequence[str]
) -> list[Mapping[str, Any]]:
    """The rows, and after those of each line (equal in `keys`) the mean of `values` over the metrics, where there are several.

    The mean has no interval and no place: it is one of metrics, which are not drawn at random. Counts are the largest.
    """
    lines: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        lines.setdefault(tuple(row[key] for key in keys), []).append(row)
    return [row for mine in lines.values() for row in (*mine, *_average(mine, keys, values))]


def _average(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], values: Sequence[str]) -> list[dict[str, Any]]:
    if len(rows) < 2:
        return []
    mean: dict[str, Any] = {}
    for key, first in rows[0].items():
        there = [row[key] for row in rows if row[key] is not None]
        if key in keys:
            mean[key] = first
        elif key in values:
            mean[key] = sum(there) / len(there) if there else None
        elif there and all(isinstance(value, int) for value in there):
            mean[key] = 0 if key == "unscored" else max(there)
        else:
            mean[key] = "" if there and isinstance(there[0], str) else None
    return [mean | {"metric": AVERAGE}]


def known(value: float) -> float | None:
    """The value, or None (an empty cell) where it is not a number."""
    return None if math.isnan(value) else float(value)


def common_notes(
    items: Sequence[Item], measured: Sequence[Measured], outcome: Outcomes, sampling: Sampling
) -> tuple[str, ...]:
    """The notes under every table: sampling, first place, and what a reader must know of each metric."""
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
"""Correlations with human judgements below which a metric looks inverted."""


def inverted_note(name: str, what: str, *, higher_is_better: bool = True) -> str:
    """A warning that a metric's scores look as if they were read upside down."""
    other = "lower" if higher_is_better else "higher"
    fix = f"FILE:{other} for a score file, higher_is_better on the card of a metric"
    return f"⚠ {name} looks inverted: {what}. If {other} is better, say so: {fix}"


def _inverted_notes(measured: Sequence[Measured], outcome: Outcomes) -> list[str]:
    """Warnings about metrics that prefer the error in three pairs of four or more, ties apart."""
    notes = []
    for m, metric in enumerate(measured):
        decided = outcome.scored[m] & ~outcome.tied[m]
        wins, pairs = int((decided & outcome.better[m]).sum()), int(decided.sum())
        if pairs and 4 * wins <= pairs:
            what = f"it prefers the error in {pairs - wins:,} of {counted(pairs, 'pair')}, ties apart"
            notes.append(inverted_note(metric.name, what, higher_is_better=metric.card.higher_is_better))
    return notes


def first_place_note(correction: str) -> str:
    """What the star means."""
    how = "" if correction == "none" else f", {correction} over the table"
    return f"{FIRST} shares first place: not shown worse than the best at 0.05 (one-sided, paired on items{how})"


def without_places(notes: Sequence[str]) -> tuple[str, ...]:
    """The notes of a table without stars: all but what the star means."""
    return tuple(note for note in notes if not note.startswith(f"{FIRST} "))


def contamination_notes(measured: Sequence[Measured]) -> tuple[str, ...]:
    """One note naming the metrics that were trained on the suite, or none."""
    trained = [metric.name for metric in measured if metric.contaminated]
    return (f"{CONTAMINATED} trained on this suite, by its card: {listing(trained)}",) if trained else ()


def coverage_notes(langpairs: Iterable[str], measured: Sequence[Measured]) -> tuple[str, ...]:
    """One note for each metric whose card does not claim some of the language pairs."""
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
    """One line a value of `index`, one dot a metric; the mean over the metrics is not drawn."""
    how = {"value": "accuracy", "span": (0, 1), "chance": 0.5, "subtitle": f"strict accuracy · {_BARS}"}
    return Figure(name, "dots", {**how, "index": index, "left_out": (AVERAGE,)}, family)


def accuracy_map(family: str, name: str, lines: Mapping[str, Any] = BY_CATEGORY) -> Figure:
    """Accuracies in percent, one line a phenomenon, grouped as `lines` says."""
    how = {"value": "accuracy", "chance": 0.5, "ties": True, "subtitle": f"strict accuracy, % · {_HARDEST}"}
    return Figure(name, "heatmap", {**how, **lines}, family)


def accuracies(family: str, name: str, rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Accuracies by phenomenon: dots while they can be told apart, a heat map for more."""
    few = len(rows) <= 120 and len({row["phenomenon"] for row in rows}) <= 30
    return accuracy_dots(family, name, "phenomenon") if few else accuracy_map(family, name)


def tau_dots(family: str, name: str, index: str, series: str = "metric") -> Figure:
    """The same as `accuracy_dots` for Kendall's tau-like; `series` says what has a colour."""
    how = {"value": "tau", "span": (-1, 1), "chance": 0, "subtitle": f"Kendall's tau-like · {_BARS}"}
    return Figure(name, "dots", {**how, "index": index, "series": series, "left_out": (AVERAGE,)}, family)


def tau_map(family: str, name: str) -> Figure:
    """The same as `accuracy_map` for Kendall's tau-like."""
    how = {"value": "tau", "ties": True, "subtitle": f"Kendall's tau-like · {_HARDEST}", **BY_CATEGORY}
    return Figure(name, "heatmap", how, family)


def area_dots(family: str, name: str, index: str) -> Figure:
    """The same as `accuracy_dots` for areas under the ROC curve."""
    how = {"value": "auroc", "span": (0, 1), "chance": 0.5, "subtitle": f"area under the ROC curve · {_BARS}"}
    return Figure(name, "dots", {**how, "index": index}, family)
