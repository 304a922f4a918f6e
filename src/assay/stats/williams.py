"""Williams' test of two dependent correlations that share a variable (Williams 1959; Graham and Baldwin 2014)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import InputError
from assay.stats.groups import group
from assay.stats.tails import t_tail

if TYPE_CHECKING:
    from assay.stats.groups import Floats


@dataclass(frozen=True)
class Williams:
    """The t statistic with its degrees of freedom; positive where the first correlation is the higher one."""

    t: float
    df: int

    @property
    def p_greater(self) -> float:
        """For "the first correlation is higher"."""
        return t_tail(self.t, self.df)

    @property
    def p_less(self) -> float:
        """For "the second correlation is higher"."""
        return t_tail(-self.t, self.df)

    @property
    def p_one_sided(self) -> float:
        """For "the one that looks higher is", as mt-metrics-eval reports it."""
        return t_tail(abs(self.t), self.df)

    @property
    def p_two_sided(self) -> float:
        """For "they differ"."""
        return 2 * t_tail(abs(self.t), self.df)


def williams(r1: float, r2: float, r12: float, n: int) -> Williams:
    """Test r1 = cor(gold, first) against r2 = cor(gold, second), given r12 = cor(first, second), over n pairs of scores.

    t is NaN where it is not defined: fewer than four scores, or a determinant that leaves no variance.
    """
    if n < 4:
        return Williams(math.nan, n - 3)
    determinant = 1 - r1**2 - r2**2 - r12**2 + 2 * r1 * r12 * r2
    spread = 2 * (n - 1) / (n - 3) * determinant + ((r1 + r2) / 2) ** 2 * (1 - r12) ** 3
    if r1 == r2:
        return Williams(0.0, n - 3)
    if not spread > 0:
        return Williams(math.nan, n - 3)
    return Williams((r1 - r2) * math.sqrt((n - 1) * (1 + r12)) / math.sqrt(spread), n - 3)


def williams_test(
    gold: Floats, first: Floats, second: Floats, correlation: Callable[[Floats, Floats], float], *, exact: bool = False
) -> tuple[Williams, float, float]:
    """Williams' test of two metrics' correlations with gold scores; also gives the two correlations.

    All three correlations are over the judged cells. mt-metrics-eval takes the two metrics' own correlation, and n, over
    all cells, judged or not; `exact` repeats that.
    """
    groups = group(gold)
    if np.shape(first) != np.shape(second):
        raise InputError("both metrics must have scores of the same shape.")
    (a,), (b,) = groups.rows(first), groups.rows(second)
    r1, r2 = correlation(groups.gold, a), correlation(groups.gold, b)
    if exact:
        a, b = np.ravel(first), np.ravel(second)
    return williams(r1, r2, correlation(a, b), len(a)), r1, r2
