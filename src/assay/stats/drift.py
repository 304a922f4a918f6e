"""Drift detection: new scores, counted as they arrive, compared with quantiles of the scores from which a rule was learned."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BINS = 10


class Drift(NamedTuple):
    """Result of a drift check: Kolmogorov-Smirnov distance, its p-value, population stability index, number of new scores."""

    distance: float
    p: float
    stability_index: float
    n: int


def kolmogorov_tail(x: float) -> float:
    """Return P(K > x) for the Kolmogorov distribution."""
    if x <= 0.2:
        return 1.0  # 1 - 10⁻¹² and more
    terms = [math.copysign(2.0, k % 2 - 0.5) * math.exp(-2 * (k * x) ** 2) for k in range(1, 101)]
    return min(1.0, max(0.0, math.fsum(terms)))


class DriftCounter:
    """New scores compared with evenly spaced quantiles (from minimum to maximum) of `n` old ones.

    Only counts are stored, so memory use does not depend on the number of new scores. The result is exact: the old distribution
    has a step at each quantile, and between two steps the largest distance is at one of them.
    """

    def __init__(self, quantiles: Floats, n: int) -> None:
        self.quantiles, self.old = np.sort(quantiles), n
        self.edges = np.unique(np.quantile(self.quantiles, np.arange(1, BINS) / BINS))
        """Deciles of the old sample, for the stability index."""
        self.n = 0
        self._below = np.zeros(len(self.quantiles), np.int64)
        self._up_to = np.zeros(len(self.quantiles), np.int64)
        self._up_to_edge = np.zeros(len(self.edges), np.int64)

    def add(self, new: Floats) -> None:
        """Count more new scores; scores that are not finite are skipped."""
        new = np.sort(new[np.isfinite(new)])
        self.n += len(new)
        self._below += np.searchsorted(new, self.quantiles, "left")
        self._up_to += np.searchsorted(new, self.quantiles, "right")
        self._up_to_edge += np.searchsorted(new, self.edges, "right")

    def counts(self) -> dict[str, list[int]]:
        """Return the counts as plain values. The counts from several counters can be added up and passed to `merge`."""
        counted = {"n": [self.n], "below": self._below, "up_to": self._up_to, "up_to_edge": self._up_to_edge}
        return {name: np.asarray(values).tolist() for name, values in counted.items()}

    def merge(self, counts: Mapping[str, Sequence[int]]) -> None:
        """Add the counts from other counters with the same quantiles."""
        self.n += counts["n"][0]
        self._below += np.asarray(counts["below"], np.int64)
        self._up_to += np.asarray(counts["up_to"], np.int64)
        self._up_to_edge += np.asarray(counts["up_to_edge"], np.int64)

    def drift(self) -> Drift:
        """Return the distance between new and old scores, with the asymptotic two-sample p-value."""
        size = len(self.quantiles)
        below = np.abs(self._below / self.n - np.searchsorted(self.quantiles, self.quantiles, "left") / size)
        up_to = np.abs(self._up_to / self.n - np.searchsorted(self.quantiles, self.quantiles, "right") / size)
        distance = float(max(below.max(), up_to.max()))
        p = kolmogorov_tail(distance * math.sqrt(self.old * self.n / (self.old + self.n)))
        return Drift(distance, p, self._stability_index(), self.n)

    def _stability_index(self) -> float:
        """Return the population stability index over the deciles of the old sample: sum of (new - old) ln(new / old) of the shares.

        By convention, values below 0.1 mean no change and values above 0.25 a clear change. An empty bin counts as half an
        observation.
        """

        def shares(up_to_edge: NDArray[np.int64], n: int) -> Floats:
            return np.asarray(np.maximum(np.diff(up_to_edge, prepend=0, append=n), 0.5) / n)

        before = shares(np.searchsorted(self.quantiles, self.edges, "right"), len(self.quantiles))
        after = shares(self._up_to_edge, self.n)
        return float(((after - before) * np.log(after / before)).sum())
