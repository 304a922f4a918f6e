"""Pairwise accuracy: how often a metric and annotators rank two systems or translations in the same order.

- `calibrate_ties`: pairs of scores within a group, with ties (Deutsch et al. 2023).
- `pooled_accuracy`: pairs of systems, pooled over language pairs (Kocmi et al. 2021).
- `soft_pairwise_accuracy`: pairs of systems, by how confidently each is preferred (Thompson et al. 2024). A paired permutation
  test gives the p-value that the first system is better, once from the annotators' segment scores and once from the metric's;
  the accuracy is 1 minus the mean absolute difference of the two (1 - PCE).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.errors import InputError
from assay.kernels import _native
from assay.stats.correlation import pair_counts
from assay.stats.groups import Grouping, group
from assay.stats.permutation import masked_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.stats.groups import Floats

CalibratedVariant = Literal["acc23", "23"]
SEED = 4
"""The seed that mt-metrics-eval fixes for the sign flips, needed to reproduce published values."""


@dataclass(frozen=True)
class Calibrated:
    """A statistic at its best tie threshold: the value, the threshold, and the value with exact ties only.

    Arrays have one entry per metric, or none for a single metric.
    """

    value: Floats
    epsilon: Floats
    value_at_zero: Floats


@dataclass(frozen=True)
class PooledAccuracy:
    """Share of system pairs that the metric and annotators rank in the same order, with the underlying counts, one entry per
    metric.
    """

    value: Floats
    agreeing: Floats
    pairs: int


def calibrate_ties(
    gold: Floats, metrics: Floats, by: Grouping = "item", *, variant: CalibratedVariant = "acc23"
) -> Calibrated:
    """Return accuracy with ties at the threshold that best fits the annotators (Deutsch et al. 2023, Section 5; WMT23's ``acc_t``).

    Candidates are 0 and every observed absolute difference between two metric scores in a group. All groups share one
    threshold, and ties go to the smallest one. Sums are compared as exact fractions. ``23`` is 2 acc23 - 1 in every group, so
    both variants have the same threshold. The value is NaN if no group has a pair.
    """
    if variant not in ("acc23", "23"):
        raise InputError(f"variant {variant!r} cannot be calibrated. Use acc23 or 23.")
    groups = group(gold, by)
    epsilons, values, at_zero = _native.tie_calibration(groups.gold, groups.rows(metrics), groups.starts)
    if variant == "23":
        values, at_zero = 2 * values - 1, 2 * at_zero - 1
    shape = groups.leading(metrics)
    return Calibrated(values.reshape(shape), epsilons.reshape(shape), at_zero.reshape(shape))


def pooled_accuracy(gold: Sequence[Floats], metrics: Sequence[Floats]) -> PooledAccuracy:
    """Return system pairwise accuracy (Kocmi et al. 2021), pooling the pairs of all language pairs.

    For each language pair, `gold` has one score per system (NaN if not judged) and `metrics` one row of system scores per
    metric (or a single row). Differences agree if their signs do; a zero difference agrees only with a zero.
    """
    agreeing: Floats | None = None
    pairs = 0
    for people, scores in zip(gold, metrics, strict=True):
        groups = group(np.asarray(people))
        rows = groups.rows(np.atleast_2d(scores))
        counts = pair_counts(groups, rows).sum(axis=1)
        agree = (counts[:, 0] + counts[:, 4]).astype(np.float64)
        agreeing = agree if agreeing is None else agreeing + agree
        pairs += int(groups.pairs.sum())
    if agreeing is None or pairs == 0:
        raise InputError("pairwise accuracy needs a language pair with at least two judged systems.")
    shape = np.shape(metrics[0])[:-1]
    return PooledAccuracy((agreeing / pairs).reshape(shape), agreeing.reshape(shape), pairs)


def pair_accuracy(gold: Floats, metrics: Floats) -> Floats:
    """Return each metric's share of correctly ordered pairs among the translations of one source, pooled over sources.

    Pairs that are tied in `gold` do not count. A tie of the metric counts as half.

    Args:
        gold: Human scores, one row per system and one column per source; NaN if not judged.
        metrics: Scores of each metric in the same layout.
    """
    right, pairs = np.zeros(len(metrics)), 0
    for i in range(len(gold)):
        for j in range(i + 1, len(gold)):
            gold_difference = gold[i] - gold[j]
            counted = ~np.isnan(gold_difference) & (gold_difference != 0)
            pairs += int(counted.sum())
            metric_sign = np.sign(metrics[:, i, counted] - metrics[:, j, counted])
            right += ((1 + metric_sign * np.sign(gold_difference[counted])) / 2).sum(axis=1)
    return right / pairs if pairs else np.full(len(metrics), np.nan)


def pairwise_p_values(scores: Floats, *, draws: int = 1000, seed: int = SEED, exact: bool = False) -> Floats:
    """Return a matrix of p-values for the hypothesis that system i is better than system j (i < j; NaN elsewhere), from segment
    scores.

    Scores are systems by segments. Each draw flips the signs of the segment differences at random; p is the share of draws
    whose sum reaches the observed one. Two systems are compared on the segments that both have (NaN: missing). With `exact`,
    sums are computed in single precision, as in mt-metrics-eval; whether a draw that ties with the observed sum is counted then
    depends on rounding.
    """
    scores = np.asarray(scores, dtype=np.float64)
    systems = len(scores)
    out = np.full((systems, systems), np.nan)
    p_values = _single_precision if exact else _p_values
    out[np.triu_indices(systems, 1)] = p_values(scores[None], _flips(draws, scores.shape[1], seed))[0]
    return out


def _flips(draws: int, segments: int, seed: int) -> NDArray[np.bool_]:
    return np.asarray(np.rint(np.random.default_rng(seed).random(size=(draws, segments), dtype=np.float32)) == 1)


def _p_values(stack: Floats, plus: NDArray[np.bool_]) -> Floats:
    """Return p-values for all pairs i < j (metrics by pairs), for metrics with the same missing cells."""
    metrics, systems, segments = stack.shape
    left, right = np.triu_indices(systems, 1)
    missing = np.isnan(stack[0])
    filled = np.nan_to_num(stack)
    if (missing == missing[0]).all():
        sums = 2 * masked_sums(plus, filled.reshape(-1, segments)) - filled.reshape(-1, segments).sum(axis=1)
        sums = sums.reshape(len(plus), metrics, systems)
        flipped = sums[..., left] - sums[..., right]
        observed = filled.sum(axis=2)[:, left] - filled.sum(axis=2)[:, right]
        size = np.abs(filled).sum(axis=2)
        slack = 1e-12 * (size[:, left] + size[:, right])
    else:
        shared = ~(missing[left] | missing[right])
        difference = ((filled[:, left] - filled[:, right]) * shared).reshape(-1, segments)
        observed = difference.sum(axis=1).reshape(metrics, -1)
        flipped = (2 * masked_sums(plus, difference)).reshape(len(plus), metrics, -1) - observed
        slack = 1e-12 * np.abs(difference).sum(axis=1).reshape(metrics, -1)
        p = (flipped >= observed - slack).mean(axis=0)
        return np.asarray(np.where(shared.any(axis=1), p, np.nan))
    return np.asarray((flipped >= observed - slack).mean(axis=0))


def _single_precision(stack: Floats, plus: NDArray[np.bool_]) -> Floats:
    """Compute the same as mt-metrics-eval, including its rounding."""
    left, right = np.triu_indices(stack.shape[1], 1)
    signs = np.where(plus, np.float32(1), np.float32(-1))
    out = []
    for scores in stack.astype(np.float32):
        observed, flipped = scores.sum(axis=1), signs @ scores.T
        out.append((flipped[:, left] - flipped[:, right] >= observed[left] - observed[right]).mean(axis=0))
    return np.array(out)


def soft_pairwise_accuracy(
    gold: Floats, metrics: Floats, *, draws: int = 1000, seed: int = SEED, exact: bool = False
) -> Floats:
    """Return 1 - PCE for each metric.

    Gold scores are systems by segments, NaN if not judged; `metrics` is a matrix or a stack of them. Cells without a gold score
    are left out on both sides, and so are pairs of systems without a common segment. mt-metrics-eval removes these cells from
    the flattened scores and cuts the rest into equal rows, so segments no longer match unless the same ones are missing for all
    systems. `exact` reproduces that, including the single precision.
    """
    groups = group(gold, "system")
    systems, segments = groups.shape
    if systems < 2:
        raise InputError("soft pairwise accuracy needs at least two systems.")
    rows = groups.rows(metrics)
    if exact:
        if len(groups.gold) % systems:
            raise InputError(
                f"{len(groups.gold):,} judged cells cannot be cut into {systems} equal rows as mt-metrics-eval does: "
                "use exact=False."
            )
        people = groups.gold.reshape(systems, -1)
        stack = rows.reshape(-1, systems, people.shape[1])
    else:
        flat = np.full((len(rows) + 1, systems * segments), np.nan)
        flat[0, groups.cells], flat[1:, groups.cells] = groups.gold, rows
        both = flat.reshape(-1, systems, segments)
        both = both[:, :, ~np.isnan(both[0]).all(axis=0)]
        people, stack = both[0], both[1:]
    p_values = _single_precision if exact else _p_values
    p = p_values(np.concatenate([people[None], stack]), _flips(draws, people.shape[1], seed))
    return np.asarray(1 - np.nanmean(np.abs(p[0] - p[1:]), axis=1)).reshape(groups.leading(metrics))
