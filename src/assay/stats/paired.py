"""Paired tests of each metric against the best one, on the items that both of them scored."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.distributions import binomial_tail

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Duels(NamedTuple):
    """Head-to-head counts for every pair of contestants i and j in every stratum."""

    wins: Ints
    """[i, j, stratum]: items that i got right and j wrong."""
    common: Ints
    """[i, j, stratum]: items that both answered."""


def duels(right: NDArray[np.bool_], answered: NDArray[np.bool_], strata: Ints, size: int) -> Duels:
    """Count the items on which each contestant beats each other one. `right` and `answered` are [contestant, item]."""
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
    """Return the one-sided exact sign test (McNemar's): chance of at least this many wins if wins and losses are equally likely."""
    return binomial_tail(wins, wins + losses)


def paired_difference_draws(
    wins: ArrayLike, losses: ArrayLike, n: ArrayLike, generator: np.random.Generator, samples: int
) -> Floats:
    """Draw bootstrap values of (wins - losses) / n over n pairs of outcomes, one row of `samples` per n above 0.

    A bootstrap sample of n paired outcomes is a multinomial draw of (first right, second right, same). Drawing those counts
    is exact in distribution and needs no n × samples table of indices.
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
    """Run a one-sided paired bootstrap test of a weighted sum of differences, resampling items within each stratum.

    The p-value is (1 + draws at or below zero) / (1 + samples), but at least 1 / 2^d, the lowest p of a sign test on the d
    items on which the two differ. Resamples of a handful of items agree with each other whatever the items are.
    """
    draws = np.asarray(weights, np.float64) @ paired_difference_draws(wins, losses, n, generator, samples)
    differ = int(np.sum(wins) + np.sum(losses))
    return max(bootstrap_p(draws), 0.5**differ)


def bootstrap_p(differences: Floats) -> float:
    """One-sided p-value of bootstrap draws of a difference: (1 + draws at or below zero) / (1 + draws)."""
    return float((1 + np.count_nonzero(differences <= 1e-12)) / (1 + len(differences)))


def share_first(values: Floats, p_worse: Floats, level: float = 0.05) -> NDArray[np.bool_]:
    """Return who shares first place: the best, and everyone whom the (corrected) test does not show to be worse.

    Contestants without a value (NaN) are excluded.
    """
    scored = ~np.isnan(values)
    best = np.max(values, initial=-np.inf, where=scored)
    return np.asarray(scored & ((p_worse >= level) | (values == best)))
