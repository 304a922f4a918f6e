"""Partial pooling: shares of small groups, drawn towards the share of all groups as far as the groups are alike.

The groups' true shares are taken as draws from one beta distribution (a beta-binomial model). Its mean is the share of all trials;
its spread, the correlation rho of two trials of one group, is estimated by moments (Kleinman 1973, with groups weighted by their
trials): the spread of the observed shares beyond what chance alone gives. A group's pooled share is the mean of its posterior, its
interval the posterior's central part: a group of many trials keeps its own share, a group of two says little more than the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.betas import beta_quantiles
from assay.stats.proportions import wilson

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pooled:
    """The groups' pooled shares with their intervals, [..., group]; NaN for a group without trials."""

    shares: Floats
    low: Floats
    high: Floats
    mean: Floats
    """[...]: the share of all trials together."""
    strength: Floats
    """[...]: how many trials the rest is worth for one group; 0 where there is nothing to pool with."""


def pooled_shares(k: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> Pooled:
    """`k` successes in `n` trials of every group, [..., group], the groups of the last axis pooled with each other.

    The rest is never worth more than the trials there are. With one group only its own share and Wilson's interval remain.
    """
    successes, trials = np.asarray(k, np.float64), np.asarray(n, np.float64)
    some = trials > 0
    with np.errstate(invalid="ignore"):
        mean = np.asarray(successes.sum(axis=-1) / trials.sum(axis=-1))
    alone = np.count_nonzero(some, axis=-1) < 2
    strength = np.where(alone, 0.0, _strength(successes, trials, mean))
    a = successes + (strength * mean)[..., None]
    b = trials - successes + (strength * (1 - mean))[..., None]
    shares, low, high = (np.full(trials.shape, np.nan) for _ in range(3))
    shares[some] = a[some] / (a + b)[some]
    pooled = some & ~alone[..., None]
    low[pooled] = beta_quantiles(a[pooled], b[pooled], 0.5 - confidence / 2)
    high[pooled] = beta_quantiles(a[pooled], b[pooled], 0.5 + confidence / 2)
    for place in zip(*np.nonzero(some & alone[..., None]), strict=True):
        low[place], high[place] = wilson(int(successes[place]), int(trials[place]), confidence)
    return Pooled(shares, low, high, mean, strength)


def _strength(successes: Floats, trials: Floats, mean: Floats) -> Floats:
    """The prior's weight in trials, (1 - rho) / rho, at most all trials; all of them where every share is 0 or 1."""
    whole = trials.sum(axis=-1)
    groups = np.count_nonzero(trials, axis=-1)
    variance = mean * (1 - mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        room = whole - (trials**2).sum(axis=-1) / whole - (groups - 1)
        apart = np.where(trials > 0, successes / trials - mean[..., None], 0.0)
        spread = (trials * apart**2).sum(axis=-1) / variance
        rho = (spread - (groups - 1)) / room
        weight = np.clip((1 - rho) / rho, 0.0, whole)
    return np.asarray(np.where((variance == 0) | (room <= 0) | (rho <= 0), whole, weight))
