"""Is one system's translation judged better than another's? Wilcoxon's tests, as the WMT findings use them.

Signed-rank (paired, WMT24) compares the two systems segment by segment; rank-sum (Mann and Whitney, direct assessment until
WMT23) compares two samples of judgements that need not be of the same segments. Both by the normal approximation with
corrected ties.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.distributions import normal_sf

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def ranks(values: Floats) -> Floats:
    """Ranks from 1, equal values sharing their mean rank."""
    _, which, sizes = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(sizes)
    return np.asarray((ends - (sizes - 1) / 2)[which])


def signed_rank(differences: Floats) -> float:
    """One-sided p that differences are above 0; segments without a difference are left out (Wilcoxon), 0.5 if all are."""
    known = differences[differences != 0]
    n = len(known)
    if n == 0:
        return 0.5
    order = ranks(np.abs(known))
    above = float(order[known > 0].sum())
    variance = float((order**2).sum()) / 4
    return normal_sf((above - n * (n + 1) / 4) / math.sqrt(variance))


def rank_sum(first: Floats, second: Floats) -> float:
    """One-sided p that values of `first` are above those of `second`; 0.5 where all are equal or one is empty."""
    n, m = len(first), len(second)
    if not n or not m:
        return 0.5
    together = np.concatenate([first, second])
    order = ranks(together)
    above = float(order[:n].sum()) - n * (n + 1) / 2
    _, sizes = np.unique(together, return_counts=True)
    ties = float((sizes.astype(np.float64) ** 3 - sizes).sum())
    variance = n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)))
    return normal_sf((above - n * m / 2) / math.sqrt(variance)) if variance > 0 else 0.5
