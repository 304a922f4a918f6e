"""Quantiles of many beta distributions at once: hundreds of cells of a table have an interval each."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
TOLERANCE = 1e-8
"""How exact a quantile is: far finer than anybody reads an interval."""


def beta_quantiles(a: ArrayLike, b: ArrayLike, share: float) -> Floats:
    """The values below which `share` of beta distributions lies; 0 or 1 for one that has all its weight there."""
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    found = np.where(first <= 0, 0.0, 1.0)
    places: NDArray[Any] = np.flatnonzero((first > 0) & (second > 0))
    state: list[Floats] = [first.flat[places], second.flat[places], np.zeros(len(places)), np.ones(len(places))]
    state += [_log_betas(state[0], state[1]), _near_quantiles(state[0], state[1], share)]
    for _ in range(100):
        a, b, low, high, log_beta, x = state
        off = incomplete_betas(a, b, x, log_beta) - share
        low, high = np.where(off < 0, x, low), np.where(off < 0, high, x)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = x - off / np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - log_beta)
            inside = (low < step) & (step < high)
        new = np.where(inside, step, (low + high) / 2)  # Newton's step, or half the bracket where it leaves it
        found.flat[places] = new
        going = np.abs(new - x) >= TOLERANCE
        if not going.any():
            break
        places, state = places[going], [values[going] for values in (a, b, low, high, log_beta, new)]
    return found


def _near_quantiles(a: Floats, b: Floats, share: float) -> Floats:
    """About where a quantile lies, by the normal distribution (Abramowitz and Stegun 26.5.22); the mean of a slanted one."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        y, below, above = -NormalDist().inv_cdf(share), 1 / (2 * a - 1), 1 / (2 * b - 1)
        part, middle = (y * y - 3) / 6, 2 / (below + above)
        w = y * np.sqrt(np.maximum(0.0, middle + part)) / middle - (above - below) * (part + 5 / 6 - 2 / (3 * middle))
        near = np.clip(a / (a + b * np.exp(2 * w)), 1e-12, 1 - 1e-12)
    return np.where(np.minimum(a, b) <= 1, a / (a + b), near)


def incomplete_betas(a: Floats, b: Floats, x: Floats, log_beta: Floats) -> Floats:
    """The regularised incomplete beta function I_x(a, b) of each triple: what `distributions.incomplete_beta` gives for one."""
    with np.errstate(divide="ignore"):
        front = np.exp(a * np.log(x) + b * np.log1p(-x) - log_beta)
    below = x < (a + 1) / (a + b + 2)  # the side where the fraction converges fast
    near, far = np.where(below, a, b), np.where(below, b, a)
    part = front * _fractions(near, far, np.where(below, x, 1 - x)) / near
    return np.where(below, part, 1 - part)


def _fractions(a: Floats, b: Floats, x: Floats) -> Floats:
    """Lentz's evaluation of the continued fraction (Abramowitz and Stegun 26.5.8); what has converged stays as it is."""
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
