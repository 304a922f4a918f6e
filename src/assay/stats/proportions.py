"""Proportions: intervals and the one-tailed z-test that says whether one share is smaller than another."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from assay.core.memory import refuse_beyond_memory


def wilson(k: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for `k` successes in `n` trials; it stays inside 0..1 and has width even at 0 and `n`."""
    if n == 0:
        return math.nan, math.nan
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share, scale = k / n, 1 + z * z / n
    middle = (share + z * z / (2 * n)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half) if k else 0.0, min(1.0, middle + half) if k < n else 1.0


def stratified_z_test(k1: ArrayLike, n1: ArrayLike, k2: ArrayLike, n2: ArrayLike) -> tuple[float, float]:
    """z and p of the one-tailed test of two means of proportions over strata that weigh alike (a macro-average).

    A small p says that the first mean is below the second. The difference of the means has the variance of the sum of
    independent differences, each with the pooled variance of its stratum; one stratum is the two-proportion test. When
    no share varies (all are 0 or all are 1) there is nothing to tell them apart: z = 0, p = 0.5.
    """
    k1, n1, k2, n2 = (np.asarray(values, float) for values in (k1, n1, k2, n2))
    if len(n1) == 0 or not (n1 > 0).all() or not (n2 > 0).all():
        return math.nan, math.nan
    pooled = (k1 + k2) / (n1 + n2)
    variance = float((pooled * (1 - pooled) * (1 / n1 + 1 / n2)).sum())
    difference = float((k1 / n1 - k2 / n2).sum())
    z = difference / math.sqrt(variance) if variance > 0 else 0.0
    return z, 0.5 * math.erfc(-z / math.sqrt(2))


def macro_interval(
    k: ArrayLike, n: ArrayLike, rng: np.random.Generator, samples: int = 1000, confidence: float = 0.95
) -> tuple[float, float]:
    """Percentile bootstrap of a mean of proportions: the trials of every stratum are drawn anew, strata are kept."""
    k, n = np.asarray(k, np.int64), np.asarray(n, np.int64)
    if len(n) == 0 or not (n > 0).all():
        return math.nan, math.nan
    refuse_beyond_memory("--samples", samples, 2 * 8 * len(n))
    drawn = rng.binomial(n, k / n, size=(samples, len(n))) / n
    low, high = np.quantile(drawn.mean(axis=1), [0.5 - confidence / 2, 0.5 + confidence / 2])
    return float(low), float(high)
