from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from assay.core.errors import InputError
from assay.stats.isotonic import delta_agreement, isotonic, pool_adjacent_violators


@given(st.integers(1, 60), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_equals_sklearn(n, distinct, seed):
    rng = np.random.default_rng(seed)
    x, y, weights = rng.integers(0, distinct, n) / 4, rng.integers(0, 2, n), rng.integers(1, 5, n)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(x, y, sample_weight=weights)
    grid = np.linspace(-1, distinct, 50)
    assert isotonic(x, y, weights).at(grid) == pytest.approx(theirs.predict(grid), abs=1e-12)


def test_by_hand():
    # 1, 3, 2, 4: the violators 3 and 2 share 2.5
    assert pool_adjacent_violators(np.array([1, 3, 2, 4])).tolist() == [1, 2.5, 2.5, 4]
    # a weight of 3 on the 2: (3 + 3 * 2) / 4
    assert pool_adjacent_violators(np.array([1, 3, 2, 4]), np.array([1, 1, 3, 1])).tolist() == [1, 2.25, 2.25, 4]


def test_what_a_point_is_worth():
    # signs do not matter; below 1 half agree, from 1 on all do
    differences = np.array([0.1, -0.2, 0.3, 0.4, 1.0, -1.5, 2.0, 3.0])
    agrees = np.array([1, 0, 1, 0, 1, 1, 1, 1])
    got = delta_agreement(differences, agrees, rng=np.random.default_rng(0), draws=200)
    assert got.needed == {0.80: 1.0, 0.90: 1.0, 0.95: 1.0}
    assert got.curve.at(np.array([0.05, 5.0])).tolist() == [0.5, 1.0]
    assert (got.lower <= got.curve.y).all() and (got.curve.y <= got.upper).all() and got.pairs == 8
    never = delta_agreement(differences, np.zeros(8), rng=np.random.default_rng(0), draws=10)
    assert never.needed == {0.80: None, 0.90: None, 0.95: None}


def test_same_seed_same_interval():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=50), rng.integers(0, 2, 50)
    one, other = (delta_agreement(x, y, rng=np.random.default_rng(9), draws=50) for _ in range(2))
    assert one.lower.tolist() == other.lower.tolist()


def test_bad_input():
    with pytest.raises(InputError, match="at least one pair of systems"):
        delta_agreement(np.array([]), np.array([]), rng=np.random.default_rng(0))
    with pytest.raises(InputError, match="at least one pair of systems"):
        delta_agreement(np.array([np.nan]), np.array([1]), rng=np.random.default_rng(0))
    with pytest.raises(InputError, match="same length"):
        isotonic(np.array([1.0]), np.array([1.0, 2.0]))
