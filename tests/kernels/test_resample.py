from __future__ import annotations

import numpy as np
import pytest

from assay.kernels import _native
from assay.kernels.reference import resample as twin


@pytest.mark.parametrize(("rows", "columns", "samples"), [(1, 1, 1), (7, 3, 20), (33, 18, 64), (100, 5, 7)])
def test_sums_agree_with_their_twins(rows: int, columns: int, samples: int) -> None:
    rng = np.random.default_rng(rows)
    stats = rng.integers(0, 1000, (rows, columns)).astype(float)
    indices = rng.integers(0, rows, (samples, rows))
    assert np.array_equal(_native.resample_sums(stats, indices), twin.resample_sums(stats, indices))
    words = rng.integers(0, 2**32, samples * rows // 32 + 1, dtype=np.uint32)
    assert np.array_equal(_native.bit_sums(stats, words, samples), twin.bit_sums(stats, words, samples))


def test_an_index_outside_is_refused() -> None:
    with pytest.raises(IndexError):
        _native.resample_sums(np.ones((2, 1)), np.array([[0, 2]]))
