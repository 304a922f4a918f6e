import numpy as np
import pytest
from scipy import stats

from assay.stats.paired import duels, paired_difference_draws, share_first, sign_test, weighted_difference_test


def test_duels_count_only_what_both_answered():
    right = np.array([[True, True, False, True], [False, True, True, False]])
    answered = np.array([[True, True, True, True], [True, True, True, False]])
    got = duels(right, answered, np.array([0, 0, 1, 1]), 2)
    assert got.common[0, 1].tolist() == [2, 1]
    assert got.wins[0, 1].tolist() == [1, 0]
    assert got.wins[1, 0].tolist() == [0, 1]
    assert got.common[1, 1].tolist() == [2, 1]


@pytest.mark.parametrize(("wins", "losses"), [(8, 2), (0, 0), (5, 5), (600, 500)])
def test_sign_test_equals_scipy(wins, losses):
    expected = stats.binomtest(wins, wins + losses, 0.5, "greater").pvalue if wins + losses else 1.0
    assert sign_test(wins, losses) == pytest.approx(expected)


def test_weighted_difference_test_approaches_the_normal_sf():
    # differences 0.1 and 0.02 with variances 0.0029 and (0.1 - 0.0004)/200: mean of both, z = 0.06 / (sqrt(sum) / 2)
    z = 0.06 / (np.sqrt(0.0029 + 0.0996 / 200) / 2)
    p = weighted_difference_test([20, 12], [10, 8], [100, 200], [0.5, 0.5], np.random.default_rng(0), 20_000)
    assert p == pytest.approx(stats.norm.sf(z), abs=0.004)


def test_no_difference_is_no_proof():
    assert weighted_difference_test([0], [0], [10], [1.0], np.random.default_rng(0), 100) == 1.0


def test_a_handful_of_items_prove_no_more_than_a_sign_test():
    # One item in each of two strata, both won: every resample wins, and yet a coin does as well in a quarter of the cases.
    assert weighted_difference_test([1, 1], [0, 0], [1, 1], [0.5, 0.5], np.random.default_rng(0), 1000) == 0.25


def test_share_first():
    values = np.array([0.9, 0.89, 0.5, np.nan])
    assert share_first(values, np.array([1.0, 0.3, 0.001, 1.0])).tolist() == [True, True, False, False]


def test_paired_draws_have_the_bootstraps_mean_and_variance():
    # 20 wins, 10 losses, 70 ties in 100: mean 0.1, variance (0.3 - 0.01) / 100
    draws = paired_difference_draws([20], [10], [100], np.random.default_rng(0), 20_000)[0]
    assert draws.mean() == pytest.approx(0.1, abs=0.002)
    assert draws.var() == pytest.approx(0.0029, rel=0.05)
    assert (paired_difference_draws([4], [0], [4], np.random.default_rng(0), 50) == 1.0).all()
