from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.stats.two_samples import rank_sum, ranks, signed_rank, welch

values = st.lists(st.floats(-100, 100).map(lambda x: round(x, 3)), min_size=2, max_size=40).map(np.array)


@given(values, values)
def test_equals_scipy(a, b):
    if np.ptp(a) < 1e-6 or np.ptp(b) < 1e-6:
        return
    expected = stats.ttest_ind(a, b, equal_var=False)
    got = welch(a, b)
    assert got.t == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
    assert got.p == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-300)
    assert got.df == pytest.approx(expected.df, rel=1e-9)


def test_by_hand():
    # means 2 and 5, variances 1 and 4, n 3 each: t = -3 / sqrt(5/3), df = (5/3)^2 / ((1/3)^2/2 + (4/3)^2/2) = 50/17
    got = welch(np.array([1.0, 2.0, 3.0]), np.array([3.0, 5.0, 7.0]))
    assert got.t == pytest.approx(-3 / math.sqrt(5 / 3))
    assert got.df == pytest.approx(50 / 17)


def test_tiny_p():
    generator = np.random.default_rng(1)
    a, b = generator.normal(10, 1, 1000), generator.normal(8.8, 2, 1000)
    expected = stats.ttest_ind(a, b, equal_var=False)
    assert expected.pvalue < 1e-40
    assert welch(a, b).p == pytest.approx(expected.pvalue, rel=1e-10)


def test_one_constant_side_has_the_other_sides_freedom():
    assert welch(np.array([1.0, 2.0, 4.0]), np.full(3, 100.00000000000001)).df == pytest.approx(2.0)


def test_constant_sides():
    equal = welch(np.full(1000, 0.1), np.full(1000, 0.1))
    assert equal == (0.0, 1.0, 1998.0)
    assert math.copysign(1.0, equal.t) == 1.0
    assert welch(np.full(5, 2.0), np.full(5, 1.0)) == (math.inf, 0.0, 8.0)
    assert welch(np.full(5, 1.0), np.full(5, 2.0)).t == -math.inf


def test_equal_means_never_give_minus_zero():
    got = welch(np.array([1.0, 3.0]), np.array([3.0, 1.0]))
    assert got.t == 0.0
    assert math.copysign(1.0, got.t) == 1.0
    assert got.p == 1.0


def test_too_few_values():
    assert math.isnan(welch(np.array([1.0]), np.array([1.0, 2.0])).t)


@pytest.mark.parametrize("seed", range(5))
def test_as_scipy_has_them(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 12, 60).astype(float), rng.integers(0, 10, 60).astype(float)
    differences = first - second
    known = differences[differences != 0]
    expected = scipy.stats.wilcoxon(known, alternative="greater", method="approx", correction=False).pvalue
    assert signed_rank(differences) == pytest.approx(expected)
    expected = scipy.stats.mannwhitneyu(
        first, second[:45], alternative="greater", method="asymptotic", use_continuity=False
    ).pvalue
    assert rank_sum(first, second[:45]) == pytest.approx(expected)
    assert ranks(first).tolist() == scipy.stats.rankdata(first).tolist()


def test_nothing_to_tell_apart():
    assert signed_rank(np.zeros(4)) == rank_sum(np.ones(3), np.ones(2)) == rank_sum(np.empty(0), np.ones(2)) == 0.5
