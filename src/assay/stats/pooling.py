"""Partial pooling: shares of small groups, drawn towards the share of all groups as far as the groups are alike.

The groups' true shares are taken as draws from one beta distribution (a beta-binomial model). Its mean is the share of all trials;
its spread, the correlation rho of two trials of one group, is estimated by moments (Kleinman 1973, with groups weighted by their
trials): the spread of the observed shares beyond what chance alone gives. A group's pooled share is the mean of its posterior, its
interval the posterior's central part: a group of many trials keeps its own share, a group of two says little more than the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.distributions import incomplete_beta
from assay.stats.proportions import wilson

Floats = NDArray[np.float64]
TOLERANCE = 1e-8
"""How exact a bound is: far finer than anybody reads an interval."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """The groups' pooled shares with their intervals; NaN for a group without trials."""

    shares: Floats
    low: Floats
    high: Floats
    mean: float
    """The share of all trials together."""
    strength: float
    """How many trials the rest is worth for one group; 0 where there is nothing to pool with."""


def pooled_shares(k: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> Pooled:
    """`k` successes in `n` trials of every group, pooled.

    The rest is never worth more than the trials there are. With one group only its own share and Wilson's interval remain.
    """
    successes, trials = np.asarray(k, np.float64), np.asarray(n, np.float64)
    some = trials > 0
    shares, low, high = (np.full(len(trials), np.nan) for _ in range(3))
    whole = float(trials.sum())
    mean = float(successes.sum() / whole) if whole else float("nan")
    if np.count_nonzero(some) < 2:
        for i in np.flatnonzero(some).tolist():
            shares[i] = mean
            low[i], high[i] = wilson(int(successes[i]), int(trials[i]), confidence)
        return Pooled(shares, low, high, mean, 0.0)
    strength = _strength(successes[some], trials[some], mean)
    shares[some] = (successes[some] + strength * mean) / (trials[some] + strength)
    for i in np.flatnonzero(some).tolist():
        a, b = successes[i] + strength * mean, trials[i] - successes[i] + strength * (1 - mean)
        low[i] = beta_quantile(a, b, 0.5 - confidence / 2)
        high[i] = beta_quantile(a, b, 0.5 + confidence / 2)
    return Pooled(shares, low, high, mean, strength)


def _strength(successes: Floats, trials: Floats, mean: float) -> float:
    """The prior's weight in trials, (1 - rho) / rho, at most all trials; all of them where every share is 0 or 1."""
    whole, groups = float(trials.sum()), len(trials)
    variance = mean * (1 - mean)
    room = whole - float((trials**2).sum()) / whole - (groups - 1)
    if variance == 0 or room <= 0:
        return whole
    spread = float((trials * (successes / trials - mean) ** 2).sum()) / variance
    rho = (spread - (groups - 1)) / room
    return whole if rho <= 0 else min(whole, max(0.0, (1 - rho) / rho))


def beta_quantile(a: float, b: float, share: float) -> float:
    """The value below which `share` of a beta distribution lies; 0 or 1 for one that has all its weight there."""
    if a <= 0 or b <= 0:
        return 0.0 if a <= 0 else 1.0
    a, b = float(a), float(b)
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    low, high, x = 0.0, 1.0, _near_quantile(a, b, share)
    for _ in range(100):
        off = incomplete_beta(a, b, x, 1 - x) - share
        low, high = (x, high) if off < 0 else (low, x)
        density = math.exp((a - 1) * math.log(x) + (b - 1) * math.log1p(-x) - log_beta) if 0 < x < 1 else 0.0
        step = x - off / density if density else low
        new = step if low < step < high else (low + high) / 2  # Newton's step, or half the bracket where it leaves it
        if abs(new - x) < TOLERANCE:
            return new
        x = new
    return x


def _near_quantile(a: float, b: float, share: float) -> float:
    """About where a quantile lies, by the normal distribution (Abramowitz and Stegun 26.5.22); the mean of a slanted one."""
    if min(a, b) <= 1:
        return a / (a + b)
    y, below, above = -NormalDist().inv_cdf(share), 1 / (2 * a - 1), 1 / (2 * b - 1)
    part, middle = (y * y - 3) / 6, 2 / (below + above)
    w = y * math.sqrt(max(0.0, middle + part)) / middle - (above - below) * (part + 5 / 6 - 2 / (3 * middle))
    return min(1 - 1e-12, max(1e-12, a / (a + b * math.exp(2 * w))))
