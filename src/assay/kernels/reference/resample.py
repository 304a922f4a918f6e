"""Reference implementation of the resampling kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def resample_sums(stats: NDArray[np.float64], indices: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return, for every row of `indices`, the sum of these rows of `stats`."""
    return np.asarray(stats[indices].sum(axis=1))


def bit_sums(stats: NDArray[np.float64], words: NDArray[np.uint32], samples: int) -> NDArray[np.float64]:
    """Return, for every sample, the sum of the rows of `stats` whose bit is set; bits continue through `words`, lowest first."""
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
    chosen = bits[: samples * len(stats)].reshape(samples, len(stats))
    return np.asarray(chosen.astype(np.float64) @ stats)
