"""Ranks and clusters from a matrix of p-values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.stats.groups import Floats


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
