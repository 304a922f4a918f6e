"""How often people agree with a difference between two systems, by metric and size of the difference (WMT23)."""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from assay.data import rows

LOWEST, HIGHEST = 0.50, 0.95
"""What is said at the least and at the most: a handful of pairs at either end of a curve prove neither that people contradict a
metric nor that they always agree."""


@dataclass(frozen=True, slots=True)
class AgreementCurve:
    """The curve of one metric: straight between its points, level beyond the first and the last."""

    pairs: int
    differences: Sequence[float]
    shares: Sequence[float]

    def at(self, difference: float) -> float:
        """The share of system pairs so far apart that people order as the metric does, from `LOWEST` to `HIGHEST`."""
        size, after = abs(difference), bisect_right(self.differences, abs(difference))
        if after in (0, len(self.differences)):
            share = self.shares[max(after - 1, 0)]
        else:
            (left, right), (low, high) = self.differences[after - 1 : after + 1], self.shares[after - 1 : after + 1]
            share = low + (high - low) * (size - left) / (right - left)
        return min(max(share, LOWEST), HIGHEST)

    def needed(self, level: float) -> float | None:
        """The smallest difference from which people agree in so many cases; None where they never do."""
        return next((d for d, share in zip(self.differences, self.shares, strict=True) if share >= level), None)


@functools.cache
def _curves() -> dict[str, AgreementCurve]:
    points: dict[str, list[tuple[int, float, float]]] = {}
    for row in rows("point_curve.csv"):
        points.setdefault(row["metric"], []).append((int(row["pairs"]), float(row["difference"]), float(row["agree"])))
    return {
        name: AgreementCurve(mine[0][0], [point[1] for point in mine], [point[2] for point in mine])
        for name, mine in points.items()
    }


def agreement(metric: str) -> AgreementCurve | None:
    """The curve of a metric with its default options; None for one about which nothing was measured."""
    return _curves().get(metric)


def in_words(share: float) -> str:
    """``in about 80%``, to the nearest five: the curves rest on 249 pairs of systems."""
    if share >= HIGHEST:
        return f"in over {HIGHEST:.0%}"
    return "in about half" if share <= LOWEST else f"in about {5 * round(20 * share)}%"
