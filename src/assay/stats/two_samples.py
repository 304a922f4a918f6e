"""Two-sample tests: Welch's t-test (two-sided, unpaired), and Wilcoxon's tests as in the WMT findings.

Signed-rank (paired, WMT24) compares two systems segment by segment. Rank-sum (Mann and Whitney, direct assessment until
WMT23) compares two samples of judgements that need not share segments. Both use the normal approximation with tie
correction.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.stats.distributions import normal_sf, t_two_sided

Floats = NDArray[np.float64]


class Welch(NamedTuple):
    """The t statistic, its two-sided p-value and the Welch-Satterthwaite degrees of freedom."""

    t: float
    p: float
    df: float


def welch(a: NDArray[np.float64], b: NDArray[np.float64]) -> Welch:
    """Test whether the means of two samples differ; t is positive if the first mean is larger.

    If all values on one side are the same, its variance is zero and df is the other side's n - 1. If both sides are constant,
    df is the pooled n1 + n2 - 2; t is 0 (p 1) if they are equal and infinite (p 0) if not. Fewer than two values on a side give
    NaN.
    """
    if len(a) < 2 or len(b) < 2:
        return Welch(math.nan, math.nan, math.nan)
    (mean_a, error_a), (mean_b, error_b) = _mean_and_squared_error(a), _mean_and_squared_error(b)
    difference, total = mean_a - mean_b, error_a + error_b
    if total == 0.0:
        t = math.copysign(math.inf, difference) if difference else 0.0
        return Welch(t, 0.0 if difference else 1.0, float(len(a) + len(b) - 2))
    t = difference / math.sqrt(total) if difference else 0.0
    df = total**2 / (error_a**2 / (len(a) - 1) + error_b**2 / (len(b) - 1))
    return Welch(t, t_two_sided(t, df), df)


def _mean_and_squared_error(values: NDArray[np.float64]) -> tuple[float, float]:
    first = float(values[0])
    if np.all(values == first):
        return first, 0.0
    return float(values.mean()), float(values.var(ddof=1)) / len(values)


def ranks(values: Floats) -> Floats:
    """Return ranks from 1; tied values share their mean rank."""
    _, which, sizes = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(sizes)
    return np.asarray((ends - (sizes - 1) / 2)[which])


def signed_rank(differences: Floats) -> float:
    """Return the one-sided p that differences are above 0 (Wilcoxon). Zero differences are left out; p is 0.5 if all are zero."""
    nonzero = differences[differences != 0]
    n = len(nonzero)
    if n == 0:
        return 0.5
    order = ranks(np.abs(nonzero))
    above = float(order[nonzero > 0].sum())
    variance = float((order**2).sum()) / 4
    return normal_sf((above - n * (n + 1) / 4) / math.sqrt(variance))


def rank_sum(first: Floats, second: Floats) -> float:
    """Return the one-sided p that values of `first` are above those of `second`; 0.5 if all are equal or one sample is empty."""
    n, m = len(first), len(second)
    if not n or not m:
        return 0.5
    together = np.concatenate([first, second])
    order = ranks(together)
    above = float(order[:n].sum()) - n * (n + 1) / 2
    _, sizes = np.unique(together, return_counts=True)
    ties = float((sizes.astype(np.float64) ** 3 - sizes).sum())
    variance = n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)))
    return normal_sf((above - n * m / 2) / math.sqrt(variance)) if variance > 0 else 0.5
