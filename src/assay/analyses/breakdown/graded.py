"""Graded outcomes (0 to 1): how well a metric predicts the degree of success of the next step.

A grade is not a class, so nothing is cut by a threshold. Three figures replace macro-F1 and Matthews correlation. All are
computed on the test set of a task and language and averaged over languages:

- Kendall's tau-b and Pearson's r between score and grade.
- The variance explained by a calibrated metric: the expected grade at a score is learned on the development set (isotonic
  regression). The figure is 1 - (its squared error) / (squared error of the development set's mean grade) on the test
  set. At 0, the metric is as good as knowing nothing; below 0 it is worse.

`calibration` compares expected and observed grades.
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
"""Number of equally large bins in `calibration`."""
BLOCK = 1 << 20
"""Number of resampled examples processed together."""


@dataclass(frozen=True)
class GradePrediction:
    """Predictions of one metric on one setup: test examples, their grades and expected grades, and the draws of each figure."""

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
    """Return `summary`, `languages`, `balance`, `calibration`, and `pseudo` with back-translations."""
    if case is not None and case not in {metric.name for metric in measured}:
        raise unknown("scored metric", case, [metric.name for metric in measured])
    predictions = _predictions(outcomes, measured, cut, seed, samples)
    notes = _notes(outcomes, measured, cut, left_out, seed, samples)
    plain_notes = [note for note in notes if not note.startswith(FIRST)]
    all_tables = [
        _summary(predictions, notes),
        _languages(predictions, plain_notes),
        _balance(outcomes, cut, left_out, seed, samples),
        _calibration(predictions, case or _best(predictions), seed, samples),
    ]
    if pseudo:
        all_tables.append(_pseudo(_predictions(outcomes, pseudo, cut, seed, samples), predictions))
    return all_tables


def _predictions(
    outcomes: TaskOutcomes, measured: Sequence[Measured], cut: Sequence[Setup], seed: int, samples: int
) -> list[GradePrediction]:
    grades, predictions = outcomes.worth, []
    for setup in cut:
        # All metrics share the draws, so differences are paired.
        rng = generator(seed, "grades", setup.task, setup.language)
        resampled = rng.integers(0, len(setup.test), (samples, len(setup.test)))
        for metric in measured:
            if metric.values is None:
                raise InputError(f"{metric.name} has no scores for the examples.")
            quality = (1.0 if metric.card.higher_is_better else -1.0) * metric.values
            scored = np.isfinite(quality)
            dev, in_test = setup.dev[scored[setup.dev]], scored[setup.test]
            if len(dev) < 2 or in_test.sum() < 2:
                continue
            test, positions = setup.test[in_test], np.cumsum(in_test) - 1
            curve = isotonic(quality[dev], grades[dev])
            mean = float(grades[dev].mean())
            rows = [np.arange(len(test)), *(positions[row[in_test[row]]] for row in resampled)]
            figures = _figures(quality[test], grades[test], curve.at(quality[test]), mean, rows)
            dev_figures = _figures(quality[dev], grades[dev], curve.at(quality[dev]), mean, [np.arange(len(dev))])
            predictions.append(
                GradePrediction(
                    setup,
                    metric.name,
                    curve.at(quality[test]),
                    grades[test],
                    float(np.nan_to_num(dev_figures["kendall"][0])),
                    {name: (float(values[0]), values[1:]) for name, values in figures.items()},
                )
            )
    return predictions


def _figures(quality: Floats, grades: Floats, expected: Floats, mean: float, rows: Sequence[Any]) -> dict[str, Floats]:
    """Compute each figure for every selection of examples; an undefined correlation (constant values) counts as 0."""
    kendall, pearson = [], []
    several = max(1, BLOCK // max(1, len(quality)))
    for start in range(0, len(rows), several):
        block = rows[start : start + several]
        groups = pool([grades[row] for row in block])
        values = np.ascontiguousarray(np.concatenate([quality[row] for row in block])[None])
        kendall.append(kendall_by_group(groups, values, "b")[0])
        pearson.append(pearson_by_group(groups, values)[0])
    errors, spread = (grades - expected) ** 2, (grades - mean) ** 2
    residual = np.array([errors[row].sum() for row in rows])
    total = np.array([spread[row].sum() for row in rows])
    return {
        "kendall": np.nan_to_num(np.concatenate(kendall)),
        "pearson": np.nan_to_num(np.concatenate(pearson)),
        "explained": 1 - np.divide(residual, total, out=np.ones(len(rows)), where=total > 0),
    }


def _best(predictions: Sequence[GradePrediction]) -> str:
    """Return the metric with the highest mean tau-b on the development set."""
    names = dict.fromkeys(one.metric for one in predictions)
    return max(names, key=lambda name: float(np.mean([one.dev_kendall for one in predictions if one.metric == name])))


def _by_task(predictions: Sequence[GradePrediction]) -> dict[str, dict[str, list[GradePrediction]]]:
    tasks: dict[str, dict[str, list[GradePrediction]]] = {}
    for one in predictions:
        tasks.setdefault(one.setup.task, {}).setdefault(one.metric, []).append(one)
    return tasks


def _summary(predictions: Sequence[GradePrediction], notes: Sequence[str]) -> Table:
    rows: list[dict[str, Any]] = []
    tasks = _by_task(predictions)
    for task, metrics in tasks.items():
        task_rows: list[dict[str, Any]] = []
        for name, metric_predictions in metrics.items():
            n, every = (
                sum(len(one.grades) for one in metric_predictions),
                sum(len(one.setup.test) for one in metric_predictions),
            )
            task_rows.append(
                {"task": task, "metric": name, "languages": len(metric_predictions), "n": n, "unscored": every - n}
            )
            task_rows[-1] |= {
                **mean_cells([one.figures for one in metric_predictions], FIGURES),
                "first": "",
                "contaminated": "",
            }
        if len(task_rows) > 1:
            values = np.array([row["kendall"] for row in task_rows])
            draws = [
                np.mean([one.figures["kendall"][1] for one in metrics[row["metric"]]], axis=0) for row in task_rows
            ]
            ahead = draws[int(values.argmax())]
            p = np.array([bootstrap_p(ahead - values_drawn) for values_drawn in draws])
            p[values == values.max()] = 1.0
            for row, is_first in zip(task_rows, share_first(values, p), strict=True):
                row["first"] = FIRST if is_first else ""
        rows += task_rows
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
        "How well scores predict grades on the test part: 0 is not at all, 1 perfectly. Explained: the share of the variance "
        "of grades explained by the expected grade at each score, learned on the development part; below 0, predicting the "
        "mean would have been better."
    )
    caption = "Graded outcomes · means over languages"
    return Table("summary", columns, rows, caption, tuple(notes), reading=reading)


def _languages(predictions: Sequence[GradePrediction], notes: Sequence[str]) -> Table:
    rows = [
        {
            "task": one.setup.task,
            "language": one.setup.language,
            "metric": one.metric,
            "n": len(one.grades),
            **mean_cells([one.figures], FIGURES),
        }
        for one in sorted(predictions, key=lambda one: list(_by_task(predictions)).index(one.setup.task))
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
    return Table("languages", columns, rows, "Kendall's τ-b by language", tuple(notes), pivot, "The same by language.")


def _balance(outcomes: TaskOutcomes, cut: Sequence[Setup], notes: Sequence[str], seed: int, samples: int) -> Table:
    grades, rows = outcomes.worth, []
    for setup in cut:
        test_grades = grades[setup.test]
        rng = generator(seed, "balance", setup.task, setup.language)
        resampled = rng.choice(test_grades, (samples, len(test_grades))).mean(axis=1)
        low, high = percentile_interval(resampled)
        rows.append({"task": setup.task, "language": setup.language, "dev": len(setup.dev), "test": len(test_grades)})
        rows[-1] |= {"grade": float(test_grades.mean()), "grade_low": low, "grade_high": high}
        rows[-1] |= {"full": float((test_grades == 1).mean()), "none": float((test_grades == 0).mean())}
    columns = (
        TableColumn("task", hidden=len({setup.task for setup in cut}) < 2),
        TableColumn("language"),
        TableColumn("dev", "dev examples", "count"),
        TableColumn("test", "test examples", "count"),
        *estimate_columns("grade", "mean grade in test", decimals=3, mark=None),
        TableColumn("full", "grade 1, %", "percent", 1),
        TableColumn("none", "grade 0, %", "percent", 1),
    )
    reading = "Mean success of the next step, and how often it succeeded completely or not at all."
    return Table("balance", columns, rows, "Grades by language", tuple(notes), reading=reading)


def _calibration(predictions: Sequence[GradePrediction], metric: str, seed: int, samples: int) -> Table:
    """Return one metric's test examples in equally large bins, by expected grade."""
    rows: list[dict[str, Any]] = []
    for task, metrics in _by_task(predictions).items():
        metric_predictions = metrics.get(metric, [])
        expected = np.concatenate([one.expected for one in metric_predictions] or [np.empty(0)])
        grades = np.concatenate([one.grades for one in metric_predictions] or [np.empty(0)])
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
        "Each row is a tenth of the test examples, by expected grade. If the mean grade is close to the expected one, scores "
        "can be converted to grades. If all rows are alike, the metric is uninformative."
    )
    caption = f"{metric}: expected and observed grade"
    options = {
        "series": "task" if several else "metric",
        "said": "expected",
        "came": "grade",
        "axes_labels": ("expected grade, %", "mean grade, %"),
        "subtitle": "test examples in tenths, by the expected grade at their score",
    }
    figure = Figure("calibration", "reliability", options, family="breakdown")
    return Table("calibration", columns, rows, caption, reading=reading, figures=(figure,))


def _pseudo(pseudo: Sequence[GradePrediction], gold: Sequence[GradePrediction]) -> Table:
    rows: list[dict[str, Any]] = []
    tasks, with_gold = _by_task(pseudo), _by_task(gold)
    for task, metrics in tasks.items():
        for name, metric_predictions in metrics.items():
            cells = mean_cells([one.figures for one in metric_predictions], FIGURES)
            gold_predictions = with_gold.get(task, {}).get(name)
            other = (
                None
                if gold_predictions is None
                else mean_cells([one.figures for one in gold_predictions], FIGURES)["kendall"]
            )
            rows.append({"task": task, "metric": name, "languages": len(metric_predictions), **cells, "gold": other})
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
        "outcomes are graded; --success-at 0.5 converts them to success and breakdown (macro-F1, MCC, error types)"
    )
    return [*notes, *left_out]
