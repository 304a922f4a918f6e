"""The tables of the DFKI challenge set: accuracies and who shares the first place (Avramidis et al. 2023, section 3.3).

A metric passes an item when it puts the good translation strictly above the incorrect one. The accuracies of a row are
compared with the best one by a one-tailed z-test of two proportions; whoever is not significantly worse (p >= 0.05) shares
the first place. This is done over all metrics and once more inside each class of metrics. The test is the paper's; it takes
the items as independent, although items built from one sentence are not quite.

Intervals are Wilson's for a share of items (phenomena, categories, micro-average) and the percentile bootstrap within the
groups for the macro-averages, which are means of shares; those are tested with the variance of a mean of independent shares.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.analyses.table_parts import FIRST_PLACE, SHARE_INTERVALS, accuracy_dots, accuracy_map, known, metric_cells
from assay.core.analysis import columns as has_columns
from assay.core.analysis import requires
from assay.core.errors import InputError, count, listing
from assay.core.item import Item
from assay.core.metric import Card
from assay.core.suite import Measured
from assay.core.table import Pivot, Table, TableColumn
from assay.stats.multiple import corrected
from assay.stats.proportions import stratified_z_test, weighted_interval, wilson_bounds

LEVEL = 0.05
FEWEST = 5
"""Items below which the normal approximation of the z-test proves nobody worse."""
_READING = {
    "phenomena": "The share of items in which a metric scores the correct output above the incorrect one, in percent.",
    "categories": f"The same over all items of a category. {FIRST_PLACE} A ring marks the first places among metrics of the "
    "same class.",
    "averages": "Micro counts every item once; the macro-averages count every category or phenomenon once, so frequent ones "
    "do not drown the others.",
}
_FIGURES = {
    "categories": (accuracy_dots("dfki", "categories", "category"),),
    "phenomena": (accuracy_map("dfki", "phenomena"),),
}
Counts = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


def metric_class(card: Card) -> str:
    """The paper's three classes, read from the card: ``QE`` (sees no reference), ``baseline`` (strings), ``reference-based``."""
    if card.reference_free and card.kind != "baseline":
        return "QE"
    return "baseline" if card.by_characters else "reference-based"


@dataclass(frozen=True, slots=True)
class _Tally:
    """One metric's right answers, scored and unscored items in each of the strata that make up one row of a table."""

    metric: Measured
    right: Counts
    scored: Counts
    unscored: Counts

    def stratum(self, i: int) -> _Tally:
        """The tally of one stratum alone."""
        one = slice(i, i + 1)
        return _Tally(self.metric, self.right[one], self.scored[one], self.unscored[one])

    @property
    def accuracy(self) -> float:
        """The mean share over the strata that have a scored item; NaN when none has."""
        some = self.scored > 0
        return float((self.right[some] / self.scored[some]).mean()) if some.any() else math.nan

    def below(self, best: _Tally) -> float:
        """p of the one-tailed test that this metric is worse than `best`, over the strata that both could score."""
        some = (self.scored > 0) & (best.scored > 0)
        return stratified_z_test(self.right[some], self.scored[some], best.right[some], best.scored[some])[1]

    def interval(self) -> tuple[float, float]:
        """Wilson's interval for one stratum, joined for a mean over several; it does not depend on rivals."""
        some = self.scored > 0
        if not some.any():
            return math.nan, math.nan
        right, scored = self.right[some], self.scored[some]
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
    """``averages`` (section 3.3), ``categories`` (Tables 1 to 3) and ``phenomena`` (Tables 4 to 6).

    `correction` takes all comparisons of a table as one family (none, as in the paper, leaves them as they are).
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
    made = []
    for name, keys, lines, what in (
        ("averages", ("average",), averages, ", averages"),
        ("categories", ("category",), each_category, " by category"),
        ("phenomena", ("category", "phenomenon"), each_phenomenon, " by phenomenon"),
    ):
        caption = f"DFKI · {count(len(items), 'item')} · strict accuracy{what}"
        made.append(_table(name, keys, _rows(keys, lines, correction), caption, notes))
    return made


def _answers(items: Sequence[Item], metric: Measured) -> tuple[Measured, Bools, Bools]:
    """For each item: was it ranked right, and was it scored at all?"""
    if metric.good is None or metric.incorrect is None or not len(metric.good) == len(metric.incorrect) == len(items):
        raise InputError(
            f"{metric.name} has no score of the good and incorrect translation for each of {count(len(items), 'item')}."
        )
    scored = ~(np.isnan(metric.good) | np.isnan(metric.incorrect))
    better = metric.good > metric.incorrect if metric.card.higher_is_better else metric.good < metric.incorrect
    return metric, better & scored, scored


def _groups(labels: Sequence[tuple[str, ...]]) -> tuple[list[tuple[str, ...]], Counts]:
    """The distinct labels in their order of appearance, and the number of each item's label among them."""
    numbers: dict[tuple[str, ...], int] = {}
    of_item = [numbers.setdefault(label, len(numbers)) for label in labels]
    return list(numbers), np.array(of_item, np.int64)


def _tally(metric: Measured, right: Bools, scored: Bools, groups: Counts, number: int) -> _Tally:
    return _Tally(metric, *(np.bincount(groups[chosen], minlength=number) for chosen in (right, scored, ~scored)))


def _rows(
    keys: tuple[str, ...], lines: Mapping[tuple[str, ...], list[_Tally]], correction: str
) -> list[dict[str, Any]]:
    """The rows of one table: one for each line and metric."""
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
                    "accuracy": known(tally.accuracy),
                    "accuracy_low": known(low),
                    "accuracy_high": known(high),
                    "p": known(p[at, i]),
                    "p_class": known(p_class[at, i]),
                    **marks,
                    "place": marks["first"] or marks["first_in_class"],
                }
            )
    return rows


def _places(lines: Sequence[list[_Tally]], rivals: Sequence[list[int]], correction: str) -> tuple[Floats, Bools]:
    """[line, metric]: p against the best among its rivals (NaN: the best itself, or nothing to compare), first places."""
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
    p[tested] = corrected(p[tested], correction)
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
            notes.append(f"† {metric.name}: trained on this suite, by its card")
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
