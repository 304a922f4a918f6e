"""Graded outcomes: how far did the next step succeed, from 0 to 1, and how well does a metric foretell it?

A grade is no class, so that nothing is cut by a threshold. Three figures take the place of macro-F1 and Matthews correlation,
all from the test part of a task and language, averaged over languages:

- Kendall's tau-b and Pearson's r of score and grade.
- What a calibrated metric explains: the grade to be expected at a score is learned on the development part (isotonic
  regression), and 1 - (squared error of that) / (squared error of always saying the development part's mean grade) is its
  share on the test part. 0 is no better than knowing nothing; below 0 is worse.

`calibration` puts the expected grade beside the one that came.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.analyses.breakdown.verdicts import Setup, generator, mean_cells, sample_note
from assay.analyses.table_parts import FIRST, METRIC, UNSCORED, estimate_columns, first_place_note
from assay.core.errors import InputError, unknown
from assay.core.outcomes import TaskOutcomes
from assay.core.suite import Measured
from assay.core.table import Figure, Pivot, Table, TableColumn
from assay.stats.correlation import kendall_by_group, pearson_by_group
from assay.stats.groups import pool
from assay.stats.isotonic import isotonic
from assay.stats.paired import bootstrap_p, share_first
from assay.stats.resampling import percentile_interval

Floats = NDArray[np.float64]

FIGURES = ("kendall", "pearson", "explained")
RANGES = 10
"""Parts of equal size in `calibration`."""
BLOCK = 1 << 20
"""Drawn examples that are looked at together."""


@dataclass(frozen=True)
class Foretold:
    """One metric on one setup: its test examples, their grades and what it expects of them, and the draws of each figure."""

    setup: Setup
    metric: str
    expected: Floats
    grades: Floats
    dev_kendall: float
    figures: dict[str, tuple[float, Floats]]


def tables(
    outcomes: TaskOutcomes,
    measured: Sequence[Measured],
    cut: Sequence[Setup],
    left_out: Sequence[str],
    *,
    pseudo: Sequence[Measured] = (),
    seed: int = 12345,
    samples: int = 1000,
    case: str | None = None,
) -> list[Table]:
    """`summary`, `languages`, `balance`, `calibration`, and `pseudo` where there are back-translations."""
    if case is not None and case not in {metric.name for metric in measured}:
        raise unknown("metric among those scored", case, [metric.name for metric in measured])
    found = _foretold(outcomes, measured, cut, seed, samples)
    notes = _notes(outcomes, measured, cut, left_out, seed, samples)
    plain = [note for note in notes if not note.startswith(FIRST)]
    made = [
        _summary(found, notes),
        _languages(found, plain),
        _balance(outcomes, cut, left_out, seed, samples),
        _calibration(found, case or _best(found), seed, samples),
    ]
    if pseudo:
        made.append(_pseudo(_foretold(outcomes, pseudo, cut, seed, samples), found))
    return made


def _foretold(
    outcomes: TaskOutcomes, measured: Sequence[Measured], cut: Sequence[Setup], seed: int, samples: int
) -> list[Foretold]:
    grades, found = outcomes.worth, []
    for setup in cut:
        # The same draws for every metric: differences are then paired.
        rng = generator(seed, "grades", setup.task, setup.language)
        drawn = rng.integers(0, len(setup.test), (samples, len(setup.test)))
        for metric in measured:
            if metric.values is None:
                raise InputError(f"{metric.name} has no scores of the examples.")
            quality = (1.0 if metric.card.higher_is_better else -1.0) * metric.values
            known = np.isfinite(quality)
            dev, there = setup.dev[known[setup.dev]], known[setup.test]
            if len(dev) < 2 or there.sum() < 2:
                continue
            test, places = setup.test[there], np.cumsum(there) - 1
            curve = isotonic(quality[dev], grades[dev])
            mean = float(grades[dev].mean())
            rows = [np.arange(len(test)), *(places[row[there[row]]] for row in drawn)]
            figures = _figures(quality[test], grades[test], curve.at(quality[test]), mean, rows)
            own = _figures(quality[dev], grades[dev], curve.at(quality[dev]), mean, [np.arange(len(dev))])
            found.append(
                Foretold(
                    setup,
                    metric.name,
                    curve.at(quality[test]),
                    grades[test],
                    float(np.nan_to_num(own["kendall"][0])),
                    {name: (float(values[0]), values[1:]) for name, values in figures.items()},
                )
            )
    return found


def _figures(quality: Floats, grades: Floats, expected: Floats, mean: float, rows: Sequence[Any]) -> dict[str, Floats]:
    """Each figure for every selection of examples; a correlation that is not defined (all alike) is 0."""
    kendall, pearson = [], []
    several = max(1, BLOCK // max(1, len(quality)))
    for start in range(0, len(rows), several):
        some = rows[start : start + several]
        groups = pool([grades[row] for row in some])
        values = np.ascontiguousarray(np.concatenate([quality[row] for row in some])[None])
        kendall.append(kendall_by_group(groups, values, "b")[0])
        pearson.append(pearson_by_group(groups, values)[0])
    missed, spread = (grades - expected) ** 2, (grades - mean) ** 2
    left = np.array([missed[row].sum() for row in rows])
    whole = np.array([spread[row].sum() for row in rows])
    return {
        "kendall": np.nan_to_num(np.concatenate(kendall)),
        "pearson": np.nan_to_num(np.concatenate(pearson)),
        "explained": 1 - np.divide(left, whole, out=np.ones(len(rows)), where=whole > 0),
    }


def _best(found: Sequence[Foretold]) -> str:
    """The metric with the highest mean tau-b on the development part."""
    names = dict.fromkeys(one.metric for one in found)
    return max(names, key=lambda name: float(np.mean([one.dev_kendall for one in found if one.metric == name])))


def _by_task(found: Sequence[Foretold]) -> dict[str, dict[str, list[Foretold]]]:
    tasks: dict[str, dict[str, list[Foretold]]] = {}
    for one in found:
        tasks.setdefault(one.setup.task, {}).setdefault(one.metric, []).append(one)
    return tasks


def _summary(found: Sequence[Foretold], notes: Sequence[str]) -> Table:
    rows: list[dict[str, Any]] = []
    tasks = _by_task(found)
    for task, metrics in tasks.items():
        mine: list[dict[str, Any]] = []
        for name, own in metrics.items():
            n, every = sum(len(one.grades) for one in own), sum(len(one.setup.test) for one in own)
            mine.append({"task": task, "metric": name, "languages": len(own), "n": n, "unscored": every - n})
            mine[-1] |= {**mean_cells([one.figures for one in own], FIGURES), "first": "", "contaminated": ""}
        if len(mine) > 1:
            values = np.array([row["kendall"] for row in mine])
            draws = [np.mean([one.figures["kendall"][1] for one in metrics[row["metric"]]], axis=0) for row in mine]
            ahead = draws[int(values.argmax())]
            p = np.array([bootstrap_p(ahead - own) for own in draws])
            p[values == values.max()] = 1.0
            for row, is_first in zip(mine, share_first(values, p), strict=True):
                row["first"] = FIRST if is_first else ""
        rows += mine
    columns = (
        TableColumn("task", hidden=len(tasks) < 2),
        METRIC,
        TableColumn("languages", kind="count"),
        TableColumn("n", kind="count"),
        *estimate_columns("kendall", "Kendall's τ-b", decimals=3),
        *estimate_columns("pearson", "Pearson's r", decimals=3, mark=None),
        *estimate_columns("explained", "explained, %", "percent", 1, mark=None),
        UNSCORED,
        *(TableColumn(key, hidden=True) for key in ("first", "contaminated")),
    )
    reading = (
        "How well scores go with grades on the test part: 0 is not at all, 1 perfectly. Explained is what is left of the "
        "differences in grade once each score has been turned into the grade to be expected at it, by the development part; "
        "below 0, always saying the mean would have been better."
    )
    caption = "Graded outcomes · means over languages"
    return Table("summary", columns, rows, caption, tuple(notes), reading=reading)


def _languages(found: Sequence[Foretold], notes: Sequence[str]) -> Table:
    rows = [
        {
            "task": one.setup.task,
            "language": one.setup.language,
            "metric": one.metric,
            "n": len(one.grades),
            **mean_cells([one.figures], FIGURES),
        }
        for one in sorted(found, key=lambda one: list(_by_task(found)).index(one.setup.task))
    ]
    shown = TableColumn("kendall", "Kendall's τ-b", "number", 3, interval=("kendall_low", "kendall_high"))
    hidden = [f"{key}{side}" for key in FIGURES for side in ("", "_low", "_high") if key + side != "kendall"]
    columns = (
        *(TableColumn(key) for key in ("task", "language", "metric")),
        shown,
        *(TableColumn(key, kind="number", decimals=3, hidden=True) for key in hidden),
        TableColumn("n", kind="count", hidden=True),
    )
    pivot = Pivot("metric", "language", "kendall")
    return Table(
        "languages", columns, rows, "Kendall's τ-b by language", tuple(notes), pivot, "The same, language by language."
    )


def _balance(outcomes: TaskOutcomes, cut: Sequence[Setup], notes: Sequence[str], seed: int, samples: int) -> Table:
    grades, rows = outcomes.worth, []
    for setup in cut:
        mine = grades[setup.test]
        rng = generator(seed, "balance", setup.task, setup.language)
        drawn = rng.choice(mine, (samples, len(mine))).mean(axis=1)
        low, high = percentile_interval(drawn)
        rows.append({"task": setup.task, "language": setup.language, "dev": len(setup.dev), "test": len(mine)})
        rows[-1] |= {"grade": float(mine.mean()), "grade_low": low, "grade_high": high}
        rows[-1] |= {"full": float((mine == 1).mean()), "none": float((mine == 0).mean())}
    columns = (
        TableColumn("task", hidden=len({setup.task for setup in cut}) < 2),
        TableColumn("language"),
        TableColumn("dev", "dev examples", "count"),
        TableColumn("test", "test examples", "count"),
        *estimate_columns("grade", "mean grade in test", decimals=3, mark=None),
        TableColumn("full", "grade 1, %", "percent", 1),
        TableColumn("none", "grade 0, %", "percent", 1),
    )
    reading = "How far the next step got with the translations, and how often it got all of it or nothing."
    return Table("balance", columns, rows, "Grades by language", tuple(notes), reading=reading)


def _calibration(found: Sequence[Foretold], metric: str, seed: int, samples: int) -> Table:
    """Test examples of one metric in parts of equal size, by the grade expected of them."""
    rows: list[dict[str, Any]] = []
    for task, metrics in _by_task(found).items():
        own = metrics.get(metric, [])
        expected = np.concatenate([one.expected for one in own] or [np.empty(0)])
        grades = np.concatenate([one.grades for one in own] or [np.empty(0)])
        order = np.argsort(expected, kind="stable")
        rng = generator(seed, "calibration", task)
        for part in np.array_split(order, min(RANGES, len(order) // 2)) if len(order) > 1 else ():
            low, high = percentile_interval(rng.choice(grades[part], (samples, len(part))).mean(axis=1))
            rows.append({"task": task, "metric": metric, "n": len(part), "expected": float(expected[part].mean())})
            rows[-1] |= {"grade": float(grades[part].mean()), "grade_low": low, "grade_high": high}
    several = len({row["task"] for row in rows}) > 1
    columns = (
        TableColumn("task", hidden=not several),
        TableColumn("metric", hidden=True),
        TableColumn("n", kind="count"),
        TableColumn("expected", "expected grade", "number", 3),
        *estimate_columns("grade", "mean grade", decimals=3, mark=None),
    )
    reading = (
        "Each line is a tenth of the test examples, by the grade expected of them. Where the mean grade is near the expected "
        "one, the metric's scores can be turned into grades; where all lines are alike, it knows nothing."
    )
    caption = f"{metric}: the grade expected at a score, and the one that came"
    drawn = {
        "series": "task" if several else "metric",
        "said": "expected",
        "came": "grade",
        "axes_labels": ("expected grade, %", "mean grade, %"),
        "subtitle": "test examples in tenths, by the grade expected at their score",
    }
    figure = Figure("calibration", "reliability", drawn, family="breakdown")
    return Table("calibration", columns, rows, caption, reading=reading, figures=(figure,))


def _pseudo(pseudo: Sequence[Foretold], gold: Sequence[Foretold]) -> Table:
    rows: list[dict[str, Any]] = []
    tasks, with_gold = _by_task(pseudo), _by_task(gold)
    for task, metrics in tasks.items():
        for name, own in metrics.items():
            cells = mean_cells([one.figures for one in own], FIGURES)
            there = with_gold.get(task, {}).get(name)
            other = None if there is None else mean_cells([one.figures for one in there], FIGURES)["kendall"]
            rows.append({"task": task, "metric": name, "languages": len(own), **cells, "gold": other})
            rows[-1] |= {"difference": None if other is None else cells["kendall"] - other}
    columns = (
        TableColumn("task", hidden=len(tasks) < 2),
        TableColumn("metric"),
        TableColumn("languages", kind="count"),
        *estimate_columns("kendall", "Kendall's τ-b", decimals=3, mark=None),
        TableColumn("gold", "with references", "number", 3),
        TableColumn("difference", kind="number", decimals=3),
    )
    reading = "Without references: the translation is translated back and compared with the source."
    return Table("pseudo", columns, rows, "Graded outcomes with pseudo-references", reading=reading)


def _notes(
    outcomes: TaskOutcomes,
    measured: Sequence[Measured],
    cut: Sequence[Setup],
    left_out: Sequence[str],
    seed: int,
    samples: int,
) -> list[str]:
    mean = float(np.mean(np.concatenate([outcomes.worth[setup.test] for setup in cut])))
    notes = [sample_note(cut, f"mean grade {mean:.2f}", seed, samples)]
    if len(measured) > 1:
        notes.append(first_place_note("none").replace("items", "examples"))
    notes.append(
        "outcomes are graded: --success-at 0.5 makes success and breakdown of them (macro-F1, MCC, error types)"
    )
    return [*notes, *left_out]
