"""Soft pairwise accuracy (Thompson et al. 2024): does a metric prefer systems as confidently as people do?

For every pair of systems a paired permutation test gives the p-value that the first is better, once from people's segment
scores and once from the metric's; 1 minus the mean absolute difference of the two is the accuracy (1 - PCE).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import InputError
from assay.stats.groups import group, leading

if TYPE_CHECKING:
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
    systems, segments = scores.shape
    signs = np.rint(np.random.default_rng(seed).random(size=(draws, segments), dtype=np.float32)) * 2 - 1
    out = np.full((systems, systems), np.nan)
    if exact:
        single = scores.astype(np.float32)
        observed, flipped = single.sum(axis=1), signs @ single.T
        for i in range(systems):
            for j in range(i + 1, systems):
                out[i, j] = np.mean(flipped[:, i] - flipped[:, j] >= observed[i] - observed[j])
        return out
    signs = signs.astype(np.float64)
    missing = np.isnan(scores)
    aligned = bool((missing == missing[0]).all())
    sums = signs @ np.nan_to_num(scores).T if aligned else None
    for i in range(systems):
        for j in range(i + 1, systems):
            both = ~(missing[i] | missing[j])
            difference = scores[i, both] - scores[j, both]
            draw = sums[:, i] - sums[:, j] if sums is not None else signs[:, both] @ difference
            slack = 1e-12 * float(np.abs(scores[i, both]).sum() + np.abs(scores[j, both]).sum())
            out[i, j] = np.mean(draw >= difference.sum() - slack)
    return out


def soft_pairwise_accuracy(
    gold: Floats, metrics: Floats, *, draws: int = 1000, seed: int = SEED, exact: bool = False
) -> Floats:
    """1 - PCE for each metric (gold: systems by segments, NaN where nobody judged; metrics: a matrix or a stack).

    Cells without a gold score are left out on both sides. mt-metrics-eval removes them from the flattened scores and cuts
    what is left into equal rows, so that segments no longer match unless all systems lack the same ones; `exact` repeats
    that, and its single precision.
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
        people = np.asarray(gold, dtype=np.float64).reshape(systems, segments)
        stack = np.full((len(rows), systems * segments), np.nan)
        stack[:, groups.cells] = rows
        stack = stack.reshape(-1, systems, segments)
    upper = np.triu_indices(systems, 1)
    wanted = pairwise_p_values(people, draws=draws, seed=seed, exact=exact)[upper]
    values = [
        1 - np.mean(np.abs(wanted - pairwise_p_values(scores, draws=draws, seed=seed, exact=exact)[upper]))
        for scores in stack
    ]
    return np.array(values).reshape(leading(metrics))
