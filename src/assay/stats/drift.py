"""Have the scores changed since? Two small tests of a new sample against an old one, kept as its quantiles."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Drift(NamedTuple):
    """Kolmogorov and Smirnov's largest distance between the distributions, its p-value, and the stability index."""

    distance: float
    p: float
    stability_index: float
    n: int


def kolmogorov_tail(x: float) -> float:
    """P(K > x) of Kolmogorov's distribution."""
    if x <= 0.2:
        return 1.0  # 1 - 10⁻¹² and more
    terms = [math.copysign(2.0, k % 2 - 0.5) * math.exp(-2 * (k * x) ** 2) for k in range(1, 101)]
    return min(1.0, max(0.0, math.fsum(terms)))


def kolmogorov_smirnov(first: Floats, second: Floats, sizes: tuple[int, int] | None = None) -> tuple[float, float]:
    """The two-sample statistic and its asymptotic p-value. `sizes` replaces the lengths where a sample is kept as quantiles."""
    first, second = np.sort(first), np.sort(second)
    points = np.concatenate([first, second])
    left = np.searchsorted(first, points, "right") / len(first)
    right = np.searchsorted(second, points, "right") / len(second)
    distance = float(np.abs(left - right).max())
    n, m = sizes or (len(first), len(second))
    return distance, kolmogorov_tail(distance * math.sqrt(n * m / (n + m)))


def stability_index(old: Floats, new: Floats, bins: int = 10) -> float:
    """Population stability index over the old sample's deciles: sum of (new - old) ln(new / old) of the shares.

    Customary reading: below 0.1 nothing happened, above 0.25 something did. An empty bin counts as half an observation.
    """
    inner = np.unique(np.quantile(old, np.arange(1, bins) / bins))

    def shares(sample: Floats) -> Floats:
        counts = np.bincount(np.searchsorted(inner, sample, "left"), minlength=len(inner) + 1)
        return np.asarray(np.maximum(counts, 0.5) / len(sample))

    before, after = shares(old), shares(new)
    return float(((after - before) * np.log(after / before)).sum())


def drift(quantiles: Floats, n: int, new: Floats) -> Drift:
    """New scores against the stored quantiles (evenly spaced, from the lowest to the highest) of `n` old ones."""
    new = new[np.isfinite(new)]
    distance, p = kolmogorov_smirnov(quantiles, new, (n, len(new)))
    return Drift(distance, p, stability_index(quantiles, new), len(new))
