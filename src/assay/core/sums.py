"""Exact sums that do not depend on how rows are split: plain sums for integers, and `math.fsum` for other numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.core.metric import Floats

MOST_PARTS = 8
"""Largest number of floats that represent one column's exact sum; two are nearly always enough."""


def exact_parts(stats: Floats) -> Floats:
    """Return column sums as short lists of floats that add up exactly, so that no split of the rows changes a total."""
    import numpy as np

    if bool((stats == np.rint(stats)).all()) or not bool(np.isfinite(stats).all()):
        return np.asarray(stats.sum(axis=0, keepdims=True))
    columns = []
    for column in stats.T:
        values = column.tolist()
        parts: list[float] = []
        while (part := math.fsum([*values, *(-earlier for earlier in parts)])) != 0 and len(parts) < MOST_PARTS:
            parts.append(part)
        columns.append(parts or [0.0])
    longest = max(map(len, columns))
    return np.array([[*parts, *[0.0] * (longest - len(parts))] for parts in columns]).T


def total(parts: Sequence[Floats]) -> Floats:
    """Return the column sums that the results of `exact_parts` represent, each rounded once."""
    import numpy as np

    joined = np.concatenate(parts)
    if not bool(np.isfinite(joined).all()):
        return np.asarray(joined.sum(axis=0))
    return np.array([math.fsum(column) for column in joined.T])


def exact_sum(stats: Floats) -> Floats:
    """Return column sums, each rounded once; the result is bit-identical however the rows are split."""
    return total([exact_parts(stats)])
