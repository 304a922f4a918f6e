"""Sums that do not depend on how the rows were cut: integers as they are, other numbers through `math.fsum`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.core.metric import Floats

MOST_PARTS = 8
"""Floats that one column's exact sum is split into at most; two nearly always do."""


def exact_parts(stats: Floats) -> Floats:
    """Column sums as short lists of floats that add up exactly, so that no grouping of rows can change a total."""
    import numpy as np

    if bool((stats == np.rint(stats)).all()) or not bool(np.isfinite(stats).all()):
        return np.asarray(stats.sum(axis=0, keepdims=True))
    columns = []
    for column in stats.T:
        values = column.tolist()
        parts: list[float] = []
        while (part := math.fsum([*values, *(-taken for taken in parts)])) != 0 and len(parts) < MOST_PARTS:
            parts.append(part)
        columns.append(parts or [0.0])
    longest = max(map(len, columns))
    return np.array([[*parts, *[0.0] * (longest - len(parts))] for parts in columns]).T


def total(parts: Sequence[Floats]) -> Floats:
    """The column sums that `exact_parts` of consecutive rows stand for, each rounded once."""
    import numpy as np

    joined = np.concatenate(parts)
    if not bool(np.isfinite(joined).all()):
        return np.asarray(joined.sum(axis=0))
    return np.array([math.fsum(column) for column in joined.T])


def exact_sum(stats: Floats) -> Floats:
    """Column sums, each rounded once: the same bits for the same rows, however they are grouped."""
    return total([exact_parts(stats)])
