import numpy as np
import pytest

from assay.stats.bootstrap import interval, median_interval, paired_difference_draws, share_draws


def test_share_draws_have_the_bootstraps_mean_and_variance():
    draws = share_draws([30, 0, 0], [100, 10, 0], np.random.default_rng(0), 20_000)
    # a bootstrap of 30 in 100 has mean 0.3 and variance 0.3·0.7/100 = 0.0021
    assert draws[0].mean() == pytest.approx(0.3, abs=0.002)
    assert draws[0].var() == pytest.approx(0.0021, rel=0.05)
    assert (draws[1] == 0).all()
    assert np.isnan(draws[2]).all()


def test_interval_of_share_draws_equals_resampling_items():
    outcomes = np.repeat([1.0, 0.0], [30, 70])
    generator = np.random.default_rng(3)
    resampled = outcomes[generator.integers(0, 100, (20_000, 100))].mean(axis=1)
    assert interval(share_draws(30, 100, generator, 20_000)) == pytest.approx(interval(resampled), abs=0.011)


def test_paired_draws_have_the_bootstraps_mean_and_variance():
    # 20 wins, 10 losses, 70 ties in 100: mean 0.1, variance (0.3 - 0.01) / 100
    draws = paired_difference_draws([20], [10], [100], np.random.default_rng(0), 20_000)[0]
    assert draws.mean() == pytest.approx(0.1, abs=0.002)
    assert draws.var() == pytest.approx(0.0029, rel=0.05)
    assert (paired_difference_draws([4], [0], [4], np.random.default_rng(0), 50) == 1.0).all()


@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_median_interval_equals_resampling_items(n):
    generator = np.random.default_rng(n)
    values = generator.normal(size=n)
    resampled = np.median(values[generator.integers(0, n, (40_000, n))], axis=1)
    assert median_interval(values, generator, 40_000) == pytest.approx(interval(resampled), abs=0.08)
