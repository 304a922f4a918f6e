"""Breakdown detection: can a metric tell that a translation will break the next step? (Moghe et al. 2023)

For each task and language, a metric becomes a classifier by a threshold chosen on the development set (ten bins, macro-F1,
Sections 3.1 and 4.3). It is evaluated on the test set by macro-F1 and Matthews correlation (Section 3.4).

- `summary` (Table 1): means over languages, with a random baseline and the majority vote of the top three metrics. The top
  three have the highest mean macro-F1 on the *development* set, so the vote does not use the test set.
- `languages` (Tables 7 to 11), `balance` (their Good / Bad line) and `thresholds` (Table 3).
- `pseudo` (Table 4): the same metrics with back-translated pseudo-references.
- `errors`, `matrix`, `cases` (Table 2, Section 4.2, Figure 2): `assay.analyses.breakdown.errors`.

Graded outcomes (from 0 to 1) have their own tables: `assay.analyses.breakdown.graded`.

The random baseline is drawn many times and averaged (the paper drew once). Intervals resample test examples within each
language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.analyses.breakdown import errors as breakdown_errors
from assay.analyses.breakdown import graded
from assay.analyses.breakdown.supporting_tables import balance, pseudo_table, thresholds
from assay.analyses.breakdown.verdicts import (
    COIN,
    VOTE,
    Setup,
    Verdict,
    Verdicts,
    coin_figures,
    figures,
    generator,
    judge,
    majority_verdict,
    mean_cells,
    sample_note,
    setups,
    top_three,
)
from assay.analyses.table_parts import FIRST, METRIC, UNSCORED, estimate_columns, first_place_note
from assay.core.analysis import requires
from assay.core.outcomes import TaskOutcomes
from assay.core.suite import Measured
from assay.core.table import Pivot, Table, TableColumn
from assay.stats.classification import (
    macro_f1,
    matthews,
    resample_paired_counts,
)
from assay.stats.paired import bootstrap_p, share_first

Bools = NDArray[np.bool_]

COUNTS = ("true_positive", "false_positive", "false_negative", "true_negative")


@requires("outcomes")
def tables(
    outcomes: TaskOutcomes,
    measured: Sequence[Measured],
    *,
    pseudo: Sequence[Measured] = (),
    seed: int = 12345,
    samples: int = 1000,
    case: str | None = None,
) -> list[Table]:
    """Return all tables that the outcomes allow. Metrics have one value per example; `case` names the metric of the case study."""
    cut, left_out = setups(outcomes)
    if outcomes.grades is not None:
        return graded.tables(outcomes, measured, cut, left_out, pseudo=pseudo, seed=seed, samples=samples, case=case)
    verdicts = judge(outcomes, measured, cut)
    notes = _notes(outcomes, measured, cut, left_out, verdicts, seed, samples)
    plain_notes = [note for note in notes if not note.startswith(FIRST)]
    languages = _languages(measured, cut, verdicts, seed, samples, plain_notes)
    all_tables = [
        _summary(measured, cut, verdicts, seed, samples, notes),
        languages,
        _languages_f1(languages),
        balance(outcomes, cut, notes[-len(left_out) :] if left_out else ()),
        thresholds(measured, cut, verdicts),
    ]
    if pseudo:
        all_tables.append(pseudo_table(pseudo, cut, judge(outcomes, pseudo, cut), verdicts, seed, samples))
    return all_tables + breakdown_errors.tables(outcomes, measured, cut, verdicts, case)


def _contestants(
    measured: Sequence[Measured], cut: Sequence[Setup], verdicts: Verdicts, task: str
) -> dict[str, list[Verdict]]:
    """Return the verdicts of each metric and of the vote on the setups of a task."""
    task_setups = [setup for setup in cut if setup.task == task]
    contestants = {
        metric.name: [
            verdicts[key] for setup in task_setups if (key := (task, setup.language, metric.name)) in verdicts
        ]
        for metric in measured
    }
    if top := top_three(measured, cut, verdicts).get(task):
        contestants[VOTE] = [
            verdict for setup in task_setups if (verdict := majority_verdict(top, setup, verdicts)) is not None
        ]
    return {name: metric_verdicts for name, metric_verdicts in contestants.items() if metric_verdicts}


def _summary(
    measured: Sequence[Measured],
    cut: Sequence[Setup],
    verdicts: Verdicts,
    seed: int,
    samples: int,
    notes: Sequence[str],
) -> Table:
    rows: list[dict[str, Any]] = []
    tasks = list(dict.fromkeys(setup.task for setup in cut))
    for task in tasks:
        contestants = _contestants(measured, cut, verdicts, task)
        first_verdicts = next(iter(contestants.values()), [])
        sizes = [(v.setup, int(v.good.sum()), int((~v.good).sum())) for v in first_verdicts]
        random_figures = [coin_figures(setup, good, bad, seed) for setup, good, bad in sizes]
        total = sum(good + bad for _, good, bad in sizes)
        rows.append(
            {"task": task, "metric": COIN, "languages": len(first_verdicts), "n": total, **mean_cells(random_figures)}
        )
        for name, metric_verdicts in contestants.items():
            n, unscored = (
                sum(len(v.good) for v in metric_verdicts),
                sum(len(v.setup.test) - len(v.good) for v in metric_verdicts),
            )
            rows.append({"task": task, "metric": name, "languages": len(metric_verdicts), "n": n, "unscored": unscored})
            rows[-1] |= mean_cells([figures(verdict, seed, samples) for verdict in metric_verdicts])
        _mark(
            [row for row in rows if row["task"] == task and row["metric"] not in (COIN, VOTE)],
            contestants,
            seed,
            samples,
        )
    for row in rows:
        row["contaminated"] = ""
        row.setdefault("unscored", 0)
        row.setdefault("first", "")
        row.setdefault("f1_first", "")
    columns = (
        TableColumn("task", hidden=len(tasks) < 2),
        METRIC,
        TableColumn("languages", kind="count"),
        TableColumn("n", kind="count"),
        *estimate_columns("f1", "macro-F1", decimals=3, mark="f1_first"),
        *estimate_columns("mcc", "MCC", decimals=3),
        UNSCORED,
        *(TableColumn(key, hidden=True) for key in ("first", "f1_first", "contaminated")),
    )
    caption = "Breakdown detection · means over languages (Moghe et al. 2023, Table 1)"
    reading = (
        "Each metric calls a translation good or bad by a threshold chosen on the development part. The figures show how well "
        "this predicts, on the test part, whether the next step succeeds. An MCC of 0 is chance, below 0.3 is weak, and 1 is "
        "perfect; macro-F1 gives both classes the same weight."
    )
    return Table("summary", columns, rows, caption, tuple(notes), reading=reading)


def _mark(rows: list[dict[str, Any]], contestants: dict[str, list[Verdict]], seed: int, samples: int) -> None:
    """Mark the metrics that share first place in macro-F1 and in MCC, by paired bootstrap on the examples they have in common."""
    if len(rows) < 2:
        return
    for key, mark, figure in (("mcc", "first", matthews), ("f1", "f1_first", macro_f1)):
        values = np.array([row[key] for row in rows])
        best = contestants[rows[int(values.argmax())]["metric"]]
        p = np.ones(len(rows))
        for i, row in enumerate(rows):
            pairs = _pairs(best, contestants[row["metric"]])
            if values[i] < values.max() and pairs:
                draws = []
                for setup, good, first, second in pairs:
                    rng = generator(seed, "pairs", setup.task, setup.language)
                    one, other = resample_paired_counts(good, first, second, rng, samples)
                    draws.append(figure(one) - figure(other))
                p[i] = bootstrap_p(np.mean(draws, axis=0))
        for row, is_first in zip(rows, share_first(values, p), strict=True):
            row[mark] = FIRST if is_first else ""


def _pairs(first: Sequence[Verdict], second: Sequence[Verdict]) -> list[tuple[Setup, Bools, Bools, Bools]]:
    others = {v.setup.language: v for v in second}
    pairs = []
    for verdict in first:
        other = others.get(verdict.setup.language)
        if other is None:
            continue
        common = np.intersect1d(verdict.scored, other.scored)
        if len(common):
            in_first, in_second = np.searchsorted(verdict.scored, common), np.searchsorted(other.scored, common)
            pairs.append(
                (verdict.setup, verdict.good[in_first], verdict.predicted[in_first], other.predicted[in_second])
            )
    return pairs


def _languages(
    measured: Sequence[Measured],
    cut: Sequence[Setup],
    verdicts: Verdicts,
    seed: int,
    samples: int,
    notes: Sequence[str],
) -> Table:
    rows: list[dict[str, Any]] = []
    for task in dict.fromkeys(setup.task for setup in cut):
        contestants = _contestants(measured, cut, verdicts, task)
        for v in next(iter(contestants.values()), []):
            good = int(v.good.sum())
            random_cells = mean_cells([coin_figures(v.setup, good, len(v.good) - good, seed)])
            rows.append({"task": task, "language": v.setup.language, "metric": COIN, **random_cells, "unscored": 0})
            rows[-1] |= dict.fromkeys(("threshold", "dev_f1", *COUNTS))
        for name, metric_verdicts in contestants.items():
            for v in metric_verdicts:
                cells = mean_cells([figures(v, seed, samples)])
                tp, fp, fn, tn = (int(cell) for cell in v.counts)
                rows.append(
                    {"task": task, "language": v.setup.language, "metric": name, "threshold": v.threshold, **cells}
                )
                rows[-1] |= {"dev_f1": v.dev_f1, "false_positive": fp, "false_negative": fn}
                rows[-1] |= {"true_positive": tp, "true_negative": tn, "unscored": len(v.setup.test) - len(v.good)}
    hidden = [*(f"{key}_{side}" for key in ("f1", "mcc") for side in ("low", "high")), "f1", "dev_f1", "threshold"]
    columns = (
        TableColumn("task"),
        TableColumn("language"),
        TableColumn("metric"),
        TableColumn("mcc", "MCC", "number", 3, interval=("mcc_low", "mcc_high")),
        *(TableColumn(key, kind="number", decimals=3, hidden=True) for key in hidden),
        *(TableColumn(key, kind="count", hidden=True) for key in (*COUNTS, "unscored")),
    )
    caption = "MCC by language (Moghe et al. 2023, Tables 7 to 11)"
    pivot = Pivot("metric", "language", "mcc")
    return Table("languages", columns, rows, caption, tuple(notes), pivot, "The same by language.")


def _languages_f1(languages: Table) -> Table:
    """Return the same rows with macro-F1 (Tables 7, 9 and 10)."""
    columns = [
        replace(
            column,
            hidden=column.key == "mcc",
            interval=("f1_low", "f1_high") if column.key == "f1" else column.interval,
        )
        if column.key in ("f1", "mcc")
        else column
        for column in languages.columns
    ]
    caption = "Macro-F1 by language (Moghe et al. 2023, Tables 7, 9 and 10)"
    return replace(
        languages, name="languages_f1", columns=columns, caption=caption, pivot=Pivot("metric", "language", "f1")
    )


def _notes(
    outcomes: TaskOutcomes,
    measured: Sequence[Measured],
    cut: Sequence[Setup],
    left_out: Sequence[str],
    verdicts: Verdicts,
    seed: int,
    samples: int,
) -> list[str]:
    bad = sum(int((~outcomes.success[setup.test]).sum()) for setup in cut) / sum(len(setup.test) for setup in cut)
    notes = [sample_note(cut, f"{bad:.0%} breakdowns", seed, samples)]
    if len(measured) > 1:
        notes.append(first_place_note("none").replace("items", "examples"))
    for task, top in top_three(measured, cut, verdicts).items():
        notes.append(f"{VOTE}{f' in {task}' if task else ''}: {', '.join(top)} (best on the development part)")
    return notes + list(left_out)
