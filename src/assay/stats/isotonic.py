"""Isotonic regression, and the agreement with human judgements at a given score difference, which is derived from it.

The fit is the non-decreasing curve with the least squared error (pool adjacent violators). Kocmi et al. 2024, "Navigating
the metrics maze", fit a formula to the same data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.stats.groups import Floats


@dataclass(frozen=True)
class Isotonic:
    """A non-decreasing curve through fitted points: linear between them, constant beyond the first and the last."""

    x: Floats
    y: Floats

    def at(self, x: Floats) -> Floats:
        """Return the height of the curve at x."""
        return np.interp(x, self.x, self.y)


@dataclass(frozen=True)
class DeltaAgreement:
    """Agreement with annotators by score difference: the curve, its pointwise interval, and the difference each level needs.

    `needed` maps a level of agreement to the smallest observed difference from which the curve stays at or above that level, or
    to None if the curve never reaches it.
    """

    curve: Isotonic
    lower: Floats
    upper: Floats
    needed: dict[float, float | None]
    pairs: int


def pool_adjacent_violators(y: Floats, weights: Floats | None = None) -> Floats:
    """Return the non-decreasing values closest to `y` in (weighted) squared distance."""
    y = np.asarray(y, dtype=np.float64)
    blocks: list[list[float]] = []  # mean, weight, length
    for value, weight in zip(y.tolist(), np.ones(len(y)).tolist() if weights is None else list(weights), strict=True):
        mean, total, length = value, float(weight), 1.0
        while blocks and blocks[-1][0] >= mean:
            before, mass, size = blocks.pop()
            mean = (before * mass + mean * total) / (mass + total)
            total, length = total + mass, length + size
        blocks.append([mean, total, length])
    return np.repeat([block[0] for block in blocks], [int(block[2]) for block in blocks])


def isotonic(x: Floats, y: Floats, weights: Floats | None = None) -> Isotonic:
    """Fit y on x by isotonic regression; points with the same x share their mean, and weights must not be negative."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    weights = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not len(x) == len(y) == len(weights) or not (weights > 0).any():
        raise InputError("isotonic regression needs x, y and weights of the same length, and one weight above 0.")
    positions, where = np.unique(x[weights > 0], return_inverse=True)
    total = np.bincount(where, weights[weights > 0]).astype(np.float64)
    means = np.bincount(where, (y * weights)[weights > 0]) / total
    return Isotonic(positions, pool_adjacent_violators(means, total))


def delta_agreement(
    differences: Floats,
    agrees: Floats,
    *,
    rng: np.random.Generator,
    levels: Sequence[float] = (0.80, 0.90, 0.95),
    draws: int = 1000,
    confidence: float = 0.95,
) -> DeltaAgreement:
    """Fit agreement (0 or 1 for each pair of systems) to the size of the metric's difference.

    The interval comes from resampling pairs. Pairs that share a system are not independent, so it is slightly too narrow.
    """
    size, agrees = np.abs(np.asarray(differences, dtype=np.float64)), np.asarray(agrees, dtype=np.float64)
    if len(size) == 0 or len(size) != len(agrees) or not np.isfinite(size).all():
        raise InputError(
            "agreement by score difference needs at least one pair of systems, and every difference must be finite."
        )
    curve = isotonic(size, agrees)
    resampled = np.empty((draws, len(curve.x)))
    for row in resampled:
        chosen = rng.multinomial(len(size), np.full(len(size), 1 / len(size))).astype(np.float64)
        row[:] = isotonic(size, agrees, chosen).at(curve.x)
    tail = (1 - confidence) / 2 * 100
    lower, upper = np.percentile(resampled, [tail, 100 - tail], axis=0) if draws else np.full((2, len(curve.x)), np.nan)
    needed: dict[float, float | None] = {}
    for level in levels:
        enough = np.flatnonzero(curve.y >= level)
        needed[level] = float(curve.x[enough[0]]) if len(enough) else None
    return DeltaAgreement(curve, lower, upper, needed, len(size))
