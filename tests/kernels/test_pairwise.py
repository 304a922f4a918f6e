from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.kernels import _native
from assay.kernels.reference import pairwise as twin

cells = st.tuples(st.integers(-3, 3), st.sampled_from([-1.5, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 1.0, 1.1, 7.0]))
group_lists = st.lists(st.lists(cells, min_size=1, max_size=7), min_size=1, max_size=6)


def arrays(cut):
    flat = [cell for group in cut for cell in group]
    starts = np.array([0, *itertools.accumulate(len(group) for group in cut)], np.int64)
    return np.array([c[0] for c in flat], float), np.array([[c[1] for c in flat]], float), starts


@given(group_lists, st.sampled_from([0.0, 0.1, 0.2, 1.0]))
def test_counts_equal_the_twin(cut, epsilon):
    gold, rows, starts = arrays(cut)
    got = _native.pair_counts(gold, rows, starts, np.array([epsilon]))
    assert got.tolist() == [twin.pair_counts(group, epsilon) for group in cut]
    correct = _native.correct_pairs(gold, rows, starts, np.array([epsilon])).ravel().tolist()
    expected = [twin.verdict(a, b, epsilon) in (0, 4) for group in cut for a, b in itertools.combinations(group, 2)]
    assert correct == expected


@settings(max_examples=25)
@given(
    st.integers(65, 140), st.sampled_from([2, 5, 1000]), st.sampled_from([0.0, 0.25, 1.5]), st.integers(0, 2**32 - 1)
)
def test_long_groups_equal_the_twin(n, distinct, epsilon, seed):
    rng = np.random.default_rng(seed)
    gold, metric = rng.integers(0, distinct, n).astype(float), rng.integers(0, distinct, n) / 4
    got = _native.pair_counts(gold, metric[None], np.array([0, n]), np.array([epsilon]))
    assert got[0].tolist() == twin.pair_counts(list(zip(gold, metric, strict=True)), epsilon)


@given(group_lists, st.sampled_from([0, 1, 2, 25]))
def test_kendall_like_equals_the_twin(cut, threshold):
    got = _native.kendall_like(*arrays(cut), threshold)
    assert got.tolist() == [twin.kendall_like(group, threshold) for group in cut]


@settings(max_examples=200)
@given(group_lists)
def test_calibration_equals_the_twin(cut):
    (threshold,), (value,), (at_zero,) = _native.tie_calibration(*arrays(cut))
    if all(len(group) < 2 for group in cut):
        assert threshold == 0 and np.isnan(value) and np.isnan(at_zero)
        return
    expected = twin.tie_calibration(cut)
    assert threshold == expected[0]
    assert (value, at_zero) == pytest.approx((float(expected[1]), float(expected[2])), abs=1e-14)


def test_calibration_without_a_common_denominator():
    # 30 groups of different sizes: the common multiple of their pair counts does not fit a machine word
    rng = np.random.default_rng(0)
    cut = [
        list(zip(rng.integers(0, 3, n).tolist(), rng.integers(0, 4, n).tolist(), strict=True)) for n in range(2, 62, 2)
    ]
    (threshold,), (value,), _ = _native.tie_calibration(*arrays(cut))
    expected = twin.tie_calibration(cut)
    assert threshold == expected[0] and value == pytest.approx(float(expected[1]), abs=1e-14)


def test_extreme_scores_do_not_overflow():
    gold, starts = np.array([0.0, 0.0, 1.0]), np.array([0, 3])
    for rows in ([[1e308, -1e308, 0.0]], [[5e-324, 0.0, 0.0]]):
        (threshold,), (value,), _ = _native.tie_calibration(gold, np.array(rows), starts)
        expected = twin.tie_calibration([list(zip(gold, rows[0], strict=True))])
        assert (threshold, value) == (expected[0], pytest.approx(float(expected[1])))


def test_shapes_are_checked():
    gold, rows = np.zeros(4), np.zeros((1, 4))
    with pytest.raises(ValueError, match="starts"):
        _native.tie_calibration(gold, rows, np.array([0, 9]))
    with pytest.raises(ValueError, match="one score for each"):
        _native.tie_calibration(gold, np.zeros((1, 3)), np.array([0, 3]))
    with pytest.raises(ValueError, match="epsilons"):
        _native.pair_counts(gold, rows, np.array([0, 4]), np.zeros(2))
