from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels import _native
from assay.kernels.reference import permutation as twin


@given(st.integers(0, 5), st.integers(1, 5), st.integers(0, 4), st.integers(0, 2**32 - 1))
def test_counts_equal_the_twin(draws, columns, words, seed):
    rng = np.random.default_rng(seed)
    masks, bits = (rng.integers(0, 2**64, (n, words), dtype=np.uint64) for n in (draws, columns))
    assert _native.masked_counts(masks, bits).tolist() == twin.masked_counts(masks.tolist(), bits.tolist())


@given(st.integers(0, 5), st.integers(1, 18), st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_sums_equal_the_twin(draws, n_rows, cells, seed):
    rng = np.random.default_rng(seed)
    masks, rows = rng.random((draws, cells)) < 0.5, rng.normal(size=(n_rows, cells))
    packed = np.ascontiguousarray(np.packbits(masks, axis=1, bitorder="little").T)
    got = _native.masked_sums(packed.reshape((cells + 7) // 8, draws), rows)
    expected = np.array(twin.masked_sums(masks.tolist(), rows.tolist())).reshape(draws, n_rows)
    assert got == pytest.approx(expected, abs=1e-12)


def test_shapes_are_checked():
    with pytest.raises(ValueError, match="eight cells"):
        _native.masked_sums(np.zeros((1, 3), np.uint8), np.zeros((2, 9)))
    with pytest.raises(ValueError, match="number of words"):
        _native.masked_counts(np.zeros((1, 3), np.uint64), np.zeros((1, 2), np.uint64))
