"""Tail probabilities of the few distributions that tests need: Student's t, the normal, and Kendall's statistic."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from assay.stats.distributions import incomplete_beta


def t_tail(t: float, df: float) -> float:
    """P(T > t) for Student's t with `df` degrees of freedom; NaN where df is not above 0."""
    if math.isnan(t) or not df > 0:
        return math.nan
    if math.isinf(t):
        return 0.0 if t > 0 else 1.0
    half = 0.5 * incomplete_beta(df / 2, 0.5, df / (df + t * t), t * t / (df + t * t))
    return half if t >= 0 else 1 - half


def correlation_p(r: float, n: int) -> float:
    """Two-sided p-value of a correlation of `n` independent pairs under no correlation; 1 where n is 2."""
    if n == 2:
        return 1.0
    # x = df / (df + t²) with t² = df r² / (1 - r²)
    return incomplete_beta((n - 2) / 2, 0.5, max(0.0, (1 - r) * (1 + r)), r * r)


@cache
def _inversions(n: int) -> tuple[int, ...]:
    """How many orders of `n` things have 0, 1, 2, … inversions."""
    counts = [1]
    for size in range(2, n + 1):
        sums = np.cumsum(np.array([0, *counts], dtype=object)).tolist()
        longer = len(counts) + size - 1
        counts = [sums[min(k, len(counts) - 1) + 1] - sums[max(0, k - size + 1)] for k in range(longer)]
    return tuple(counts)


def kendall_exact_p(n: int, discordant: int) -> float:
    """Two-sided p-value of Kendall's tau of `n` untied pairs of scores, `discordant` of whose pairs disagree."""
    total = n * (n - 1) // 2
    fewer = min(discordant, total - discordant)
    if 4 * fewer == n * (n - 1):
        return 1.0
    if fewer <= 1 and n > 33:
        return 2.0 * (1 if fewer == 0 else n) / math.factorial(n) if n < 171 else 0.0
    return min(1.0, 2 * sum(_inversions(n)[: fewer + 1]) / math.factorial(n))
