"""Significance of metric rankings: clusters by random swaps, per task and overall (Freitag et al. 2023, Section 6.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.analyses.meta.recipes import MetaTask
from assay.core.screens import PairwiseTests
from assay.stats.correlation import kendall_by_group, pearson_by_group, spearman_by_group
from assay.stats.groups import Groups, group, pool
from assay.stats.multiple import ranks_from_p_values
from assay.stats.pair_permutation import pair_permutation_matrix
from assay.stats.pairwise import pair_accuracy, soft_pairwise_accuracy
from assay.stats.permutation import (
    SLACK,
    PermutationMatrix,
    Statistic,
    over_groups,
    permutation_matrix,
    pooled_pairwise_accuracy,
)

if TYPE_CHECKING:
    from assay.analyses.meta.tasks import TaskData, TaskResult
    from assay.stats.groups import Floats, Integers

ALPHA = 0.05


def compare(
    task: MetaTask, data: TaskData, order: Sequence[int], *, rng: np.random.Generator, draws: int
) -> tuple[list[int], Floats | None]:
    """Return the cluster of each metric in the given order (best first), and the pairwise differences in every draw."""
    tested = matrix(task, data, order, rng=rng, draws=draws)
    return ranks_from_p_values(tested.p, ALPHA), tested.null


def matrix(
    task: MetaTask, data: TaskData, order: Sequence[int], *, rng: np.random.Generator, draws: int
) -> PermutationMatrix:
    """Test all pairs of metrics on the task's statistic: PERM-BOTH, or swapped pair correctness for calibrated ties."""
    stacks = [metrics[list(order)] for metrics in data.metrics]
    if task.statistic == "pairwise_accuracy":
        scores = np.concatenate(stacks, axis=1)[..., None]
        return permutation_matrix(pool(data.gold), scores, pooled_pairwise_accuracy, rng=rng, draws=draws, keep=True)
    gold, stack = data.gold[0], stacks[0]
    stack = stack[..., None] if gold.ndim == 1 else stack
    if task.statistic == "acc_t":
        return pair_permutation_matrix(group(gold, task.grouping), stack, rng=rng, draws=draws, keep=True)
    grouping = "system" if task.statistic == "soft_pairwise_accuracy" else task.grouping
    groups = group(gold, grouping)
    return permutation_matrix(groups, stack, _statistic(task, gold), rng=rng, draws=draws, keep=True)


def _statistic(task: MetaTask, gold: Floats) -> Statistic | None:
    """Return the statistic; None selects plain Pearson over all cells, which has a faster implementation."""
    if task.statistic == "pearson":
        return None if task.grouping == "none" else over_groups(pearson_by_group)
    if task.statistic == "spearman":
        return over_groups(spearman_by_group)
    if task.statistic == "kendall":
        return over_groups(lambda groups, rows: kendall_by_group(groups, rows, "b"))

    whole = pair_accuracy if task.statistic == "pair_accuracy" else soft_pairwise_accuracy

    def over_matrix(groups: Groups, rows: Floats) -> Floats:
        stack = np.full((len(rows), gold.size), np.nan)
        stack[:, groups.cells] = rows
        return whole(gold, stack.reshape(-1, *gold.shape))

    return over_matrix


def overall_clusters(results: Sequence[TaskResult], order: Sequence[str]) -> dict[str, int]:
    """Return clusters for the weighted mean over tasks, from the weighted draws and the observed differences."""
    left, right = np.triu_indices(len(order), 1)
    observed, null = _overall(results, order)
    p = np.full((len(order), len(order)), np.nan)
    p[left, right] = (null >= observed - SLACK).mean(axis=0)
    return dict(zip(order, ranks_from_p_values(p, ALPHA), strict=True))


def _overall(results: Sequence[TaskResult], order: Sequence[str]) -> tuple[Floats, Floats]:
    """Return the differences in the weighted mean between all pairs of metrics, observed and for every draw."""
    left, right = np.triu_indices(len(order), 1)
    null = np.zeros((min(_draws(result) for result in results), len(left)))
    observed = np.zeros(len(left))
    for result in results:
        assert result.null is not None
        scale = result.task.weight * (0.5 if result.task.correlation else 1.0)
        at = np.array([result.names.index(name) for name in order])
        columns, signs = _pairs(at[left], at[right], len(result.names))
        null += scale * signs * result.null[: len(null), columns]
        observed += scale * (result.values[at[left]] - result.values[at[right]])
    return observed, null


def comparisons(results: Sequence[TaskResult], order: Sequence[str] = ()) -> tuple[PairwiseTests, ...]:
    """Return the pairwise tests of metrics by task, preceded by those for the mean over all tasks if it has an `order`.

    The interval of a difference is the observed value minus the central 95% of the swapped values. Swapping shows how much a
    difference varies by chance, and a true difference is assumed to vary by the same amount.
    """
    tests = []
    if order and all(result.null is not None for result in results):
        tests.append(_comparison(0, order, *_overall(results, order)))
    for result in results:
        if result.null is not None:
            left, right = np.triu_indices(len(result.names), 1)
            tests.append(
                _comparison(result.task.number, result.names, result.values[left] - result.values[right], result.null)
            )
    return tuple(tests)


def _comparison(task: int, names: Sequence[str], observed: Floats, null: Floats) -> PairwiseTests:
    if not observed.size:
        return PairwiseTests(task, tuple(names), (), (), (), ())
    spread = np.quantile(null, (0.975, 0.025), axis=0)
    columns = (observed, *(observed - spread), (null >= observed - SLACK).mean(axis=0))
    return PairwiseTests(task, tuple(names), *(tuple(column.round(6).tolist()) for column in columns))


def _draws(result: TaskResult) -> int:
    return 0 if result.null is None else len(result.null)


def _pairs(first: Integers, second: Integers, n: int) -> tuple[Integers, Floats]:
    """Return the columns for the pairs in a table of all i < j, and -1 for pairs stored in reverse order."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    return low * n - low * (low + 1) // 2 + high - low - 1, np.where(first < second, 1.0, -1.0)
