"""Meta-evaluation tables: agreement of metrics with human judgements (Freitag et al. 2023, Section 6).

- `tasks`: one row per task and metric, with its value and its rank in the task.
- `overall`: the weighted mean over tasks, correlations mapped to (r + 1) / 2; WMT22 used the mean of ranks instead.

With significance, every table also has the cluster: no metric of a cluster beats another at the 0.05 level, by PERM-BOTH
(Deutsch et al. 2021) or, for accuracy with calibrated ties, by swapping correctness of pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.analyses.meta.recipes import MetaTask, TaskSet
from assay.analyses.meta.tasks import TaskResult
from assay.analyses.table_parts import INVERTED_BELOW, inverted_note
from assay.core.errors import count, listing
from assay.core.table import Pivot, Table, TableColumn


def overall(tasks: TaskSet, results: Sequence[TaskResult]) -> dict[str, float]:
    """Return the mean over tasks for every metric that is in all of them, best first."""
    names = [name for name in results[0].names if all(name in result.names for result in results)]
    means: dict[str, float] = {}
    for name in names:
        total = 0.0
        for result in results:
            at = result.names.index(name)
            if tasks.overall == "rank":
                value = float(result.clusters[at] if result.clusters else at + 1)
            else:
                value = (result.values[at] + 1) / 2 if result.task.correlation else result.values[at]
            total += result.task.weight * float(value)
        means[name] = total
    sign = 1 if tasks.overall == "rank" else -1
    return dict(sorted(means.items(), key=lambda pair: (sign * pair[1], pair[0])))


def tables(
    tasks: TaskSet, results: Sequence[TaskResult], kinds: Mapping[str, str] | None = None, draws: int = 0
) -> list[Table]:
    """Return the tables `overall` and `tasks`; `kinds` states whether a metric is primary, baseline, contrastive or new."""
    kinds = kinds or {}
    means = overall(tasks, results)
    significant = all(result.clusters is not None for result in results)
    clusters = _overall_clusters(tasks, results, list(means)) if significant else None
    by_rank = tasks.overall == "rank"
    rows: list[dict[str, Any]] = []
    for rank, (name, mean) in enumerate(means.items(), 1):
        row: dict[str, Any] = {"metric": name, "average": mean, "rank": rank, "kind": kinds.get(name, "")}
        if clusters is not None:
            row["cluster"] = clusters[name]
        rows.append({**row, "mark": "← new" if kinds.get(name) == "new" else ""})
    notes = [f"{count(len(results), 'task')}, {count(len(means), 'metric')}"]
    for name in sorted({name for result in results for name in result.constant if result.task.correlation}):
        numbers = [str(r.task.number) for r in results if name in r.constant and r.task.correlation]
        notes.append(f"⚠ {name} is constant: its correlation counts as 0 in task {listing(numbers)}")
    notes += [note for name in means if kinds.get(name) == "new" for note in _inverted(name, results)]
    left_out = sorted({name for result in results for name in result.names} - set(means))
    if left_out:
        notes.append(f"no average because not in every task: {listing(left_out)}")
    if significant:
        notes.append(f"clusters: p ≤ 0.05, {draws:,} random swaps (PERM-BOTH)")
    cluster = [TableColumn("cluster", "cluster", "count")] if clusters is not None else []
    summary = Table(
        "overall",
        [
            TableColumn("rank", "rank", "count"),
            *cluster,
            TableColumn("metric", "metric", mark="mark"),
            TableColumn("average", "mean rank" if by_rank else "average", "number", 3, lower_is_better=by_rank),
            TableColumn("kind", "kind"),
        ],
        rows,
        caption="agreement with human judgements, weighted over the tasks",
        notes=notes,
    )
    return [summary, _task_table(results, list(means))]


def _inverted(name: str, results: Sequence[TaskResult]) -> list[str]:
    """Warn about a metric whose correlations are all negative and whose accuracies over pairs are all below 0.25."""
    values = [
        (result.task, float(result.values[result.names.index(name)]))
        for result in results
        if name in result.names and result.task.statistic != "acc_t"
    ]
    if not values or any(value >= (INVERTED_BELOW if task.correlation else 0.25) for task, value in values):
        return []
    highest = {task.statistic: max(v for t, v in values if t.statistic == task.statistic) for task, _ in values}
    return [inverted_note(name, ", ".join(f"{statistic} {value:.2f} or lower" for statistic, value in highest.items()))]


def _overall_clusters(tasks: TaskSet, results: Sequence[TaskResult], order: list[str]) -> dict[str, int] | None:
    if tasks.overall == "rank" or any(result.null is None for result in results):
        return None
    from assay.analyses.meta.significance import overall_clusters

    return overall_clusters(results, order)


def _task_table(results: Sequence[TaskResult], order: list[str]) -> Table:
    """Return one row per task and metric, displayed with one metric per row and one task per column."""
    order_of = {name: i for i, name in enumerate(order)}
    rows: list[dict[str, Any]] = []
    for result in results:
        task = result.task
        for rank, (name, value) in enumerate(zip(result.names, result.values.tolist(), strict=True), 1):
            row = {
                "task": task.number,
                "langpair": task.langpair,
                "level": task.level,
                "statistic": task.label,
                "metric": name,
                "value": value,
                "rank": rank,
                **task.settings,
            }
            if result.clusters is not None:
                row["cluster"] = result.clusters[rank - 1]
                row["mark"] = "*" if result.clusters[rank - 1] == 1 else ""
            rows.append(row)
    rows.sort(key=lambda row: (order_of.get(row["metric"], len(order_of)), row["metric"], row["task"]))
    marked = any("mark" in row for row in rows)
    hidden = ("langpair", "level", "statistic", "rank", "domain", "gold", "human", "weight", "cluster")
    return Table(
        "tasks",
        [
            TableColumn("metric", "metric"),
            TableColumn("task", "task", "count"),
            TableColumn("value", "value", "number", 3, mark="mark" if marked else None),
            *(TableColumn(key, key, hidden=True) for key in hidden),
        ],
        rows,
        caption="agreement with human judgements by task",
        notes=[f"{r.task.number}: {_describe(r.task)}" for r in results[:12]]
        + (["* in the first cluster"] if marked else []),
        pivot=Pivot("metric", "task", "value"),
    )


def _describe(task: MetaTask) -> str:
    more = [
        f", {task.domain}" if task.domain else "",
        f", gold {task.gold}" if task.gold else "",
        f", systems {' '.join(task.systems)}" if task.systems else "",
    ]
    return f"{task.langpair} {task.level} {task.label}{''.join(more)}"
