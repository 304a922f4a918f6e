"""Which errors break which task, and where a metric is wrong about it (Moghe et al. 2023, Section 4.2, Table 2 and Figure 2)."""

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
    """`cases`, and `errors` and `matrix` where error types are known."""
    found = [cases(outcomes, measured, cut, verdicts, case)]
    if any(kind != NO_TYPE for kind in outcomes.error_types):
        if table := errors(outcomes, verdicts, case or best(measured, verdicts)):
            found.append(table)
        if table := matrix(outcomes):
            found.append(table)
    return found


def best(measured: Sequence[Measured], verdicts: Verdicts) -> str:
    """The metric with the highest mean macro-F1 on the development part."""
    means = {m.name: [v.dev_f1 for v in verdicts.values() if v.metric == m.name] for m in measured}
    return max((name for name in means if means[name]), key=lambda name: float(np.mean(means[name])))


def cases(
    outcomes: TaskOutcomes,
    measured: Sequence[Measured],
    cut: Sequence[Setup],
    verdicts: Verdicts,
    case: str | None = None,
) -> Table:
    """Figure 2: good translations and breakdowns of the test part in ten equal ranges of one metric's scores."""
    if case is not None and case not in {metric.name for metric in measured}:
        raise unknown("metric among those scored", case, [metric.name for metric in measured])
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
        TableColumn("good", "survives", "count"),
        TableColumn("bad", "breaks down", "count"),
        TableColumn("threshold", kind="number", decimals=decimals),
        TableColumn("higher_is_better", hidden=True),
    )
    caption = f"{name}: scores and outcomes in ten ranges (Moghe et al. 2023, Figure 2)"
    reading = "A metric that knew would have successes on one side of the threshold and breakdowns on the other."
    figures = (Figure("cases", "cases", family="breakdown"),)
    return Table("cases", columns, rows, caption, reading=reading, figures=figures)


def errors(outcomes: TaskOutcomes, verdicts: Verdicts, metric: str) -> Table | None:
    """Table 2: the error types of breakdowns a metric let through, and of good translations it held back.

    As in the paper one metric is looked at. Examples that failed by the task model's fault are counted apart and enter no
    share; those without a type are left out. None where no wrongly judged example has a type.
    """
    found = _wrong(outcomes, verdicts, metric)
    several = len({task for task, _ in found}) > 1
    kinds = dict.fromkeys(name for types in found.values() for name in types if name != TASK_MODEL)
    rows: list[dict[str, Any]] = []
    faults, named = 0, sum(types.total() for types in found.values())
    for (task, kind), types in found.items():
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
        "false positive: a breakdown that the metric let through · false negative: a good translation that it held back",
        f"95% intervals (Wilson) · {metric} was looked at (--case METRIC looks at another)",
    ]
    if outcomes.reviewed is not None:
        n = int(outcomes.reviewed.sum())
        notes.append(f"{count(n, 'type')} named in a review of wrongly judged translations, not counted in the matrix")
    if faults:
        notes.insert(
            1, f"the task model was at fault in {faults:,} of {named:,} ({faults / named:.0%}), which are left out"
        )
    caption = f"{metric}: error types of wrongly judged translations, % (Moghe et al. 2023, Table 2)"
    reading = "What the metric overlooks (false positives) and what it makes too much of (false negatives)."
    return Table("errors", columns, rows, caption, tuple(notes), Pivot("error_type", "column", "share"), reading)


def _wrong(outcomes: TaskOutcomes, verdicts: Verdicts, metric: str) -> dict[tuple[str, str], Counter[str]]:
    """Error types of what one metric judged wrongly, by task and by kind of mistake, false positives first."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for verdict in verdicts.values():
        if verdict.metric != metric:
            continue
        for i, good, predicted in zip(verdict.scored.tolist(), verdict.good, verdict.predicted, strict=True):
            if good == predicted or outcomes.error_types[i] == NO_TYPE:
                continue
            kind = "false positive" if predicted else "false negative"
            found.setdefault((verdict.setup.task, kind), Counter())[outcomes.error_types[i]] += 1
    return dict(sorted(found.items(), key=lambda cell: (cell[0][0], cell[0][1] == "false negative")))


def matrix(outcomes: TaskOutcomes) -> Table | None:
    """Section 4.2 made quantitative: how often each type of error breaks each task, with Wilson's interval.

    Controlled errors where there are any, otherwise the types that people gave; all splits together. A controlled error is
    made in the human text of the task's language and is the same whatever language is translated from, so it counts once.
    Types that were named in a review are left out: only wrongly judged translations are reviewed, and among these the share of
    breakdowns is a share of false positives, whatever the error.
    """
    reviewed = np.zeros(len(outcomes), bool) if outcomes.reviewed is None else outcomes.reviewed
    chosen = outcomes.controlled if outcomes.controlled.any() else ~reviewed
    cells: dict[tuple[str, str], list[int]] = {}
    seen: set[tuple[str, str]] = set()
    for i in np.flatnonzero(chosen).tolist():
        kind = outcomes.error_types[i]
        place = outcomes.tasks[i], outcomes.ids[i]
        if kind in (NO_TYPE, TASK_MODEL) or (outcomes.controlled[i] and place in seen):
            continue
        seen.add(place)
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
    made = "errors made on purpose" if outcomes.controlled.any() else "errors marked by people"
    note = f"{count(sum(n for _, n in cells.values()), 'example')} with {made} · 95% intervals (Wilson)"
    caption = "How often a type of error breaks a task, %"
    reading = (
        "The share of translations with this error on which the task fails. Errors with a low rate do not matter to the "
        "task, however ugly they are."
    )
    pivot, figure = Pivot("error_type", "task", "rate"), Figure("matrix", "rates", family="breakdown")
    return Table("matrix", columns, rows, caption, (note,), pivot, reading, (figure,))
