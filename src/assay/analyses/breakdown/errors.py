"""Error types and breakdowns: which errors break which task, and which of them a metric misjudges (Moghe et al. 2023)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.analyses.table_parts import estimate_columns
from assay.core.errors import count, unknown
from assay.core.outcomes import NO_TYPE, TASK_MODEL, TaskOutcomes
from assay.core.suite import Measured
from assay.core.table import Figure, Pivot, Table, TableColumn
from assay.stats.classification import BINS
from assay.stats.proportions import wilson

if TYPE_CHECKING:
    from assay.analyses.breakdown.verdicts import Setup, Verdicts

NO_ERROR = "no error"


def tables(
    outcomes: TaskOutcomes,
    measured: Sequence[Measured],
    cut: Sequence[Setup],
    verdicts: Verdicts,
    case: str | None = None,
) -> list[Table]:
    """Return `cases` (Figure 2), and `errors` (Table 2) and `matrix` (Section 4.2) if error types are known."""
    all_tables = [cases(outcomes, measured, cut, verdicts, case)]
    if any(kind != NO_TYPE for kind in outcomes.error_types):
        if table := errors(outcomes, verdicts, case or best(measured, verdicts)):
            all_tables.append(table)
        if table := matrix(outcomes):
            all_tables.append(table)
    return all_tables


def best(measured: Sequence[Measured], verdicts: Verdicts) -> str:
    """Return the metric with the highest mean macro-F1 on the development set."""
    means = {m.name: [v.dev_f1 for v in verdicts.values() if v.metric == m.name] for m in measured}
    return max((name for name in means if means[name]), key=lambda name: float(np.mean(means[name])))


def cases(
    outcomes: TaskOutcomes,
    measured: Sequence[Measured],
    cut: Sequence[Setup],
    verdicts: Verdicts,
    case: str | None = None,
) -> Table:
    """Return good translations and breakdowns in the test set, by ten equal ranges of one metric's scores (Figure 2)."""
    if case is not None and case not in {metric.name for metric in measured}:
        raise unknown("scored metric", case, [metric.name for metric in measured])
    name = case or best(measured, verdicts)
    metric = next(metric for metric in measured if metric.name == name)
    assert metric.values is not None
    rows: list[dict[str, Any]] = []
    for setup in cut:
        verdict = verdicts.get((setup.task, setup.language, name))
        if verdict is None:
            continue
        values, good = metric.values[verdict.scored], verdict.good
        edges = np.histogram_bin_edges(values, BINS)
        parts = [np.histogram(values[chosen], edges)[0] for chosen in (good, ~good)]
        for i in range(BINS):
            rows.append({"task": setup.task, "language": setup.language, "metric": name, "from": float(edges[i])})
            rows[-1] |= {"to": float(edges[i + 1]), "good": int(parts[0][i]), "bad": int(parts[1][i])}
            rows[-1] |= {"threshold": verdict.threshold, "higher_is_better": metric.card.higher_is_better}
    several = len({setup.task for setup in cut}) > 1
    decimals = max(metric.card.decimals, 1)
    columns = (
        TableColumn("task", hidden=not several),
        TableColumn("language"),
        TableColumn("metric", hidden=True),
        *(TableColumn(key, kind="number", decimals=decimals) for key in ("from", "to")),
        TableColumn("good", "succeeds", "count"),
        TableColumn("bad", "breaks down", "count"),
        TableColumn("threshold", kind="number", decimals=decimals),
        TableColumn("higher_is_better", hidden=True),
    )
    caption = f"{name}: scores and outcomes in ten ranges (Moghe et al. 2023, Figure 2)"
    reading = "A perfect metric has successes on one side of the threshold and breakdowns on the other."
    figures = (Figure("cases", "cases", family="breakdown"),)
    return Table("cases", columns, rows, caption, reading=reading, figures=figures)


def errors(outcomes: TaskOutcomes, verdicts: Verdicts, metric: str) -> Table | None:
    """Return the error types in breakdowns that a metric accepted and in good translations that it rejected (Table 2).

    As in the paper, one metric is examined. Examples that failed because of the task model are counted separately and are not
    part of any share; examples without a type are left out. Return None if no misjudged example has a type.
    """
    wrong = _wrong(outcomes, verdicts, metric)
    several = len({task for task, _ in wrong}) > 1
    kinds = dict.fromkeys(name for types in wrong.values() for name in types if name != TASK_MODEL)
    rows: list[dict[str, Any]] = []
    faults, named = 0, sum(types.total() for types in wrong.values())
    for (task, kind), types in wrong.items():
        fault = types.pop(TASK_MODEL, 0)
        faults, total = faults + fault, types.total()
        for name in kinds:
            n = types[name]
            low, high = wilson(n, total) if total else (None, None)
            rows.append({"task": task, "metric": metric, "kind": kind, "error_type": name, "n": n, "of": total})
            rows[-1] |= {
                "share": n / total if total else None,
                "share_low": low,
                "share_high": high,
                "task_model": fault,
            }
            rows[-1]["column"] = f"{task + ' ' if several else ''}{kind} (n={total:,})"
    if not rows:
        return None
    highest: dict[str, float] = {}
    for row in rows:
        highest[row["error_type"]] = max(highest.get(row["error_type"], 0.0), row["share"] or 0.0)
    rows.sort(key=lambda row: (-highest[row["error_type"]], row["error_type"]))
    columns = (
        TableColumn("error_type", "error type"),
        TableColumn("column", ""),
        *estimate_columns("share", "share, %", "percent", 1, mark=None),
        *(TableColumn(key, hidden=True) for key in ("task", "metric", "kind")),
        *(TableColumn(key, kind="count", hidden=True) for key in ("n", "of", "task_model")),
    )
    notes = [
        "false positive: a breakdown that the metric accepted · false negative: a good translation that it rejected",
        f"95% intervals (Wilson) · for {metric} (--case METRIC selects another metric)",
    ]
    if outcomes.reviewed is not None:
        n = int(outcomes.reviewed.sum())
        notes.append(f"{count(n, 'type')} named in a review of misjudged translations, not counted in the matrix")
    if faults:
        notes.insert(
            1, f"{faults:,} of {named:,} ({faults / named:.0%}) failed because of the task model and are left out"
        )
    caption = f"{metric}: error types of misjudged translations, % (Moghe et al. 2023, Table 2)"
    reading = "Errors that the metric misses (false positives) and errors that it overrates (false negatives)."
    return Table("errors", columns, rows, caption, tuple(notes), Pivot("error_type", "column", "share"), reading)


def _wrong(outcomes: TaskOutcomes, verdicts: Verdicts, metric: str) -> dict[tuple[str, str], Counter[str]]:
    """Return the error types of examples that one metric misjudged, by task and kind of mistake, false positives first."""
    error_types: dict[tuple[str, str], Counter[str]] = {}
    for verdict in verdicts.values():
        if verdict.metric != metric:
            continue
        for i, good, predicted in zip(verdict.scored.tolist(), verdict.good, verdict.predicted, strict=True):
            if good == predicted or outcomes.error_types[i] == NO_TYPE:
                continue
            kind = "false positive" if predicted else "false negative"
            error_types.setdefault((verdict.setup.task, kind), Counter())[outcomes.error_types[i]] += 1
    return dict(sorted(error_types.items(), key=lambda cell: (cell[0][0], cell[0][1] == "false negative")))


def matrix(outcomes: TaskOutcomes) -> Table | None:
    """Return how often each type of error breaks each task (Section 4.2), with Wilson's interval.

    Controlled errors are used if there are any, otherwise the types assigned by annotators; all splits are combined. A
    controlled error is inserted into the human text in the task's language. It does not depend on the source language, so it
    counts once. Types named in a review are excluded, because only misjudged translations are reviewed: among these, the share
    of breakdowns is the share of false positives, whatever the error.
    """
    reviewed = np.zeros(len(outcomes), bool) if outcomes.reviewed is None else outcomes.reviewed
    chosen = outcomes.controlled if outcomes.controlled.any() else ~reviewed
    cells: dict[tuple[str, str], list[int]] = {}
    seen: set[tuple[str, str]] = set()
    for i in np.flatnonzero(chosen).tolist():
        kind = outcomes.error_types[i]
        key = outcomes.tasks[i], outcomes.ids[i]
        if kind in (NO_TYPE, TASK_MODEL) or (outcomes.controlled[i] and key in seen):
            continue
        seen.add(key)
        cell = cells.setdefault((kind, outcomes.tasks[i]), [0, 0])
        cell[0] += not outcomes.success[i]
        cell[1] += 1
    if not cells:
        return None
    totals: dict[str, list[float]] = {}
    for (kind, _), (bad, n) in cells.items():
        totals.setdefault(kind, []).append(bad / n)
    order = sorted(totals, key=lambda kind: (-float(np.mean(totals[kind])), kind))
    tasks = list(dict.fromkeys(task for _, task in cells))
    rows: list[dict[str, Any]] = []
    for kind in order:
        for task in tasks:
            bad, n = cells.get((kind, task), (0, 0))
            low, high = wilson(bad, n) if n else (None, None)
            rows.append({"error_type": kind, "task": task or "task", "n": n, "breakdowns": bad})
            rows[-1] |= {"rate": bad / n if n else None, "rate_low": low, "rate_high": high}
    columns = (
        TableColumn("error_type", "error type"),
        TableColumn("task"),
        *estimate_columns("rate", "breakdowns, %", "percent", 1, mark=None),
        TableColumn("n", kind="count", hidden=True),
        TableColumn("breakdowns", kind="count", hidden=True),
    )
    kind_of_errors = "controlled errors" if outcomes.controlled.any() else "errors marked by annotators"
    note = f"{count(sum(n for _, n in cells.values()), 'example')} with {kind_of_errors} · 95% intervals (Wilson)"
    caption = "How often a type of error breaks a task, %"
    reading = (
        "The share of translations with this error on which the task fails. Errors with a low rate hardly matter to the "
        "task."
    )
    pivot, figure = Pivot("error_type", "task", "rate"), Figure("matrix", "rates", family="breakdown")
    return Table("matrix", columns, rows, caption, (note,), pivot, reading, (figure,))
