"""Who is really first? Paired tests of one contestant against the best, on the items that both answered."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.distributions import binomial_tail

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Duels(NamedTuple):
    """For contestants i and j and every stratum: items that both answered, and those that only i got right."""

    wins: Ints
    """[i, j, stratum]: i right, j wrong."""
    common: Ints
    """[i, j, stratum]: answered by both."""


def duels(right: NDArray[np.bool_], answered: NDArray[np.bool_], strata: Ints, size: int) -> Duels:
    """Count every pair's duels. `right` and `answered` are [contestant, item]; `strata` numbers each item's stratum."""
    contestants = len(right)
    wins = np.zeros((contestants, contestants, size), np.int64)
    common = np.zeros_like(wins)
    wrong = answered & ~right
    correct = answered & right
    for i in range(contestants):
        for j in range(contestants):
            wins[i, j] = np.bincount(strata[correct[i] & wrong[j]], minlength=size)
            if j >= i:
                common[i, j] = common[j, i] = np.bincount(strata[answered[i] & answered[j]], minlength=size)
    return Duels(wins, common)


def sign_test(wins: int, losses: int) -> float:
    """One-sided exact sign test (McNemar's): chance of at least so many wins if wins and losses were equally likely."""
    return binomial_tail(wins, wins + losses)


def paired_difference_draws(
    wins: ArrayLike, losses: ArrayLike, n: ArrayLike, generator: np.random.Generator, samples: int
) -> Floats:
    """Bootstrap draws of (wins - losses) / n over n pairs of outcomes, one row of `samples` for each n above 0.

    A bootstrap sample of n paired outcomes is a multinomial draw of (first right, second right, same). Drawing those counts is
    exact in distribution and needs no n × samples table of indices.
    """
    wins, losses = np.asarray(wins, np.int64)[..., None], np.asarray(losses, np.int64)[..., None]
    n = np.asarray(n, np.int64)[..., None]
    size = (*n.shape[:-1], samples)
    won = generator.binomial(n, wins / n, size=size)
    remaining = np.maximum(n - wins, 1)
    lost = generator.binomial(n - won, losses / remaining, size=size)
    return np.asarray((won - lost) / n)


def weighted_difference_test(
    wins: ArrayLike,
    losses: ArrayLike,
    n: ArrayLike,
    weights: ArrayLike,
    generator: np.random.Generator,
    samples: int = 1000,
) -> float:
    """One-sided paired bootstrap of a weighted sum of differences, items drawn anew inside each stratum.

    The p-value is (1 + draws at or below zero) / (1 + samples), but never below 1 / 2^d, the least that a sign test of the d items
    on which the two differ could give: resamples of a handful of items agree with each other whatever they are.
    """
    draws = np.asarray(weights, np.float64) @ paired_difference_draws(wins, losses, n, generator, samples)
    differ = int(np.sum(wins) + np.sum(losses))
    return max(bootstrap_p(draws), 0.5**differ)


def bootstrap_p(differences: Floats) -> float:
    """One-sided p-value of bootstrap draws of a difference: (1 + draws at or below zero) / (1 + draws)."""
    return float((1 + np.count_nonzero(differences <= 1e-12)) / (1 + len(differences)))


def share_first(values: Floats, p_worse: Floats, level: float = 0.05) -> NDArray[np.bool_]:
    """Who shares the first place: the best, and everyone whom the (corrected) test does not show to be worse.

    Contestants without a value (NaN) share nothing.
    """
    there = ~np.isnan(values)
    best = np.max(values, initial=-np.inf, where=there)
    return np.asarray(there & ((p_worse >= level) | (values == best)))
