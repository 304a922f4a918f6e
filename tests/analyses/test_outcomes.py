import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.analyses.outcomes import Sampling, count, difference_weights, estimates, mean_weights, outcomes
from assay.stats.resampling import percentile_interval
from tests.analyses.helpers import item, measured

scores = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0, 2.0, np.nan]), st.sampled_from([0.0, 1.0, 2.0, np.nan]), st.integers(-1, 2)),
    min_size=1,
    max_size=40,
)


@given(scores, st.booleans())
def test_counts_and_means_equal_a_plain_loop(rows, higher):
    items = [item(i) for i in range(len(rows))]
    metric = measured("m", (row[0] for row in rows), (row[1] for row in rows), higher_is_better=higher)
    sampling = Sampling(("m",), samples=5)
    counts = count(outcomes(items, [metric]), np.array([row[2] for row in rows]), 3, sampling)
    shares = []
    for stratum in range(3):
        mine = [(g, b) for g, b, s in rows if s == stratum and g == g and b == b]
        right = sum(g > b if higher else g < b for g, b in mine)
        assert (counts.n[0, stratum], counts.hits[0, stratum]) == (len(mine), right)
        assert counts.ties[0, stratum] == sum(g == b for g, b in mine)
        assert counts.unscored[0, stratum] == sum(s == stratum for _, _, s in rows) - len(mine)
        if mine:
            shares.append(right / len(mine))
    estimate = estimates(counts, [mean_weights(counts, [0, 1, 2])], sampling)[0][0]
    if shares:
        assert estimate.value == pytest.approx(np.mean(shares))
        assert not estimate.first
    else:
        assert estimate is None


def test_intervals_equal_resampling_items():
    generator = np.random.default_rng(0)
    good = generator.random(150)
    items = [item(i) for i in range(150)]
    strata = np.repeat([0, 1], [50, 100])
    sampling = Sampling(("m",), samples=20_000)
    counts = count(outcomes(items, [measured("m", good, [0.4] * 150)]), strata, 2, sampling)
    mean, difference = estimates(
        counts, [mean_weights(counts, [0, 1]), difference_weights(counts, 0, 1)], sampling, tau=True
    )
    signs = np.where(good > 0.4, 1.0, -1.0)
    one = signs[:50][generator.integers(0, 50, (20_000, 50))].mean(axis=1)
    two = signs[50:][generator.integers(0, 100, (20_000, 100))].mean(axis=1)
    assert (mean[0].low, mean[0].high) == pytest.approx(percentile_interval((one + two) / 2), abs=0.025)
    assert (difference[0].low, difference[0].high) == pytest.approx(percentile_interval(one - two), abs=0.04)


def test_a_difference_needs_both_sides():
    items = [item(i) for i in range(2)]
    sampling = Sampling(("m",), samples=5)
    counts = count(outcomes(items, [measured("m", [1, np.nan], [0, 0])]), np.array([0, 1]), 2, sampling)
    assert estimates(counts, [difference_weights(counts, 0, 1)], sampling) == [[None]]


def test_one_item_is_no_certainty_and_nobody_is_worse_by_two():
    items = [item(i) for i in range(2)]
    better, worse = measured("better", [1, 1], [0, 0]), measured("worse", [0, 0], [1, 1])
    sampling = Sampling(("better", "worse"))
    counts = count(outcomes(items, [better, worse]), np.array([0, 1]), 2, sampling)
    single, mean = estimates(counts, [mean_weights(counts, [0]), mean_weights(counts, [0, 1])], sampling)
    # Wilson's lower bound of 1 in 1 is 1 / (1 + 1.959964^2) = 0.2065; of the mean of two such, 1 - 0.7935 / sqrt(2).
    assert (single[0].low, single[0].high) == pytest.approx((0.20655, 1.0), abs=1e-5)
    assert (mean[0].low, mean[0].high) == pytest.approx((1 - 0.79345 / np.sqrt(2), 1.0), abs=1e-5)
    assert [estimate.first for estimate in (*single, *mean)] == [True] * 4
