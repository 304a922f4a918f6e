from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from assay.stats.proportions import stratified_z_test, weighted_interval, wilson, wilson_bounds


def test_z_test_by_hand() -> None:
    # 30 of 50 against 40 of 50: pooled 70/100 = 0.7, variance 0.7 * 0.3 * (1/50 + 1/50) = 0.0084, root 0.0916515;
    # z = (0.6 - 0.8) / 0.0916515 = -2.18218, and the normal table gives 0.01455 below it.
    z, p = stratified_z_test([30], [50], [40], [50])
    assert z == pytest.approx(-2.18218, abs=1e-5)
    assert p == pytest.approx(0.01455, abs=1e-5)


@pytest.mark.parametrize(("k1", "n1", "k2", "n2"), [(3, 10, 9, 20), (50, 114, 58, 114), (0, 7, 5, 9), (41, 46, 45, 46)])
def test_z_test_squared_is_scipys_chi_square(k1: int, n1: int, k2: int, n2: int) -> None:
    z, p = stratified_z_test([k1], [n1], [k2], [n2])
    chi = scipy_stats.chi2_contingency([[k1, n1 - k1], [k2, n2 - k2]], correction=False)
    assert z**2 == pytest.approx(chi.statistic)
    assert p == pytest.approx(chi.pvalue / 2)


def test_z_test_of_what_does_not_vary() -> None:
    assert stratified_z_test([10], [10], [4], [4]) == (0.0, 0.5)
    assert stratified_z_test([0], [10], [0], [4]) == (0.0, 0.5)
    assert all(map(math.isnan, stratified_z_test([0], [0], [3], [4])))


def test_stratified_z_test_by_hand() -> None:
    # Strata (1/2 against 2/2) and (2/4 against 3/4). Differences -0.5 - 0.25 = -0.75. Pooled 3/4 and 5/8:
    # variances 0.1875 * (1/2 + 1/2) = 0.1875 and 0.234375 * (1/4 + 1/4) = 0.1171875, sum 0.3046875, root 0.551985.
    # z = -0.75 / 0.551985 = -1.358732 (the 1/2 of the mean cancels), p = 0.08712.
    z, p = stratified_z_test([1, 2], [2, 4], [2, 3], [2, 4])
    assert z == pytest.approx(-1.358732, abs=1e-5)
    assert p == pytest.approx(scipy_stats.norm.cdf(-1.358732), abs=1e-6)


@pytest.mark.parametrize(("k", "n"), [(0, 5), (5, 5), (1, 3), (263, 278), (7796, 10000)])
def test_wilson_is_scipys(k: int, n: int) -> None:
    expected = scipy_stats.binomtest(k, n).proportion_ci(0.95, method="wilson")
    assert wilson(k, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_of_nothing_is_unknown() -> None:
    assert all(map(math.isnan, wilson(0, 0)))


# Newcombe 1998, Interval estimation for the difference between independent proportions, Table II, method 10.
NEWCOMBE = [
    ((56, 70), (48, 80), (0.0524, 0.3339)),
    ((9, 10), (3, 10), (0.1705, 0.8090)),
    ((6, 7), (2, 7), (0.0582, 0.8062)),
    ((5, 56), (0, 29), (-0.0381, 0.1926)),
    ((0, 10), (0, 20), (-0.1611, 0.2775)),
    ((0, 10), (0, 10), (-0.2775, 0.2775)),
    ((10, 10), (0, 20), (0.6791, 1.0000)),
    ((10, 10), (0, 10), (0.6075, 1.0000)),
]


@pytest.mark.parametrize(("one", "other", "expected"), NEWCOMBE)
def test_a_difference_of_shares_has_newcombes_interval(
    one: tuple[int, int], other: tuple[int, int], expected: tuple[float, float]
) -> None:
    k, n = np.array([one, other]).T
    assert weighted_interval([1, -1], k / n, *wilson_bounds(k, n)) == pytest.approx(expected, abs=5e-5)


def test_a_mean_of_shares_is_near_the_normal_interval() -> None:
    # Mean of 0.5 and 0.8 with n = 400 each: variance (0.25 + 0.16) / 400 / 4 = 0.00025625, so 0.65 ± 1.96 * 0.016008.
    found = weighted_interval([0.5, 0.5], [0.5, 0.8], *wilson_bounds([200, 320], [400, 400]))
    assert found == pytest.approx((0.65 - 0.03138, 0.65 + 0.03138), abs=0.002)


def test_one_right_answer_of_one_is_no_certainty() -> None:
    low, high = weighted_interval([1], [1], *wilson_bounds([1], [1]))
    expected = scipy_stats.binomtest(1, 1).proportion_ci(0.95, method="wilson")
    assert (low, high) == pytest.approx((expected.low, 1.0))
    assert all(np.isnan(bound).all() for bound in wilson_bounds([0], [0]))
