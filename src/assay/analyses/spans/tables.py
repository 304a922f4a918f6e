"""Predicted and gold error spans: character-level F1 with partial credit, intervals and paired tests, by severity.

The main figure is the one used in the WMT23 quality-estimation task (Blain et al. 2023) and in xCOMET's Table 3 (Guerreiro et
al. 2023, Section 5.1). Characters are summed over all translations of a language pair before any division, critical counts as
major, and a mark with the wrong severity earns half a point; language pairs are averaged at the end. The tables also contain F1
for positions (ignoring severity) and for whole spans (same ends and severity). A translation with several gold judgements
counts once for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.analyses.spans.alignment import AlignedSpans, as_tuples
from assay.analyses.table_parts import estimate_columns
from assay.core.errors import count
from assay.core.table import Figure, Table, TableColumn
from assay.stats.multiple import holm
from assay.stats.resampling import bootstrap_sums, interval, p_value, randomization_sums
from assay.stats.spans import FIELDS, LEVELS, counts, drop_undefined, f1, precision, recall, sum_by_group

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.core.metric import Floats

    Statistic = Callable[..., Floats]

AVERAGE = "avg"
LANGPAIR = TableColumn("langpair", "langpair")
METRIC = TableColumn("metric", "prediction")


@dataclass(frozen=True)
class Resampling:
    """Settings for intervals and tests. Segments are resampled, with the translations from all systems."""

    samples: int = 1000
    trials: int = 10_000
    seed: int = 12345

    def note(self, tests: bool) -> str:
        """Return the note below a table."""
        randomization = f", randomization, n={self.trials:,}" if tests else ""
        return f"95% bootstrap of segments, n={self.samples:,}{randomization}, seed {self.seed}"


class Counted:
    """Every prediction's counts by language pair and segment, and their resamples."""

    def __init__(self, compared: AlignedSpans, how: Resampling) -> None:
        self.compared, self.how, self.names = compared, how, list(compared.predicted)
        self.pairs = compared.langpairs

    @cached_property
    def rows(self) -> dict[str, Floats]:
        """One row of counts per gold judgement, by prediction."""
        gold = [as_tuples(spans) for spans in self.compared.gold]
        return {
            name: np.array(list(map(counts, gold, map(as_tuples, predicted), self.compared.lengths))).reshape(
                -1, len(FIELDS)
            )
            for name, predicted in self.compared.predicted.items()
        }

    def by_segment(self, rows: Floats, pair: str) -> Floats:
        """Return a language pair's rows, summed by segment."""
        chosen = self.pairs[pair]
        return sum_by_group(rows[chosen], [self.compared.cells[row].segment for row in chosen])

    def draws(self, rows: Floats, pair: str) -> Floats:
        """Return the sums over bootstrap samples of segments, with the same segments for every prediction."""
        number = list(self.pairs).index(pair)
        return bootstrap_sums(self.by_segment(rows, pair), self.how.samples, self.how.seed + number)

    def estimates(self, rows: Floats, statistics: Mapping[str, Statistic]) -> dict[str, dict[str, tuple[float, ...]]]:
        """Return (value, low, high) by language pair (and their average) and statistic."""
        values: dict[str, dict[str, list[Floats]]] = {}
        for pair, chosen in self.pairs.items():
            sums, resampled = rows[chosen].sum(axis=0), self.draws(rows, pair)
            values[pair] = {key: [np.asarray(of(sums)), of(resampled, empty=np.nan)] for key, of in statistics.items()}
        if len(values) > 1:
            values[AVERAGE] = {
                key: [np.mean([by_key[key][part] for by_key in list(values.values())], axis=0) for part in (0, 1)]
                for key in statistics
            }
        return {
            pair: {key: bounds(value, resampled) for key, (value, resampled) in by_key.items()}
            for pair, by_key in values.items()
        }


def bounds(value: Floats, draws: Floats) -> tuple[float, float, float]:
    """Return a value and the interval of its draws; resamples in which it is undefined (NaN) are left out."""
    ends = interval(drop_undefined(draws))
    return float(value), ends.low, ends.high


def cells(key: str, estimate: tuple[float, ...]) -> dict[str, float]:
    """Return the cells of `estimate_columns`."""
    return dict(zip((key, f"{key}_low", f"{key}_high"), estimate, strict=True))


WHOLE: Mapping[str, Statistic] = {
    "f1": f1,
    "precision": precision,
    "recall": recall,
    "located": lambda sums, **how: f1(sums, "located", **how),
    "exact": lambda sums, **how: f1(sums, "exact", "gold_spans", "predicted_spans", **how),
}


def tables(
    compared: AlignedSpans, how: Resampling, ceiling: float | None = None, notes: Sequence[str] = ()
) -> list[Table]:
    """Return `summary`, `severities`, and `tests` if there are several predictions."""
    counted = Counted(compared, how)
    tests = paired_tests(counted) if len(counted.names) > 1 else []
    all_tables = [summary(counted, tests, ceiling, notes), severities(counted)]
    return [table for table in (*all_tables, *([test_table(tests, how)] if tests else [])) if table.rows]


def summary(counted: Counted, tests: Sequence[Mapping[str, Any]], ceiling: float | None, notes: Sequence[str]) -> Table:
    """Return the columns of xCOMET's Table 3: F1, precision and recall by language pair, and their average."""
    rows: list[dict[str, Any]] = []
    first = counted.names[0]
    p = {(test["second"], test["langpair"]): test["p"] for test in tests if test["first"] == first}
    for name in counted.names:
        sums = counted.rows[name]
        for pair, estimates in counted.estimates(sums, WHOLE).items():
            chosen = counted.pairs.get(pair, range(len(sums)))
            row = {"metric": name, "langpair": pair, "p": p.get((name, pair)), "n": len(chosen)}
            rows.append({**row, **{key: value for k, e in estimates.items() for key, value in cells(k, e).items()}})
    for row in rows:
        row["mark"] = "*" if row["p"] is not None and row["p"] < 0.05 else ""
    columns = [
        METRIC, LANGPAIR, *estimate_columns("f1", "F1", mark="mark"),
        *(column for key in ("precision", "recall") for column in estimate_columns(key, mark=None)[:1]),
        TableColumn("located", "F1 of positions", "number", 3), TableColumn("exact", "F1 of spans", "number", 3),
        TableColumn("n", "judgements", "count"),
        *(TableColumn(key, hidden=True) for key in ("mark", "p")),
        *(
            TableColumn(f"{key}_{side}", kind="number", decimals=3, hidden=True)
            for key in ("precision", "recall", "located", "exact")
            for side in ("low", "high")
        ),
    ]  # fmt: skip
    table_notes = [counted.how.note(bool(tests)), *notes]
    if any(row["mark"] for row in rows):
        table_notes.insert(1, f"* differs from {first}, p < 0.05 (paired randomization of segments)")
    dashed = "" if ceiling is None else " · dashed: agreement of annotators"
    options = {"index": "langpair", "value": "f1", "span": (0, 1), "chance": ceiling or 0.0}
    figure = Figure(
        "span_f1", "dots", {**options, "subtitle": f"character-level F1 · bars: 95% intervals{dashed}"}, "spans"
    )
    reading = (
        "F1: characters of the translation, half a point for the other severity. F1 of positions ignores severities; F1 of "
        "spans requires both ends and the severity. The table raters shows the agreement of annotators."
    )
    return Table(
        "summary", columns, rows, "predicted and gold error spans", table_notes, reading=reading, figures=[figure]
    )


def paired_tests(counted: Counted) -> list[dict[str, Any]]:
    """Compare each pair of predictions on every language pair and on the average: difference in F1, interval, p."""
    rows = []
    for first, second in combinations(counted.names, 2):
        by_pair: dict[str, list[Any]] = {}
        for number, pair in enumerate(counted.pairs):
            one, other = (counted.by_segment(counted.rows[name], pair) for name in (first, second))
            picked = randomization_sums(other - one, counted.how.trials, counted.how.seed + number)
            swapped = f1(one.sum(axis=0) + picked) - f1(other.sum(axis=0) - picked)
            resampled = f1(counted.draws(counted.rows[second], pair)) - f1(counted.draws(counted.rows[first], pair))
            by_pair[pair] = [float(f1(other.sum(axis=0)) - f1(one.sum(axis=0))), resampled, swapped]
        if len(by_pair) > 1:
            by_pair[AVERAGE] = [np.mean([parts[part] for parts in by_pair.values()], axis=0) for part in range(3)]
        for pair, (difference, resampled, swapped) in by_pair.items():
            ends = interval(resampled)
            # A draw that ties with the observed difference, up to rounding, counts as reaching it.
            p = p_value(np.abs(swapped), abs(float(difference)) - 1e-12)
            row = {"first": first, "second": second, "langpair": pair, "difference": float(difference), "p": p}
            rows.append({**row, "difference_low": ends.low, "difference_high": ends.high})
    return rows


def test_table(tests: Sequence[Mapping[str, Any]], how: Resampling) -> Table:
    """Return the table `tests`, with p corrected for the number of comparisons (Holm)."""
    corrected = holm([test["p"] for test in tests])
    rows = [{**test, "p_holm": float(p)} for test, p in zip(tests, corrected, strict=True)]
    columns = [
        TableColumn("first", "prediction"), TableColumn("second", "against"), LANGPAIR,
        *estimate_columns("difference", "difference of F1", mark=None), TableColumn("p", "p", "p"),
        TableColumn("p_holm", "p, Holm", "p"),
    ]  # fmt: skip
    reading = "If the difference is positive, the second is better. p: how often swapping the two on whole segments gives as much."
    return Table("tests", columns, rows, "paired tests of span F1", [how.note(True)], reading=reading)


def severities(counted: Counted) -> Table:
    """Return F1, precision and recall for minor and for major (and critical) errors separately."""
    rows: list[dict[str, Any]] = []
    for name in counted.names:
        for level in LEVELS:
            both, gold, guessed = (f"{level}_{part}" for part in ("both", "gold", "predicted"))
            statistics: Mapping[str, Statistic] = {
                "f1": partial(f1, hits=both, gold=gold, predicted=guessed),
                "precision": partial(precision, hits=both, predicted=guessed),
                "recall": partial(recall, hits=both, gold=gold),
            }
            for pair, estimates in counted.estimates(counted.rows[name], statistics).items():
                chosen = counted.pairs.get(pair, range(len(counted.rows[name])))
                share = counted.rows[name][chosen].sum(axis=0)
                row = {"metric": name, "langpair": pair, "severity": level, "gold": int(share[FIELDS.index(gold)])}
                row["predicted"] = int(share[FIELDS.index(guessed)])
                rows.append({**row, **{key: v for k, e in estimates.items() for key, v in cells(k, e).items()}})
    columns = [
        METRIC, LANGPAIR, TableColumn("severity"),
        *(column for key, label in (("f1", "F1"), ("precision", ""), ("recall", ""))
          for column in estimate_columns(key, label, mark=None)),
        TableColumn("gold", "gold characters", "count"), TableColumn("predicted", "predicted", "count"),
    ]  # fmt: skip
    reading = (
        "Each severity separately, without partial credit: a character counts if both sides give it this severity."
    )
    return Table("severities", columns, rows, "error spans by severity", [counted.how.note(False)], reading=reading)


def describe_size(compared: AlignedSpans) -> str:
    """Describe the amount of data compared."""
    return f"{count(len(set(compared.cells)), 'translation')}, {count(len(compared.cells), 'gold judgement')}"
