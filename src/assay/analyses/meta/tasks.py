"""Evaluation of meta-evaluation tasks: agreement of metrics with human judgements (Freitag et al. 2023, Section 6).

For each task, judged systems are collected into arrays, its statistic is computed for all metrics at once, and the metrics are
sorted. `assay.analyses.meta.tables` turns the results into tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from assay.analyses.meta.custom_tasks import match_names
from assay.analyses.meta.recipes import MetaTask, TaskSet
from assay.core.errors import InputError, count, listing
from assay.core.judged_systems import JudgedSystems, Level, LevelScores
from assay.stats.correlation import kendall, pearson, spearman
from assay.stats.pairwise import calibrate_ties, pair_accuracy, pooled_accuracy, soft_pairwise_accuracy

if TYPE_CHECKING:
    from assay.stats.groups import Floats


@dataclass(frozen=True)
class TaskData:
    """Arrays for a task: gold scores and a stack of metric scores for each of its language pairs.

    Gold is systems by segments, or one score per system; `metrics` has one such array per metric.
    """

    names: list[str]
    gold: list[Floats]
    metrics: list[Floats]


@dataclass(frozen=True)
class TaskResult:
    """Task result: a value for each metric, in decreasing order (ties by name)."""

    task: MetaTask
    names: list[str]
    values: Floats
    clusters: list[int] | None = None
    null: Floats | None = field(default=None, repr=False)
    """For each draw and each pair i < j (in the order of `names`): value i - value j with swapped scores."""
    constant: tuple[str, ...] = ()
    """Metrics with one score for all translations; their correlation is undefined and counts as 0."""


def run_tasks(
    tasks: TaskSet,
    sets: Mapping[str, JudgedSystems],
    *,
    significance: bool = False,
    draws: int = 1000,
    seed: int = 12345,
) -> list[TaskResult]:
    """Evaluate every task of the set; with `significance` also compute clusters from `draws` random swaps."""
    results = []
    for task in tasks.tasks:
        data = gather(task, sets)
        values = value_of(task, data)
        order = sorted(range(len(data.names)), key=lambda i: (-values[i], data.names[i]))
        names = [data.names[i] for i in order]
        constant = tuple(name for i, name in enumerate(data.names) if all(_constant(m[i]) for m in data.metrics))
        if significance:
            from assay.analyses.meta.significance import compare

            rng = np.random.default_rng([seed, task.number])
            clusters, null = compare(task, data, order, rng=rng, draws=draws)
            results.append(TaskResult(task, names, values[order], clusters, null, constant))
        else:
            results.append(TaskResult(task, names, values[order], constant=constant))
    return results


def _constant(scores: Floats) -> bool:
    scored = scores[~np.isnan(scores)]
    return bool(len(scored) and (scored == scored[0]).all())


def value_of(task: MetaTask, data: TaskData) -> Floats:
    """Return the value of the task's statistic for every metric."""
    if task.statistic == "pairwise_accuracy":
        return pooled_accuracy(data.gold, data.metrics).value
    gold, metrics = data.gold[0], data.metrics[0]
    if gold.ndim == 1:
        metrics = metrics[..., None]
    if task.statistic == "acc_t":
        return calibrate_ties(gold, metrics, task.grouping).value
    if task.statistic == "soft_pairwise_accuracy":
        return soft_pairwise_accuracy(gold, metrics)
    if task.statistic == "pair_accuracy":
        return pair_accuracy(gold, metrics)
    statistic = {"pearson": pearson, "spearman": spearman, "kendall": kendall}[task.statistic]
    return statistic(gold, metrics, task.grouping).value


def gather(task: MetaTask, sets: Mapping[str, JudgedSystems]) -> TaskData:
    """Return a task's judged systems and every metric that has scores for it in all its language pairs."""
    missing = [pair for pair in task.langpairs if pair not in sets]
    if missing:
        raise InputError(f"task {task.number} needs {listing(missing)}, which the data does not contain.")
    level = _level(task)
    judged_sets = [sets[pair] for pair in task.langpairs]
    names = [name for name in judged_sets[0].metrics if all(_has(judged, name, level) for judged in judged_sets)]
    if not names:
        raise InputError(f"task {task.number}: no metric has {level} scores for {task.langpair}.")
    gold, metrics = [], []
    for judged in judged_sets:
        rows, human = _gold(task, judged, level)
        gold.append(human)
        stack = [_column(task, judged, _scores(judged.metrics[name], level))[rows] for name in names]
        for name, scores in zip(names, stack, strict=True):
            _check_scored(task, judged, [judged.systems[row] for row in rows], name, scores, human)
            if level == "sys" and judged.metrics[name].averaged:
                _check_averaged(task, judged, rows, name)
        metrics.append(np.stack(stack))
    return TaskData(names, gold, metrics)


def judged_systems(task: MetaTask, judged: JudgedSystems) -> list[str]:
    """Return the systems that are included in a task."""
    return [judged.systems[row] for row in _gold(task, judged, _level(task))[0]]


def _level(task: MetaTask) -> Level:
    """Return the level of the scores that a task reads: soft pairwise accuracy compares systems by their segments."""
    if task.statistic == "soft_pairwise_accuracy":
        return "seg"
    return "domain" if task.level == "sys" and task.domain else task.level


def _has(judged: JudgedSystems, name: str, level: Level) -> bool:
    return name in judged.metrics and judged.metrics[name].at(level) is not None


def _scores(scores: LevelScores, level: Level) -> Floats:
    values = scores.at(level)
    assert values is not None
    return values


def _column(task: MetaTask, judged: JudgedSystems, scores: Floats) -> Floats:
    """Return the scores of the task's domain: one column of domain scores, or the segments of the domain."""
    if task.domain is None:
        return scores
    if task.domain not in judged.domain_names:
        raise InputError(f"task {task.number}: {judged.langpair} has no domain {task.domain!r}.")
    if _level(task) == "domain":
        return np.asarray(scores[:, judged.domain_names.index(task.domain)])
    return np.asarray(scores[:, [domain == task.domain for domain in judged.domains]])


def _gold(task: MetaTask, judged: JudgedSystems, level: Level) -> tuple[list[int], Floats]:
    """Return the rows of the included systems, and their human scores.

    Soft pairwise accuracy counts a tied draw only for the second system of a pair, so it sorts systems alphabetically.
    """
    name = task.gold or judged.standard_gold.get(level)
    if name is None or name not in judged.gold or judged.gold[name].at(level) is None:
        available = listing(f"{gold} ({level})" for gold, scores in judged.gold.items() if scores.at(level) is not None)
        raise InputError(
            f"task {task.number}: {judged.langpair} has no {level} gold scores {name or ''}. Available: {available or 'none'}."
        )
    human = _column(task, judged, _scores(judged.gold[name], level))
    excluded = {judged.standard_reference}
    excluded |= set() if task.human else set(judged.references)
    # A pattern that matches an outlier includes it again; one that only excludes (!NAME) does not.
    named = [pattern for pattern in task.systems if not pattern.startswith("!")]
    returned = set(match_names(named, judged.outliers)) if named else set()
    excluded |= set() if task.outliers else set(judged.outliers) - returned
    scored = np.asarray((~np.isnan(human.reshape(len(judged.systems), -1))).any(axis=1))
    included = set(match_names(task.systems, judged.systems))
    rows = [row for row, system in enumerate(judged.systems) if system in included - excluded and scored[row]]
    if len(rows) < 2:
        raise InputError(
            f"task {task.number}: {judged.langpair} has {len(rows)} judged system{'' if len(rows) == 1 else 's'}; "
            "agreement with human judgements needs at least two."
        )
    if task.statistic == "soft_pairwise_accuracy":
        rows.sort(key=lambda row: judged.systems[row])
    return rows, np.asarray(human[rows])


def _check_scored(
    task: MetaTask, judged: JudgedSystems, systems: Sequence[str], name: str, scores: Floats, human: Floats
) -> None:
    missing = np.argwhere(~np.isfinite(scores) & ~np.isnan(human))
    if len(missing):
        system = systems[int(missing[0][0])]
        segment = f", segment {int(missing[0][1]) + 1}" if scores.ndim == 2 else ""
        raise InputError(
            f"task {task.number}: metric {name!r} has no finite score for system {system!r} of {judged.langpair}{segment}, "
            f"which annotators judged ({len(missing):,} such cells). Score it or leave the metric out."
        )


def _check_averaged(task: MetaTask, judged: JudgedSystems, rows: Sequence[int], name: str) -> None:
    """Reject system scores that are means over too few segments, or over different segments for each system."""
    gold = judged.gold[task.gold or judged.standard_gold["sys"]].at("seg")
    scored = np.isfinite(_scores(judged.metrics[name], "seg")[rows])
    judged_cells = np.ones_like(scored) if gold is None else ~np.isnan(gold[rows])
    systems = [judged.systems[row] for row in rows]
    lead = f"task {task.number}: metric {name!r} has no system scores of {judged.langpair}, and"
    short = np.flatnonzero((judged_cells & ~scored).any(axis=1))
    if len(short):
        has, needs = (scored & judged_cells)[short[0]].sum(), judged_cells[short[0]].sum()
        raise InputError(
            f"{lead} only {has:,} of {needs:,} judged segments of {systems[short[0]]!r} ({count(len(short), 'system')} of "
            f"{len(rows):,} have too few). Score all judged segments, or add a .sys.score file."
        )
    other = np.flatnonzero((scored != scored[0]).any(axis=1))
    if len(other):
        raise InputError(
            f"{lead} scores for {scored[0].sum():,} segments of {systems[0]!r} but for {scored[other[0]].sum():,} of "
            f"{systems[other[0]]!r}, which differ. Score the same segments of every system, or add a .sys.score file."
        )
