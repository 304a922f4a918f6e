"""Proportions: Wilson intervals, intervals of weighted sums, and a one-sided z-test for two shares."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def wilson(k: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval for `k` successes in `n` trials; it stays within 0..1 and has width even at 0 and `n`."""
    low, high = wilson_bounds(k, n, confidence)
    return float(low), float(high)


def stratified_z_test(k1: ArrayLike, n1: ArrayLike, k2: ArrayLike, n2: ArrayLike) -> tuple[float, float]:
    """Return z and p for the one-sided test of two means of proportions over equally weighted strata (a macro-average).

    A small p means that the first mean is below the second. The variance of the difference is the sum over strata of the
    variance of independent differences, each with the pooled variance of its stratum. One stratum is the two-proportion
    test. If no share varies (all are 0 or all are 1), z is 0 and p is 0.5.
    """
    k1, n1, k2, n2 = (np.asarray(values, float) for values in (k1, n1, k2, n2))
    if len(n1) == 0 or not (n1 > 0).all() or not (n2 > 0).all():
        return math.nan, math.nan
    pooled = (k1 + k2) / (n1 + n2)
    variance = float((pooled * (1 - pooled) * (1 / n1 + 1 / n2)).sum())
    difference = float((k1 / n1 - k2 / n2).sum())
    z = difference / math.sqrt(variance) if variance > 0 else 0.0
    return z, 0.5 * math.erfc(-z / math.sqrt(2))


def wilson_bounds(k: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Return the lower and upper bounds of `wilson` for many shares at once; NaN if there are no trials."""
    k, n = np.asarray(k, np.float64), np.asarray(n, np.float64)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        share, scale = k / n, 1 + z * z / n
        middle = (share + z * z / (2 * n)) / scale
        half = z / scale * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        low, high = (
            np.where(k > 0, np.maximum(middle - half, 0), 0.0),
            np.where(k < n, np.minimum(middle + half, 1), 1.0),
        )
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def weighted_interval(weights: ArrayLike, shares: ArrayLike, low: ArrayLike, high: ArrayLike) -> tuple[float, float]:
    """Return the interval of a weighted sum of independent shares, given the interval of each share.

    The squared distances from the shares to their bounds are added, on the side that the sign of each weight selects
    (Newcombe 1998 for a difference, Zou and Donner 2008 in general). With Wilson's bounds it has width even if every share
    is 0 or 1, where a bootstrap has none, and a mean stays within 0..1.
    """
    weights, shares, low, high = (np.asarray(values, np.float64) for values in (weights, shares, low, high))
    down, up = weights * (shares - low), weights * (high - shares)
    plus = weights > 0
    value = float(weights @ shares)
    below, above = np.where(plus, down, up), np.where(plus, up, down)
    return value - float(np.sqrt((below**2).sum())), value + float(np.sqrt((above**2).sum()))
