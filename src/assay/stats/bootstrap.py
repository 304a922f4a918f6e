"""Bootstrap of paired outcomes and of medians.

A bootstrap sample of n paired outcomes is nothing but a multinomial draw of (first right, second right, same). Drawing those
counts is exact in distribution and needs no n × samples table of indices.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

FEWEST_FOR_MEDIAN = 6


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
    """The percentile interval of bootstrap draws; NaN where they never differ, which is no certainty."""
    if draws.min() == draws.max():
        return np.nan, np.nan
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(draws, [tail, 1.0 - tail])
    return float(low), float(high)


def median_interval(
    values: Floats, generator: np.random.Generator, samples: int = 1000, level: float = 0.95
) -> tuple[float, float]:
    """Percentile bootstrap interval of the median; NaN for fewer than six values.

    The whole range of n values holds the median of what they were drawn from with the chance 1 - 2^(1 - n), and that reaches
    95% with six.

    The middle of a resample is drawn directly: the k-th smallest of n uniform numbers is Beta(k, n - k + 1), and the
    value standing at that height is the resample's k-th smallest. For an even n the two middles are drawn one after the
    other.
    """
    n = len(values)
    if n < FEWEST_FOR_MEDIAN:
        return np.nan, np.nan
    ordered = np.sort(values)
    k = (n + 1) // 2
    height = generator.beta(k, n - k + 1, samples)
    draws = ordered[np.minimum((height * n).astype(np.int64), n - 1)]
    if n % 2 == 0:
        next_height = 1.0 - (1.0 - height) * generator.beta(n - k, 1, samples)
        draws = (draws + ordered[np.minimum((next_height * n).astype(np.int64), n - 1)]) / 2.0
    return interval(draws, level)
