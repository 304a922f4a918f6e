"""Williams' test for two metrics, and bootstrap intervals of correlations over systems, segments or both.

Williams (1959; Graham and Baldwin 2014) tests two dependent correlations that share a variable. The bootstrap follows Deutsch
et al. (2021, Section 4).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.errors import InputError
from assay.stats.distributions import t_tail
from assay.stats.groups import group

if TYPE_CHECKING:
    from assay.stats.groups import Floats


@dataclass(frozen=True)
class Williams:
    """The t statistic and its degrees of freedom; t is positive if the first correlation is higher."""

    t: float
    df: int

    @property
    def p_two_sided(self) -> float:
        """The two-sided p-value for the hypothesis that the correlations differ."""
        return 2 * t_tail(abs(self.t), self.df)


def williams(r1: float, r2: float, r12: float, n: int) -> Williams:
    """Test r1 = cor(gold, first) against r2 = cor(gold, second), given r12 = cor(first, second), over n pairs of scores.

    t is NaN if it is undefined: with fewer than four scores, or if the determinant leaves no variance.
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
    """Run Williams' test on the scores of two metrics. Also return the correlation of each metric with gold.

    All three correlations are computed over the judged cells. mt-metrics-eval computes n and the correlation of the two metrics
    over all cells, judged or not; `exact` reproduces that.
    """
    groups = group(gold)
    if np.shape(first) != np.shape(second):
        raise InputError("both metrics must have scores of the same shape.")
    (a,), (b,) = groups.rows(first), groups.rows(second)
    r1, r2 = correlation(groups.gold, a), correlation(groups.gold, b)
    if exact:
        a, b = np.ravel(first), np.ravel(second)
    return williams(r1, r2, correlation(a, b), len(a)), r1, r2


Resample = Literal["systems", "inputs", "both"]
MatrixStatistic = Callable[["Floats", "Floats"], "Floats"]
"""Function from gold scores and a stack of metric scores to one value per metric: ``lambda g, m: pearson(g, m).value``."""


@dataclass(frozen=True)
class Bootstrap:
    """Percentile intervals of each metric's statistic, and the draws (draws by metrics; NaN if undefined in a draw)."""

    lower: Floats
    upper: Floats
    samples: Floats


def bootstrap(
    gold: Floats,
    metrics: Floats,
    statistic: MatrixStatistic,
    *,
    rng: np.random.Generator | np.random.RandomState,
    resample: Resample = "both",
    draws: int = 1000,
    confidence: float = 0.95,
) -> Bootstrap:
    """Compute intervals for a stack of metrics (metrics by systems by segments), all on the same draws."""
    if not 0 < confidence < 1:
        raise InputError("confidence must be between 0 and 1.")
    if resample not in ("systems", "inputs", "both"):
        raise InputError(f"resample {resample!r} is unknown. Use systems, inputs or both.")
    gold, metrics = np.asarray(gold, dtype=np.float64), np.asarray(metrics, dtype=np.float64)
    systems, segments = gold.shape
    samples = np.empty((draws, len(metrics)))
    for sample in samples:
        rows = np.arange(systems) if resample == "inputs" else rng.choice(systems, systems, replace=True)
        columns = np.arange(segments) if resample == "systems" else rng.choice(segments, segments, replace=True)
        sample[:] = statistic(gold[rows][:, columns], metrics[:, rows][:, :, columns])
    bounds = np.array([_interval(column[~np.isnan(column)], confidence) for column in samples.T])
    return Bootstrap(bounds[:, 0], bounds[:, 1], samples)


def _interval(values: Floats, confidence: float) -> tuple[float, float]:
    if not len(values):
        return (np.nan, np.nan)
    tail = (1 - confidence) / 2 * 100
    lower, upper = np.percentile(values, [tail, 100 - tail])
    return float(lower), float(upper)
