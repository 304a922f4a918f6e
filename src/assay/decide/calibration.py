"""Calibration: from a quality score to the probability of a breakdown, and from several metrics to a single quality.

For graded outcomes, the probability is the expected loss: how far a translation falls short of full success.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.stats.isotonic import isotonic, pool_adjacent_violators

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

RIDGE = 1.0
"""Strength of the pull of the weights towards 0, equivalent to one observation."""


@dataclass(frozen=True)
class Curve:
    """Probability of a breakdown by quality: linear between its points, constant beyond them, never increasing."""

    quality: Floats
    probability: Floats

    def at(self, quality: Floats) -> Floats:
        """Return the probability at each quality; NaN stays NaN."""
        return np.interp(quality, self.quality, self.probability)


def breakdown_curve(quality: Floats, grades: Floats | Bools) -> Curve:
    """Fit breakdowns to quality by isotonic regression.

    Each step is pulled towards one half by half a success and half a breakdown (Jeffreys), so no finite sample yields a
    probability of 0 or 1. Only the corners of the steps are kept.
    """
    fitted = isotonic(-quality, 1 - np.asarray(grades, np.float64))
    _, where = np.unique(-quality, return_inverse=True)
    weights = np.bincount(where).astype(np.float64)
    starts = np.flatnonzero(np.diff(fitted.y, prepend=-1.0))
    sizes = np.add.reduceat(weights, starts)
    heights = pool_adjacent_violators((fitted.y[starts] * sizes + 0.5) / (sizes + 1), sizes)
    ends = np.append(starts[1:], len(fitted.x)) - 1
    x = np.stack([fitted.x[starts], fitted.x[ends]], axis=1).ravel()
    y = np.repeat(heights, 2)
    once = np.append(True, np.diff(x) > 0)
    return Curve(-x[once][::-1], y[once][::-1])


@dataclass(frozen=True)
class Blend:
    """Several qualities combined into one: the log-odds of success from a logistic regression on standardised qualities."""

    means: Floats
    scales: Floats
    weights: Floats
    intercept: float

    def parts(self, qualities: Floats) -> Floats:
        """Return the contribution of each metric, [metric, example]."""
        return np.asarray(self.weights[:, None] * (qualities - self.means[:, None]) / self.scales[:, None])

    def at(self, qualities: Floats) -> Floats:
        """Return the blended quality of each example."""
        return np.asarray(self.parts(qualities).sum(axis=0) + self.intercept)


def blend(qualities: Floats, grades: Floats | Bools) -> Blend:
    """Fit a blend by Newton's method with a small ridge, which keeps the weights finite even if the classes are separable."""
    means, scales = qualities.mean(axis=1), qualities.std(axis=1)
    scales = np.where(scales > 0, scales, 1.0)
    design = np.concatenate([(qualities - means[:, None]) / scales[:, None], np.ones((1, qualities.shape[1]))])
    penalty = np.diag([RIDGE] * len(means) + [1e-9])
    weights = np.zeros(len(means) + 1)
    for _ in range(100):
        chance = 1 / (1 + np.exp(-np.clip(weights @ design, -35, 35)))
        gradient = design @ (grades - chance) - penalty @ weights
        step = np.linalg.solve((design * (chance * (1 - chance))) @ design.T + penalty, gradient)
        weights = weights + step
        if float(np.abs(step).max()) < 1e-10:
            break
    return Blend(means, scales, weights[:-1], float(weights[-1]))
