"""Corrections of p-values for multiple comparisons, and the ranks and clusters that follow from p-values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.errors import InputError, unknown

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


def bonferroni(p: ArrayLike) -> Floats:
    """Multiply each p by the number of tests, which bounds the chance of a single false positive."""
    values = np.asarray(p, np.float64)
    return np.minimum(values * values.size, 1.0)


def holm(p: ArrayLike) -> Floats:
    """Apply Holm's step-down correction, which has the same guarantee as Bonferroni's and more power."""
    values = np.asarray(p, np.float64)
    order = np.argsort(values, kind="stable")
    stepped = np.maximum.accumulate(values[order] * np.arange(values.size, 0, -1))
    return _in_place_of(order, stepped)


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Apply Benjamini and Hochberg's step-up correction, which bounds the false discovery rate."""
    values = np.asarray(p, np.float64)
    order = np.argsort(values, kind="stable")[::-1]
    stepped = np.minimum.accumulate(values[order] * values.size / np.arange(values.size, 0, -1))
    return _in_place_of(order, stepped)


def _in_place_of(order: NDArray[np.intp], stepped: Floats) -> Floats:
    restored = np.empty_like(stepped)
    restored[order] = np.minimum(stepped, 1.0)
    return restored


CORRECTIONS: dict[str, Callable[[ArrayLike], Floats]] = {
    "none": lambda p: np.asarray(p, np.float64),
    "bonferroni": bonferroni,
    "holm": holm,
    "benjamini-hochberg": benjamini_hochberg,
}


def correct_p_values(p: ArrayLike, method: str = "none") -> Floats:
    """Correct the p-values of one family of comparisons by the named method."""
    if method not in CORRECTIONS:
        raise unknown("correction", method, CORRECTIONS)
    return CORRECTIONS[method](p)


def correct_family(p: Floats, method: str = "none") -> Floats:
    """Correct a table's p-values as one family; comparisons that were not tested (NaN) get 1."""
    p, tested = p.copy(), ~np.isnan(p)
    p[tested] = correct_p_values(p[tested], method)
    p[~tested] = 1.0
    return p


def ranks_from_p_values(p_values: Floats, alpha: float = 0.05) -> list[int]:
    """Return the significance cluster of each metric, from 1, as mt-metrics-eval assigns them.

    Metrics are in order of decreasing agreement. ``p_values[i, j]`` for i < j is the p-value of the hypothesis that i is
    better than j. A new cluster starts at the first metric that a member of the current cluster beats at level `alpha`.
    """
    p_values = np.asarray(p_values)
    if p_values.ndim != 2 or p_values.shape[0] != p_values.shape[1]:
        raise InputError("p-values must be a square matrix with one row and column per metric.")
    ranks: list[int] = []
    rank, start = 1, 0
    for i in range(len(p_values)):
        if (p_values[start:i, i] <= alpha).any():
            rank, start = rank + 1, i
        ranks.append(rank)
    return ranks


def rank_ranges(better: Bools) -> list[tuple[int, int]]:
    """Return the best and the worst rank of each system, as in the WMT findings.

    ``better[i, j]`` is True if i is significantly better than j. The best rank is one more than the number of systems that beat
    it; the worst rank places only the systems that it beats below it.
    """
    better = np.asarray(better, dtype=bool)
    wins, losses = better.sum(axis=1), better.sum(axis=0)
    return [(int(lost) + 1, len(better) - int(won)) for won, lost in zip(wins, losses, strict=True)]


def cluster_numbers(better: Bools) -> list[int]:
    """Return each system's cluster, from 1, given the ranking order: every member of a cluster beats all systems below it."""
    better = np.asarray(better, dtype=bool)
    clusters, cluster = [], 1
    for rank in range(len(better)):
        if rank and better[:rank, rank:].all():
            cluster += 1
        clusters.append(cluster)
    return clusters
