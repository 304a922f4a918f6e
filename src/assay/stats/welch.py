"""Welch's two-sample t-test (unequal variances, two-sided, not paired)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.stats.distributions import student_t_two_sided


class Welch(NamedTuple):
    """The t statistic, its two-sided p-value and the Welch-Satterthwaite degrees of freedom."""

    t: float
    p: float
    df: float


def welch(a: NDArray[np.float64], b: NDArray[np.float64]) -> Welch:
    """Test whether the means of two samples differ; t is positive when the first mean is larger.

    A side whose values are all equal has variance zero, so df is the other side's n - 1. With two constant sides df is
    the pooled n1 + n2 - 2, and t is 0 (p 1) when they are equal, infinite (p 0) when not. Fewer than two values on a side
    give NaN.
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
    return Welch(t, student_t_two_sided(t, df), df)


def _mean_and_squared_error(values: NDArray[np.float64]) -> tuple[float, float]:
    first = float(values[0])
    if np.all(values == first):
        return first, 0.0
    return float(values.mean()), float(values.var(ddof=1)) / len(values)
