"""Partial pooling, by hand and against scipy's beta distribution where it is installed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.stats.pooling import beta_quantiles, pooled_shares
from assay.stats.proportions import wilson


def test_by_hand() -> None:
    # 9 of 10, 3 of 10, 4 of 4: mean 16/24 = 2/3, variance 2/9.
    # Spread: 10 (0.9 - 2/3)² + 10 (0.3 - 2/3)² + 4 (1 - 2/3)² = 7/3, over 2/9 it is 10.5; chance alone gives 3 - 1 = 2.
    # Room: 24 - (100 + 100 + 16)/24 - 2 = 13. rho = (10.5 - 2)/13 = 17/26, so the rest is worth (9/26)/(17/26) = 9/17 trials.
    found = pooled_shares([9, 3, 4], [10, 10, 4])
    weight = 9 / 17
    assert found.mean == pytest.approx(2 / 3) and found.strength == pytest.approx(weight)
    assert found.shares == pytest.approx(
        [
            (9 + weight * 2 / 3) / (10 + weight),
            (3 + weight * 2 / 3) / (10 + weight),
            (4 + weight * 2 / 3) / (4 + weight),
        ]
    )
    assert found.shares == pytest.approx([0.888268, 0.318436, 0.961039], abs=1e-6)
    assert (found.low < found.shares).all() and (found.shares < found.high).all()


def test_groups_that_differ_no_more_than_chance_are_pooled_as_far_as_it_goes() -> None:
    # 5 of 10, 5 of 10, 1 of 2: no spread at all, so the rest is worth all 22 trials.
    found = pooled_shares([5, 5, 1], [10, 10, 2])
    assert found.strength == 22 and found.shares == pytest.approx([0.5, 0.5, 0.5])
    alone = pooled_shares([0, 100, 100], [2, 200, 200])
    assert 0.4 < alone.shares[0] < 0.5  # two misses say little against the 400 others


def test_a_group_alone_has_its_own_share_and_one_without_trials_has_none() -> None:
    found = pooled_shares([3, 0], [4, 0])
    assert found.shares[0] == 0.75 and math.isnan(found.shares[1]) and found.strength == 0
    assert (found.low[0], found.high[0]) == wilson(3, 4)
    sure = pooled_shares([4, 6], [4, 6])
    assert sure.shares.tolist() == [1, 1] and sure.high.tolist() == [1, 1]


def test_quantiles_of_the_beta_distribution() -> None:
    # Beta(1, 1) is uniform; Beta(2, 1) has the distribution x², Beta(1, 3) has 1 - (1 - x)³.
    assert beta_quantiles([1], [1], 0.3) == pytest.approx([0.3])
    assert beta_quantiles([2, 2], [1, 1], 0.25) == pytest.approx([0.5, 0.5])
    assert beta_quantiles([1, 0, 3], [3, 2, 0], 0.875) == pytest.approx([0.5, 0, 1])


def test_many_quantiles_equal_scipys() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(5)
    a, b = np.exp(rng.uniform(-3, 7, (2, 2000)))
    for share in (0.025, 0.5, 0.975):
        assert beta_quantiles(a, b, share) == pytest.approx(stats.beta.ppf(share, a, b), abs=1e-7)


def test_several_rows_are_pooled_each_by_itself() -> None:
    k, n = np.array([[9, 3, 4], [3, 0, 0], [5, 5, 1]]), np.array([[10, 10, 4], [4, 0, 0], [10, 10, 2]])
    together = pooled_shares(k, n)
    for i in range(3):
        alone = pooled_shares(k[i], n[i])
        for part in ("shares", "low", "high", "mean", "strength"):
            assert np.array_equal(getattr(together, part)[i], getattr(alone, part), equal_nan=True), part


def test_the_moments_find_the_spread_that_was_put_in() -> None:
    rng = np.random.default_rng(3)
    trials = rng.integers(20, 200, 400)
    found = pooled_shares(rng.binomial(trials, rng.beta(8, 2, 400)), trials)
    assert found.mean == pytest.approx(0.8, abs=0.02) and found.strength == pytest.approx(10, rel=0.25)
