"""Bootstrap intervals of agreement with people: systems, segments or both drawn anew (Deutsch et al. 2021, section 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.stats.groups import Floats

Resample = Literal["systems", "inputs", "both"]
MatrixStatistic = Callable[["Floats", "Floats"], "Floats"]
"""Gold scores and a stack of metric scores in, one value a metric out: ``lambda g, m: pearson(g, m).value``."""


@dataclass(frozen=True)
class Bootstrap:
    """Percentile intervals of each metric's statistic, and the draws (draws by metrics; NaN: not defined in a draw)."""

    lower: Floats
    upper: Floats
    samples: Floats

    def difference(self, first: int, second: int, confidence: float = 0.95) -> tuple[float, float, float]:
        """(lower, upper, p) of first - second on the same draws; p is the share of draws in which first is not better."""
        both = self.samples[:, first] - self.samples[:, second]
        both = both[~np.isnan(both)]
        if not len(both):
            return (np.nan, np.nan, np.nan)
        lower, upper = _interval(both, confidence)
        return lower, upper, float(np.mean(both <= 0))


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
    """Intervals for a stack of metrics (metrics by systems by segments), all on the same draws."""
    if not 0 < confidence < 1:
        raise InputError("confidence must lie between 0 and 1.")
    if resample not in ("systems", "inputs", "both"):
        raise InputError(f"resample {resample!r} is none of systems, inputs, both.")
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
