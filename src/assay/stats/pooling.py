"""Partial pooling of shares: small groups are shrunk towards the share of all groups (empirical Bayes, beta-binomial).

The true shares of the groups are modelled as draws from one beta distribution. Its mean is the share of all trials. Its
spread, the correlation rho of two trials of one group, is estimated by moments: the spread of the observed shares beyond
chance (Kleinman 1973, with groups weighted by their trials). A group's pooled share is the mean of its posterior, and its
interval the central part of the posterior. A group with many trials keeps its own share; a group with two trials adds
little to the prior.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.proportions import wilson

Floats = NDArray[np.float64]

TOLERANCE = 1e-8
"""Precision of a quantile, far finer than any reported interval."""


def beta_quantiles(a: ArrayLike, b: ArrayLike, share: float) -> Floats:
    """Return the quantile `share` of beta distributions; 0 or 1 if all its weight is there."""
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    quantiles = np.where(first <= 0, 0.0, 1.0)
    pending: NDArray[Any] = np.flatnonzero((first > 0) & (second > 0))
    state: list[Floats] = [first.flat[pending], second.flat[pending], np.zeros(len(pending)), np.ones(len(pending))]
    state += [_log_betas(state[0], state[1]), _near_quantiles(state[0], state[1], share)]
    for _ in range(100):
        a, b, low, high, log_beta, x = state
        off = incomplete_betas(a, b, x, log_beta) - share
        low, high = np.where(off < 0, x, low), np.where(off < 0, high, x)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = x - off / np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - log_beta)
            inside = (low < step) & (step < high)
        new = np.where(inside, step, (low + high) / 2)  # Newton's step, or bisection if the step leaves the bracket
        quantiles.flat[pending] = new
        going = np.abs(new - x) >= TOLERANCE
        if not going.any():
            break
        pending, state = pending[going], [values[going] for values in (a, b, low, high, log_beta, new)]
    return quantiles


def _near_quantiles(a: Floats, b: Floats, share: float) -> Floats:
    """Approximate quantiles by the normal distribution (Abramowitz and Stegun 26.5.22), or by the mean if very skewed."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        y, below, above = -NormalDist().inv_cdf(share), 1 / (2 * a - 1), 1 / (2 * b - 1)
        part, middle = (y * y - 3) / 6, 2 / (below + above)
        w = y * np.sqrt(np.maximum(0.0, middle + part)) / middle - (above - below) * (part + 5 / 6 - 2 / (3 * middle))
        near = np.clip(a / (a + b * np.exp(2 * w)), 1e-12, 1 - 1e-12)
    return np.where(np.minimum(a, b) <= 1, a / (a + b), near)


def incomplete_betas(a: Floats, b: Floats, x: Floats, log_beta: Floats) -> Floats:
    """Return the regularised incomplete beta function I_x(a, b), vectorised over arrays; see `distributions.incomplete_beta`."""
    with np.errstate(divide="ignore"):
        front = np.exp(a * np.log(x) + b * np.log1p(-x) - log_beta)
    below = x < (a + 1) / (a + b + 2)  # the side where the fraction converges fast
    near, far = np.where(below, a, b), np.where(below, b, a)
    part = front * _fractions(near, far, np.where(below, x, 1 - x)) / near
    return np.where(below, part, 1 - part)


def _fractions(a: Floats, b: Floats, x: Floats) -> Floats:
    """Evaluate the continued fraction (Abramowitz and Stegun 26.5.8) by Lentz's method; converged entries stay unchanged."""
    value = d = 1 / (1 - (a + b) * x / (a + 1))
    c, going = np.ones(len(a)), np.ones(len(a), bool)
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + numerator * d)
            c = 1 + numerator / c
            value = np.where(going, value * c * d, value)
        going &= np.abs(c * d - 1) >= 1e-12
        if not going.any():
            break
    return value


def _log_betas(a: Floats, b: Floats) -> Floats:
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    return np.array([math.lgamma(i) + math.lgamma(j) - math.lgamma(i + j) for i, j in pairs])


@dataclass(frozen=True, slots=True)
class Pooled:
    """The groups' pooled shares with their intervals, [..., group]; NaN for a group without trials."""

    shares: Floats
    low: Floats
    high: Floats
    mean: Floats
    """[...]: the share over all trials together."""
    strength: Floats
    """[...]: weight of the prior for one group, in trials; 0 if there is nothing to pool with."""


def pooled_shares(k: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> Pooled:
    """Pool shares of `k` successes in `n` trials, [..., group], over the groups of the last axis.

    The prior never weighs more than all trials together. If there is only one group, the result is its own share with Wilson's
    interval.
    """
    successes, trials = np.asarray(k, np.float64), np.asarray(n, np.float64)
    tried = trials > 0
    with np.errstate(invalid="ignore"):
        mean = np.asarray(successes.sum(axis=-1) / trials.sum(axis=-1))
    alone = np.count_nonzero(tried, axis=-1) < 2
    strength = np.where(alone, 0.0, _strength(successes, trials, mean))
    a = successes + (strength * mean)[..., None]
    b = trials - successes + (strength * (1 - mean))[..., None]
    shares, low, high = (np.full(trials.shape, np.nan) for _ in range(3))
    shares[tried] = a[tried] / (a + b)[tried]
    pooled = tried & ~alone[..., None]
    low[pooled] = beta_quantiles(a[pooled], b[pooled], 0.5 - confidence / 2)
    high[pooled] = beta_quantiles(a[pooled], b[pooled], 0.5 + confidence / 2)
    for index in zip(*np.nonzero(tried & alone[..., None]), strict=True):
        low[index], high[index] = wilson(int(successes[index]), int(trials[index]), confidence)
    return Pooled(shares, low, high, mean, strength)


def _strength(successes: Floats, trials: Floats, mean: Floats) -> Floats:
    """Return the weight of the prior in trials, (1 - rho) / rho, capped at the number of trials, which is also the result if
    every share is 0 or 1.
    """
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
