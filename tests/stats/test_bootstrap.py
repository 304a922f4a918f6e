import numpy as np
import pytest

from assay.stats.bootstrap import interval, median_interval, paired_difference_draws


def test_paired_draws_have_the_bootstraps_mean_and_variance():
    # 20 wins, 10 losses, 70 ties in 100: mean 0.1, variance (0.3 - 0.01) / 100
    draws = paired_difference_draws([20], [10], [100], np.random.default_rng(0), 20_000)[0]
    assert draws.mean() == pytest.approx(0.1, abs=0.002)
    assert draws.var() == pytest.approx(0.0029, rel=0.05)
    assert (paired_difference_draws([4], [0], [4], np.random.default_rng(0), 50) == 1.0).all()


@pytest.mark.parametrize("n", [6, 9, 40])
def test_median_interval_equals_resampling_items(n):
    generator = np.random.default_rng(n)
    values = generator.normal(size=n)
    resampled = np.median(values[generator.integers(0, n, (40_000, n))], axis=1)
    assert median_interval(values, generator, 40_000) == pytest.approx(interval(resampled), abs=0.08)


def test_a_median_of_five_values_has_no_interval():
    # 1 - 2^(1 - 5) = 93.75%: even from the least to the greatest is no 95% interval.
    assert np.isnan(median_interval(np.arange(5.0), np.random.default_rng(0))).all()
