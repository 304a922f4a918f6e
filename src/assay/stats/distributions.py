"""Tail probabilities of the normal, Student's t and binomial distributions, accurate far into the tails."""

from __future__ import annotations

import math

_TINY = 1e-300
_EPSILON = 1e-16


def normal_sf(z: float) -> float:
    """Return P(Z > z) for a standard normal Z, without losing digits for large z."""
    return 0.5 * math.erfc(z / math.sqrt(2.0))


def binomial_tail(successes: int, trials: int, probability: float = 0.5) -> float:
    """Return P(X >= successes) for binomial X."""
    if successes <= 0:
        return 1.0
    if successes > trials:
        return 0.0
    return incomplete_beta(successes, trials - successes + 1, probability, 1.0 - probability)


def incomplete_beta(a: float, b: float, x: float, complement: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b). `complement` is 1 - x, passed separately to keep its digits.

    The continued fraction (Abramowitz and Stegun 26.5.8) is evaluated by Lentz's method on the side where it converges
    fast.
    """
    if x <= 0.0:
        return 0.0
    if complement <= 0.0:
        return 1.0
    log_x = math.log(x) if x < 0.5 else math.log1p(-complement)
    log_complement = math.log(complement) if complement < 0.5 else math.log1p(-x)
    log_front = a * log_x + b * log_complement - _log_beta(a, b)
    if x < (a + 1.0) / (a + b + 2.0):
        return math.exp(log_front) * _beta_fraction(a, b, x) / a
    return 1.0 - math.exp(log_front) * _beta_fraction(b, a, complement) / b


def _beta_fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, 100_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)),
        ):
            d = 1.0 / _away_from_zero(1.0 + numerator * d)
            c = _away_from_zero(1.0 + numerator / c)
            value *= c * d
        if abs(c * d - 1.0) < _EPSILON:
            break
    return value


def _away_from_zero(value: float) -> float:
    return _TINY if abs(value) < _TINY else value


def _log_beta(a: float, b: float) -> float:
    small, large = min(a, b), max(a, b)
    if small == 0.5 and large >= 20.0:
        return 0.5 * math.log(math.pi) - _log_gamma_step(large)
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _log_gamma_step(a: float) -> float:
    """Return log(Γ(a + 1/2) / Γ(a)) for large a, where a difference of two lgamma values would lose digits."""
    inverse = 1.0 / (a * a)
    series = -1 / 8 + inverse * (1 / 192 + inverse * (-1 / 640 + inverse * (17 / 14336 - inverse * 31 / 18432)))
    return 0.5 * math.log(a) + series / a


def t_two_sided(t: float, df: float) -> float:
    """Return P(|T| >= |t|) for Student's t with `df` degrees of freedom, which may be fractional; NaN unless df > 0."""
    if math.isnan(t) or not df > 0:
        return math.nan
    if math.isinf(t):
        return 0.0
    square = t * t
    return incomplete_beta(df / 2, 0.5, df / (df + square), square / (df + square))


def t_tail(t: float, df: float) -> float:
    """Return P(T > t) for Student's t with `df` degrees of freedom; NaN unless df > 0."""
    half = 0.5 * t_two_sided(t, df)
    return half if t >= 0 else 1 - half
