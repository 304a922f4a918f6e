"""Correlation of metric scores with human scores: Pearson, Spearman and the Kendall family, with the same results as
mt-metrics-eval.

Every function takes gold scores and metric scores of the same shape. Gold scores are a matrix of systems by segments (NaN
if not judged) or one score per system; metric scores may be a stack with one matrix per metric. Groups with fewer than two
judged cells are left out. If gold or metric is constant in a group, its correlation is undefined: the group is left out of
the mean, or counts as 0 with `nan_as_zero`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.errors import InputError
from assay.kernels import _native
from assay.stats.groups import Agreement, Grouping, Groups, average, group

if TYPE_CHECKING:
    from assay.stats.groups import Floats, Integers

KendallVariant = Literal["b", "c", "23", "acc23"]


def pearson(
    gold: Floats,
    metrics: Floats,
    by: Grouping = "none",
    *,
    nan_as_zero: bool = False,
    micro: bool = False,
) -> Agreement:
    """Return Pearson's r, averaged over groups; `micro` weights groups by their number of scores."""
    groups = group(gold, by)
    values = pearson_by_group(groups, groups.rows(metrics))
    return average(groups, values, groups.leading(metrics), nan_as_zero, micro)


def spearman(
    gold: Floats,
    metrics: Floats,
    by: Grouping = "none",
    *,
    nan_as_zero: bool = False,
    micro: bool = False,
) -> Agreement:
    """Return Spearman's rho: Pearson's r of the ranks, where tied scores share their mean rank."""
    groups = group(gold, by)
    values = spearman_by_group(groups, groups.rows(metrics))
    return average(groups, values, groups.leading(metrics), nan_as_zero, micro)


def kendall(
    gold: Floats,
    metrics: Floats,
    by: Grouping = "none",
    *,
    variant: KendallVariant = "b",
    epsilon: float = 0.0,
    nan_as_zero: bool = False,
    micro: bool = False,
) -> Agreement:
    """Return Kendall's tau-b or tau-c, or the variants ``23`` and ``acc23`` of Deutsch et al. (2023), which reward correct ties.

    A metric difference of at most `epsilon` counts as a tie.
    """
    groups = group(gold, by)
    rows = groups.rows(metrics)
    values = kendall_by_group(groups, rows, variant, epsilon)
    return average(groups, values, groups.leading(metrics), nan_as_zero, micro)


def kendall_like(gold: Floats, metrics: Floats, by: Grouping = "item", *, threshold: float = 25.0) -> Agreement:
    """Return WMT20's "Kendall-like" statistic: pairs whose gold scores differ by `threshold` or more, metric ties as discordant.

    Groups are weighted by their number of pairs, which is also the `weight`. If there are no pairs, the value is 0.
    """
    groups = group(gold, by)
    rows = groups.rows(metrics)
    counts = _native.kendall_like(groups.gold, rows, groups.starts, threshold)
    concordant, discordant = counts.reshape(len(rows), -1, 2).sum(axis=1).T
    pairs = (concordant + discordant).astype(np.float64)
    value = np.divide(concordant - discordant, pairs, out=np.zeros(len(pairs)), where=pairs > 0)
    shape = groups.leading(metrics)
    return Agreement(value.reshape(shape), pairs.reshape(shape))


def pearson_by_group(groups: Groups, rows: Floats) -> Floats:
    """Return Pearson's r for every row and group; NaN if gold or metric is constant."""
    x, y = _centred(groups, rows), _centred(groups, groups.gold)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = groups.sums(x * y) / (np.sqrt(groups.sums(x * x)) * np.sqrt(groups.sums(y * y)))
    r[groups.constant(rows) | groups.constant(groups.gold)] = np.nan
    return np.asarray(np.clip(r, -1, 1))


def spearman_by_group(groups: Groups, rows: Floats) -> Floats:
    """Return Spearman's rho for every row and group."""
    ranked = Groups(ranks(groups, groups.gold[None])[0], groups.starts, groups.cells, groups.shape)
    return pearson_by_group(ranked, ranks(groups, rows))


def kendall_by_group(groups: Groups, rows: Floats, variant: KendallVariant, epsilon: float | Floats = 0.0) -> Floats:
    """Return a Kendall variant for every row and group.

    The value is NaN for groups without a pair, and with variants b and c also for groups without an untied pair.
    """
    if np.min(epsilon) < 0:
        raise InputError("epsilon must not be negative.")
    if variant == "c" and np.max(epsilon) > 0:
        raise InputError("tau-c is not defined for an epsilon above 0.")
    counts = pair_counts(groups, rows, epsilon)
    concordant, discordant, metric_only, gold_only, both = np.moveaxis(counts, -1, 0)
    pairs = groups.pairs
    with np.errstate(divide="ignore", invalid="ignore"):
        if variant == "acc23":
            return np.asarray((concordant + both) / pairs)
        if variant == "23":
            return np.asarray((concordant + both - discordant - metric_only - gold_only) / pairs)
        untied_metric, untied_gold = pairs - metric_only - both, pairs - gold_only - both
        if variant == "b":
            value = (concordant - discordant) / np.sqrt(untied_metric) / np.sqrt(untied_gold)
        elif variant == "c":
            classes = np.minimum(_distinct(groups, rows), _distinct(groups, groups.gold[None]))
            value = 2 * (concordant - discordant) / (groups.sizes**2 * (classes - 1) / classes)
        else:
            raise InputError(f"Kendall variant {variant!r} is unknown. Use b, c, 23 or acc23.")
    return np.asarray(np.where((untied_metric == 0) | (untied_gold == 0), np.nan, value))


def pair_counts(groups: Groups, rows: Floats, epsilon: float | Floats = 0.0) -> Integers:
    """Return the numbers of pairs that are [concordant, discordant, tied in metric only, in gold only, in both] for every row
    and group.
    """
    epsilons = np.ascontiguousarray(np.broadcast_to(np.asarray(epsilon, dtype=np.float64), len(rows)))
    return _native.pair_counts(groups.gold, rows, groups.starts, epsilons).reshape(len(rows), -1, 5)


def ranks(groups: Groups, rows: Floats) -> Floats:
    """Return ranks within groups, from 1; tied scores share their mean rank."""
    which = groups.spread(np.arange(len(groups.sizes)))
    first = groups.spread(groups.starts[:-1])
    out = np.empty(rows.shape)
    for row, to in zip(rows, out, strict=True):
        order = np.lexsort((row, which))
        ordered, owner = row[order], which[order]
        fresh = np.ones(len(row), bool)
        fresh[1:] = (ordered[1:] != ordered[:-1]) | (owner[1:] != owner[:-1])
        runs = np.append(np.flatnonzero(fresh), len(row))
        mean = np.repeat((runs[:-1] + runs[1:] - 1) / 2, np.diff(runs))
        to[order] = mean - first + 1
    return out


def _centred(groups: Groups, values: Floats) -> Floats:
    return np.asarray(values - groups.spread(groups.sums(values) / groups.sizes))


def _distinct(groups: Groups, rows: Floats) -> Integers:
    return np.array([[len(np.unique(part)) for part in groups.parts(row)] for row in rows])
