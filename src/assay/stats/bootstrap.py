"""Bootstrap of shares: how sure is a percentage of right answers, or a weighted sum of several of them?

A bootstrap sample of n yes-or-no outcomes is nothing but a binomial draw of how many say yes, and a sample of n paired
outcomes a multinomial draw of (first right, second right, same). Drawing those counts is exact in distribution and needs
no n × samples table of indices.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def share_draws(hits: ArrayLike, n: ArrayLike, generator: np.random.Generator, samples: int) -> Floats:
    """Bootstrap draws of hits / n, one row of `samples` for each share; NaN where n is 0."""
    hits, n = np.asarray(hits, np.int64), np.asarray(n, np.int64)
    some = np.maximum(n, 1)[..., None]
    draws: Floats = generator.binomial(some, hits[..., None] / some, size=(*n.shape, samples)) / some
    draws[n == 0] = np.nan
    return draws


def paired_difference_draws(
    wins: ArrayLike, losses: ArrayLike, n: ArrayLike, generator: np.random.Generator, samples: int
) -> Floats:
    """Bootstrap draws of (wins - losses) / n over n pairs of outcomes, one row of `samples` for each n above 0."""
    wins, losses = np.asarray(wins, np.int64)[..., None], np.asarray(losses, np.int64)[..., None]
    n = np.asarray(n, np.int64)[..., None]
    size = (*n.shape[:-1], samples)
    won = generator.binomial(n, wins / n, size=size)
    remaining = np.maximum(n - wins, 1)
    lost = generator.binomial(n - won, losses / remaining, size=size)
    return np.asarray((won - lost) / n)


def interval(draws: Floats, level: float = 0.95) -> tuple[float, float]:
    """The percentile interval of bootstrap draws."""
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(draws, [tail, 1.0 - tail])
    return float(low), float(high)


def median_interval(
    values: Floats, generator: np.random.Generator, samples: int = 1000, level: float = 0.95
) -> tuple[float, float]:
    """Percentile bootstrap interval of the median.

    The middle of a resample is drawn directly: the k-th smallest of n uniform numbers is Beta(k, n - k + 1), and the
    value standing at that height is the resample's k-th smallest. For an even n the two middles are drawn one after the
    other.
    """
    n = len(values)
    if n == 0:
        return np.nan, np.nan
    ordered = np.sort(values)
    k = (n + 1) // 2
    height = generator.beta(k, n - k + 1, samples)
    draws = ordered[np.minimum((height * n).astype(np.int64), n - 1)]
    if n % 2 == 0:
        next_height = 1.0 - (1.0 - height) * generator.beta(n - k, 1, samples)
        draws = (draws + ordered[np.minimum((next_height * n).astype(np.int64), n - 1)]) / 2.0
    return interval(draws, level)
