from __future__ import annotations

import itertools

import pytest
import scipy.special
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.distributions import incomplete_beta, normal_sf
from assay.stats.tails import correlation_p, kendall_exact_p, t_tail


@given(st.floats(-40, 40), st.integers(1, 5000))
def test_t_tail_equals_scipy(t, df):
    assert t_tail(t, df) == pytest.approx(scipy.stats.t.sf(t, df), rel=1e-9, abs=1e-300)


@given(st.floats(0.1, 500), st.floats(0.1, 50), st.floats(0, 1))
def test_incomplete_beta_equals_scipy(a, b, x):
    assert incomplete_beta(a, b, x, 1 - x) == pytest.approx(scipy.special.betainc(a, b, x), rel=1e-8, abs=1e-13)


def test_far_tails_keep_their_digits():
    assert t_tail(45.0, 2000) == pytest.approx(scipy.stats.t.sf(45.0, 2000), rel=1e-9)
    assert normal_sf(20.0) == pytest.approx(scipy.stats.norm.sf(20.0), rel=1e-12)
    assert correlation_p(0.5, 3000) == pytest.approx(2 * scipy.stats.t.sf(0.5 * (2998 / 0.75) ** 0.5, 2998), rel=1e-9)


def test_kendall_exact_p_counts_permutations():
    for n in range(2, 7):
        discordant = [
            sum(a > b for a, b in itertools.combinations(order, 2)) for order in itertools.permutations(range(n))
        ]
        for k in set(discordant):
            fewer = min(k, n * (n - 1) // 2 - k)
            tail = sum(d <= fewer for d in discordant) / len(discordant)
            assert kendall_exact_p(n, k) == pytest.approx(min(1.0, 2 * tail))
