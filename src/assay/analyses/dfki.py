"""DFKI challenge set: accuracies by phenomenon and category, and the metrics that share first place.

A metric passes an item if it scores the good translation strictly above the incorrect one. The accuracies in a row are compared
with the best one by a one-sided z-test of two proportions. Metrics that are not significantly worse (p >= 0.05) share first
place (Avramidis et al. 2023, Section 3.3), both over all metrics and within each class of metrics. The test is the paper's; it
treats items as independent, although items built from the same sentence are not fully independent.

Wilson's intervals are used for a share of items (phenomena, categories, micro-average). For the macro-averages, which are means
of shares, they are combined. Macro-averages are tested with the variance of a mean of independent shares.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.analyses.table_parts import (
    FIRST_PLACE,
    SHARE_INTERVALS,
    accuracy_dots,
    accuracy_map,
    metric_cells,
    none_if_nan,
)
from assay.core.analysis import columns as has_columns
from assay.core.analysis import requires
from assay.core.errors import InputError, count, listing
from assay.core.item import Item
from assay.core.metric import Card
from assay.core.suite import Measured
from assay.core.table import Pivot, Table, TableColumn
from assay.stats.multiple import correct_p_values
from assay.stats.proportions import stratified_z_test, weighted_interval, wilson_bounds

LEVEL = 0.05
FEWEST = 5
"""Minimum number of items at which the normal approximation of the z-test may show a metric to be worse."""
_READING = {
    "phenomena": "The share of items in which a metric scores the correct output above the incorrect one, in percent.",
    "categories": f"The same over all items of a category. {FIRST_PLACE} A ring marks first places among metrics of the same "
    "class.",
    "averages": "The micro-average weights items equally; the macro-averages weight categories or phenomena equally, so frequent "
    "ones do not dominate.",
}
_FIGURES = {
    "categories": (accuracy_dots("dfki", "categories", "category"),),
    "phenomena": (accuracy_map("dfki", "phenomena"),),
}
Counts = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


def metric_class(card: Card) -> str:
    """Return the paper's class of a metric: ``QE`` (no reference), ``baseline`` (strings) or ``reference-based``."""
    if card.reference_free and card.kind != "baseline":
        return "QE"
    return "baseline" if card.by_characters else "reference-based"


@dataclass(frozen=True, slots=True)
class _Tally:
    """Right answers, scored and unscored items for one metric, in each of the strata that make up one table row."""

    metric: Measured
    right: Counts
    scored: Counts
    unscored: Counts

    def stratum(self, i: int) -> _Tally:
        """Return the tally of a single stratum."""
        one = slice(i, i + 1)
        return _Tally(self.metric, self.right[one], self.scored[one], self.unscored[one])

    @property
    def accuracy(self) -> float:
        """Mean accuracy over the strata that have a scored item; NaN if there is none."""
        usable = self.scored > 0
        return float((self.right[usable] / self.scored[usable]).mean()) if usable.any() else math.nan

    def below(self, best: _Tally) -> float:
        """Return the one-sided p that this metric is worse than `best`, over the strata that both scored."""
        usable = (self.scored > 0) & (best.scored > 0)
        return stratified_z_test(self.right[usable], self.scored[usable], best.right[usable], best.scored[usable])[1]

    def interval(self) -> tuple[float, float]:
        """Return Wilson's interval for one stratum, or the combined interval for a mean over several. It does not depend on
        other metrics.
        """
        usable = self.scored > 0
        if not usable.any():
            return math.nan, math.nan
        right, scored = self.right[usable], self.scored[usable]
        weights = np.full(len(scored), 1 / len(scored))
        return weighted_interval(weights, right / scored, *wilson_bounds(right, scored))


@requires("items", has_columns("category", "phenomenon"))
def tables(
    items: Sequence[Item],
    measured: Sequence[Measured],
    *,
    seed: int = 12345,
    samples: int = 1000,
    correction: str = "none",
) -> list[Table]:
    """Return ``averages`` (Section 3.3), ``categories`` (Tables 1 to 3) and ``phenomena`` (Tables 4 to 6).

    `correction` treats all comparisons in a table as one family; ``none``, the paper's choice, leaves p-values unchanged.
    """
    answers = [_answers(items, metric) for metric in measured]
    phenomena, in_phenomenon = _groups([(item.category, item.phenomenon) for item in items])
    categories, in_category = _groups([(item.category,) for item in items])

    def tallies(groups: Counts, number: int) -> list[_Tally]:
        return [_tally(metric, right, scored, groups, number) for metric, right, scored in answers]

    by_phenomenon, by_category = tallies(in_phenomenon, len(phenomena)), tallies(in_category, len(categories))
    averages: dict[tuple[str, ...], list[_Tally]] = {
        ("micro",): tallies(np.zeros(len(items), np.int64), 1),
        ("category-macro",): by_category,
        ("phenomenon-macro",): by_phenomenon,
    }
    each_category = {label: [tally.stratum(i) for tally in by_category] for i, label in enumerate(categories)}
    each_phenomenon = {label: [tally.stratum(i) for tally in by_phenomenon] for i, label in enumerate(phenomena)}
    notes = _notes(items, answers, correction)
    all_tables = []
    for name, keys, lines, what in (
        ("averages", ("average",), averages, ", averages"),
        ("categories", ("category",), each_category, " by category"),
        ("phenomena", ("category", "phenomenon"), each_phenomenon, " by phenomenon"),
    ):
        caption = f"DFKI · {count(len(items), 'item')} · strict accuracy{what}"
        all_tables.append(_table(name, keys, _rows(keys, lines, correction), caption, notes))
    return all_tables


def _answers(items: Sequence[Item], metric: Measured) -> tuple[Measured, Bools, Bools]:
    """Return, for each item, whether it was ranked correctly and whether it was scored."""
    if metric.good is None or metric.incorrect is None or not len(metric.good) == len(metric.incorrect) == len(items):
        raise InputError(
            f"{metric.name} must have scores for the good and the incorrect translation of each of {count(len(items), 'item')}."
        )
    scored = ~(np.isnan(metric.good) | np.isnan(metric.incorrect))
    better = metric.good > metric.incorrect if metric.card.higher_is_better else metric.good < metric.incorrect
    return metric, better & scored, scored


def _groups(labels: Sequence[tuple[str, ...]]) -> tuple[list[tuple[str, ...]], Counts]:
    """Return the distinct labels in order of appearance, and the index of each item's label."""
    numbers: dict[tuple[str, ...], int] = {}
    of_item = [numbers.setdefault(label, len(numbers)) for label in labels]
    return list(numbers), np.array(of_item, np.int64)


def _tally(metric: Measured, right: Bools, scored: Bools, groups: Counts, number: int) -> _Tally:
    return _Tally(metric, *(np.bincount(groups[chosen], minlength=number) for chosen in (right, scored, ~scored)))


def _rows(
    keys: tuple[str, ...], lines: Mapping[tuple[str, ...], list[_Tally]], correction: str
) -> list[dict[str, Any]]:
    """Return the rows for one table, one per label and metric."""
    row = next(iter(lines.values()), [])
    classes = [metric_class(tally.metric.card) for tally in row]
    in_class = [[i for i in range(len(row)) if classes[i] == name] for name in dict.fromkeys(classes)]
    p, first = _places(list(lines.values()), [list(range(len(row)))], correction)
    p_class, first_in_class = _places(list(lines.values()), in_class, correction)
    rows = []
    for at, (labels, tallies) in enumerate(lines.items()):
        for i, tally in enumerate(tallies):
            low, high = tally.interval()
            marks = {"first": "*" if first[at, i] else "", "first_in_class": "°" if first_in_class[at, i] else ""}
            rows.append(
                {
                    **dict(zip(keys, labels, strict=True)),
                    **metric_cells(tally.metric),
                    "class": classes[i],
                    "n": int(tally.scored.sum()),
                    "unscored": int(tally.unscored.sum()),
                    "accuracy": none_if_nan(tally.accuracy),
                    "accuracy_low": none_if_nan(low),
                    "accuracy_high": none_if_nan(high),
                    "p": none_if_nan(p[at, i]),
                    "p_class": none_if_nan(p_class[at, i]),
                    **marks,
                    "place": marks["first"] or marks["first_in_class"],
                }
            )
    return rows


def _places(lines: Sequence[list[_Tally]], rivals: Sequence[list[int]], correction: str) -> tuple[Floats, Bools]:
    """Return [line, metric]: p against the best of its rivals (NaN for the best, or if untested), and first places."""
    size = (len(lines), sum(map(len, rivals)))
    p, first = np.full(size, np.nan), np.zeros(size, bool)
    for at, tallies in enumerate(lines):
        for group in rivals:
            ranked = [i for i in group if not math.isnan(tallies[i].accuracy)]
            if len(ranked) < 2:
                continue
            best = max(ranked, key=lambda i: tallies[i].accuracy)
            first[at, best] = True
            for i in ranked:
                if i != best:
                    p[at, i] = tallies[i].below(tallies[best])
    tested = ~np.isnan(p)
    p[tested] = correct_p_values(p[tested], correction)
    few = np.array([[tally.scored.sum() < FEWEST for tally in tallies] for tallies in lines]).reshape(size)
    return p, first | (tested & ((p >= LEVEL) | few))


def _notes(items: Sequence[Item], answers: Sequence[tuple[Measured, Bools, Bools]], correction: str) -> tuple[str, ...]:
    family = "" if correction == "none" else f", {correction} over the table"
    notes = [
        f"* shares the first place of all metrics, ° of its class (baseline, QE, reference-based): not worse than the best at "
        f"{LEVEL} (one-tailed z-test of two proportions{family}), or fewer than {FEWEST} items",
        SHARE_INTERVALS,
    ]
    for metric, _, scored in answers:
        if metric.contaminated:
            notes.append(f"† {metric.name}: trained on this suite, according to its card")
        if missing := [item.id for item, done in zip(items, scored, strict=True) if not done]:
            notes.append(f"{metric.name}: {count(len(missing), 'item')} unscored and left out ({listing(missing, 3)})")
        strange = [pair for pair in dict.fromkeys(item.langpair for item in items) if not metric.card.covers(pair)]
        if strange:
            notes.append(f"‡ {metric.name}: its card does not cover {listing(strange)}")
    return tuple(notes)


def _table(name: str, keys: tuple[str, ...], rows: list[dict[str, Any]], caption: str, notes: tuple[str, ...]) -> Table:
    columns = (
        *(TableColumn(key) for key in keys),
        TableColumn("metric", mark="contaminated"),
        TableColumn("class"),
        TableColumn("n", kind="count"),
        TableColumn("accuracy", kind="percent", interval=("accuracy_low", "accuracy_high"), mark="place"),
        TableColumn("unscored", kind="count"),
        *(TableColumn(key, kind="percent", hidden=True) for key in ("accuracy_low", "accuracy_high")),
        *(TableColumn(key, kind="p", hidden=True) for key in ("p", "p_class")),
        *(TableColumn(key, hidden=True) for key in ("first", "first_in_class", "place", "contaminated")),
    )
    pivot = Pivot(keys[-1], "metric", "accuracy")
    return Table(name, columns, rows, caption, notes, pivot, _READING[name], _FIGURES.get(name, ()))
