"""Ranks and clusters from a matrix of p-values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.stats.groups import Floats

    Bools = NDArray[np.bool_]


def ranks_from_p_values(p_values: Floats, alpha: float = 0.05) -> list[int]:
    """The significance cluster of each metric, from 1, as mt-metrics-eval assigns them.

    Metrics stand in the order of falling agreement; ``p_values[i, j]`` for i < j is the p-value that i is truly better than
    j. A new cluster opens at the first metric that some member of the current one beats at level `alpha`.
    """
    p_values = np.asarray(p_values)
    if p_values.ndim != 2 or p_values.shape[0] != p_values.shape[1]:
        raise InputError("p-values must be a square matrix, one row and column a metric.")
    ranks: list[int] = []
    rank, start = 1, 0
    for i in range(len(p_values)):
        if (p_values[start:i, i] <= alpha).any():
            rank, start = rank + 1, i
        ranks.append(rank)
    return ranks


def rank_ranges(better: Bools) -> list[tuple[int, int]]:
    """The best and the worst rank of each system, as the WMT findings give them.

    ``better[i, j]`` says that i is significantly better than j. The best rank is one more than the systems that beat it, the
    worst one leaves below it those that it beats.
    """
    better = np.asarray(better, dtype=bool)
    wins, losses = better.sum(axis=1), better.sum(axis=0)
    return [(int(lost) + 1, len(better) - int(won)) for won, lost in zip(wins, losses, strict=True)]


def separated(better: Bools) -> list[int]:
    """The cluster of each system, from 1, systems standing best first: all of a cluster beat all of the clusters below it."""
    better = np.asarray(better, dtype=bool)
    clusters, cluster = [], 1
    for place in range(len(better)):
        if place and better[:place, place:].all():
            cluster += 1
        clusters.append(cluster)
    return clusters
