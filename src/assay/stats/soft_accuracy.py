"""Soft pairwise accuracy (Thompson et al. 2024): does a metric prefer systems as confidently as people do?

For every pair of systems a paired permutation test gives the p-value that the first is better, once from people's segment
scores and once from the metric's; 1 minus the mean absolute difference of the two is the accuracy (1 - PCE).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import InputError
from assay.stats.groups import group
from assay.stats.permutation import masked_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.stats.groups import Floats

SEED = 4
"""The seed that mt-metrics-eval fixes for the sign flips, so that published values can be repeated."""


def pairwise_p_values(scores: Floats, *, draws: int = 1000, seed: int = SEED, exact: bool = False) -> Floats:
    """The p-value that system i is better than j, for i < j, from segment scores (systems by segments); NaN elsewhere.

    A draw flips the signs of segment differences; p is the share of draws whose sum reaches the observed one. A pair is
    compared on the segments that both systems have (NaN: missing). `exact` sums in single precision, as mt-metrics-eval
    does: draws that equal the observed sum but for rounding are then counted or not by chance.
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
    """p-values of all pairs i < j (metrics by pairs), for metrics that miss the same cells."""
    metrics, systems, segments = stack.shape
    left, right = np.triu_indices(systems, 1)
    missing = np.isnan(stack[0])
    filled = np.nan_to_num(stack)
    if (missing == missing[0]).all():
        sums = 2 * masked_sums(plus, filled.reshape(-1, segments)) - filled.reshape(-1, segments).sum(axis=1)
        sums = sums.reshape(len(plus), metrics, systems)
        drawn = sums[..., left] - sums[..., right]
        observed = filled.sum(axis=2)[:, left] - filled.sum(axis=2)[:, right]
        size = np.abs(filled).sum(axis=2)
        slack = 1e-12 * (size[:, left] + size[:, right])
    else:
        shared = ~(missing[left] | missing[right])
        difference = ((filled[:, left] - filled[:, right]) * shared).reshape(-1, segments)
        observed = difference.sum(axis=1).reshape(metrics, -1)
        drawn = (2 * masked_sums(plus, difference)).reshape(len(plus), metrics, -1) - observed
        slack = 1e-12 * np.abs(difference).sum(axis=1).reshape(metrics, -1)
        p = (drawn >= observed - slack).mean(axis=0)
        return np.asarray(np.where(shared.any(axis=1), p, np.nan))
    return np.asarray((drawn >= observed - slack).mean(axis=0))


def _single_precision(stack: Floats, plus: NDArray[np.bool_]) -> Floats:
    """The same as mt-metrics-eval computes it, rounding included."""
    left, right = np.triu_indices(stack.shape[1], 1)
    signs = np.where(plus, np.float32(1), np.float32(-1))
    out = []
    for scores in stack.astype(np.float32):
        observed, drawn = scores.sum(axis=1), signs @ scores.T
        out.append((drawn[:, left] - drawn[:, right] >= observed[left] - observed[right]).mean(axis=0))
    return np.array(out)


def soft_pairwise_accuracy(
    gold: Floats, metrics: Floats, *, draws: int = 1000, seed: int = SEED, exact: bool = False
) -> Floats:
    """1 - PCE for each metric (gold: systems by segments, NaN where nobody judged; metrics: a matrix or a stack).

    Cells without a gold score are left out on both sides, and so are pairs of systems without a common segment.
    mt-metrics-eval removes the cells from the flattened scores and cuts what is left into equal rows, so that segments no
    longer match unless all systems lack the same ones; `exact` repeats that, and its single precision.
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
