"""Tail probabilities of the few distributions that tests need: Student's t, the normal, and Kendall's statistic."""

from __future__ import annotations

import math
from functools import cache

import numpy as np


def normal_tail(z: float) -> float:
    """P(Z > z) for a standard normal Z."""
    return 0.5 * math.erfc(z / math.sqrt(2))


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


def incomplete_beta(a: float, b: float, x: float, rest: float | None = None) -> float:
    """The regularised incomplete beta function I_x(a, b), by Lentz's continued fraction.

    `rest` is 1 - x, for callers who know it with more digits than the subtraction leaves.
    """
    rest = 1 - x if rest is None else rest
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(a * math.log(x) + b * math.log(rest) - (math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)))
    if x > (a + 1) / (a + b + 2):
        return 1 - front * _beta_fraction(b, a, rest) / b
    return front * _beta_fraction(a, b, x) / a


def _beta_fraction(a: float, b: float, x: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or tiny)
    value = d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + numerator * d or tiny)
            c = 1 + numerator / c or tiny
            value *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return value


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
