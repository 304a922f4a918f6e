from __future__ import annotations

import math

import pytest
import scipy.special
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from assay.stats.distributions import (
    binomial_tail,
    incomplete_beta,
    normal_sf,
    t_tail,
    t_two_sided,
)


@pytest.mark.parametrize("z", [-38.0, -8.0, -1.96, -0.1, 0.0, 0.3, 1.96, 6.0, 30.0])
def test_normal_equals_scipy(z):
    assert normal_sf(z) == pytest.approx(stats.norm.sf(z), rel=1e-10)


# scipy loses digits for tiny t: at t = 1e-8 and df = 1 the exact value is 1 - 2e-8 / pi
@given(st.floats(1e-3, 200.0), st.floats(1.0, 1e6))
def test_student_t_equals_scipy(t, df):
    expected = 2 * stats.t.sf(t, df)
    if expected > 1e-280:
        # scipy itself is only good to about 1e-9 beyond df 1e5 and p 1e-100
        assert t_two_sided(t, df) == pytest.approx(expected, rel=1e-10 if df < 1e4 else 1e-8)


def test_student_t_far_out_in_the_tail():
    assert t_two_sided(30.0, 1998.0) == pytest.approx(2 * stats.t.sf(30.0, 1998.0), rel=1e-10)
    # with one degree of freedom t is Cauchy: P(|T| >= t) = 2 atan(1/t) / pi
    assert t_two_sided(1e8, 1.0) == pytest.approx(2 * math.atan(1e-8) / math.pi, rel=1e-12)
    assert t_two_sided(1e-8, 1.0) == pytest.approx(1 - 2e-8 / math.pi, rel=1e-12)
    assert t_two_sided(0.0, 5.0) == 1.0
    assert t_two_sided(math.inf, 10.0) == 0.0
    assert math.isnan(t_two_sided(math.nan, 10.0))


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_binomial_tail_equals_scipy(successes, failures):
    expected = stats.binom.sf(successes - 1, successes + failures, 0.5)
    if expected > 1e-280:
        assert binomial_tail(successes, successes + failures) == pytest.approx(expected, rel=1e-9)


def test_binomial_tail_by_hand():
    # at least 4 of 5 heads: (5 + 1) / 32
    assert binomial_tail(4, 5) == pytest.approx(6 / 32, rel=1e-14)
    assert binomial_tail(0, 0) == 1.0
    assert binomial_tail(3, 2) == 0.0


@given(st.floats(0.05, 500.0), st.floats(0.05, 500.0), st.floats(0.0, 1.0))
def test_incomplete_beta_equals_scipy(a, b, x):
    assert incomplete_beta(a, b, x, 1 - x) == pytest.approx(special.betainc(a, b, x), rel=1e-9, abs=1e-12)


@given(st.floats(-40, 40).filter(lambda t: abs(t) >= 1e-3), st.integers(1, 5000))
def test_t_tail_equals_scipy(t, df):
    assert t_tail(t, df) == pytest.approx(scipy.stats.t.sf(t, df), rel=1e-9, abs=1e-300)


@given(st.floats(0.1, 500), st.floats(0.1, 50), st.floats(0, 1))
def test_incomplete_beta_equals_scipy_to_the_tails(a, b, x):
    assert incomplete_beta(a, b, x, 1 - x) == pytest.approx(scipy.special.betainc(a, b, x), rel=1e-8, abs=1e-13)


def test_far_tails_keep_their_digits():
    assert t_tail(45.0, 2000) == pytest.approx(scipy.stats.t.sf(45.0, 2000), rel=1e-9)
    assert normal_sf(20.0) == pytest.approx(scipy.stats.norm.sf(20.0), rel=1e-12)
