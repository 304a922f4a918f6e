"""Outcomes of metrics on contrastive items: counts by stratum, and estimates with intervals and first places.

Every contrastive table is a weighted sum of shares: an accuracy is one share, a category is the mean of its phenomena's shares,
the ACES-Score a weighted sum of them, a gain the difference of two. One function therefore serves all of them: counts by
stratum and one row of weights per metric yield value, interval and place.

Intervals: Wilson's for a single share, combined for a sum of several (`weighted_interval`), so one right answer out of one is
not treated as certainty. First place goes to the best value and to every metric that a one-sided paired test, on the items both
scored, does not show to be worse at 0.05. For a single stratum this is the exact sign test. For a sum of several it is a paired
bootstrap, whose p is at least that of a sign test on the same number of items. A correction treats all comparisons in one table
as one family.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.core.errors import count as counted
from assay.core.item import Item
from assay.core.memory import refuse_beyond_memory
from assay.core.suite import Measured
from assay.stats.multiple import correct_family
from assay.stats.paired import Duels, duels, share_first, sign_test, weighted_difference_test
from assay.stats.proportions import weighted_interval, wilson_bounds

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Outcome for every metric on every item, as [metric, item] columns. The card defines the direction."""

    scored: Bools
    better: Bools
    """Whether the good translation scored strictly better."""
    tied: Bools

    def take(self, items: Ints) -> Outcomes:
        """Return the selected items in the given order; an item may be repeated if it belongs to two groups."""
        return Outcomes(self.scored[:, items], self.better[:, items], self.tied[:, items])


@dataclass(frozen=True, slots=True)
class Counts:
    """Outcomes counted by stratum, [metric, stratum]; `duels` compares metrics on the items that both scored."""

    n: Ints
    hits: Ints
    ties: Ints
    unscored: Ints
    duels: Duels
    low: Floats
    """Wilson's lower bound of hits / n; NaN if n is 0."""
    high: Floats


@dataclass(frozen=True, slots=True)
class Estimate:
    """One number with its interval; `first` is True if it shares first place."""

    value: float
    low: float
    high: float
    first: bool


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings of tests and intervals: metric names, seed, bootstrap samples, correction for multiple comparisons."""

    names: tuple[str, ...]
    seed: int = 12345
    samples: int = 1000
    correction: str = "none"

    def generator(self, *metrics: int) -> np.random.Generator:
        """Return a random generator that depends only on the seed and the names of these metrics."""
        return np.random.default_rng([self.seed, *(zlib.crc32(self.names[m].encode()) for m in metrics)])


def outcomes(items: Sequence[Item], measured: Sequence[Measured]) -> Outcomes:
    """Compare the good with the incorrect translation for every metric; an item with a NaN on either side is unscored."""
    size = (len(measured), len(items))
    scored, better, tied = np.zeros(size, bool), np.zeros(size, bool), np.zeros(size, bool)
    for m, metric in enumerate(measured):
        good, incorrect = raw_scores(metric, len(items))
        scored[m] = ~(np.isnan(good) | np.isnan(incorrect))
        better[m] = good > incorrect if metric.card.higher_is_better else good < incorrect
        tied[m] = good == incorrect
    return Outcomes(scored, better, tied)


def raw_scores(metric: Measured, size: int) -> tuple[Floats, Floats]:
    """Return the metric's good and incorrect scores as columns, checked against the number of items."""
    if metric.good is None or metric.incorrect is None:
        raise InputError(f"{metric.name} has no scores for the good and incorrect translations of this suite.")
    for side, column in (("good", metric.good), ("incorrect", metric.incorrect)):
        if len(column) != size:
            raise InputError(
                f"{metric.name} has {len(column):,} scores of {side} translations for {counted(size, 'item')}."
            )
    return metric.good, metric.incorrect


def count(outcome: Outcomes, strata: Ints, size: int, sampling: Sampling, right: Bools | None = None) -> Counts:
    """Count outcomes by stratum (`strata` contains each item's stratum; -1 excludes it). `right` replaces "strictly better"."""
    included = np.flatnonzero(strata >= 0)
    codes = strata[included]
    scored = outcome.scored[:, included]
    hit = scored & (outcome.better if right is None else right)[:, included]

    def by_stratum(mask: Bools) -> Ints:
        return np.array([np.bincount(codes[row], minlength=size) for row in mask], np.int64).reshape(len(mask), size)

    n, hits = by_stratum(scored), by_stratum(hit)
    refuse_beyond_memory("--samples", sampling.samples, 4 * size * np.dtype(np.float64).itemsize)
    low, high = wilson_bounds(hits, n)
    return Counts(
        n=n,
        hits=hits,
        ties=by_stratum(scored & outcome.tied[:, included]),
        unscored=by_stratum(~scored),
        duels=duels(hit, scored, codes, size),
        low=low,
        high=high,
    )


def mean_weights(counts: Counts, strata: Sequence[int]) -> Floats:
    """Return weights [metric, stratum] for the unweighted mean over those `strata` with items that the metric scored."""
    weights = np.zeros(counts.n.shape)
    weights[:, list(strata)] = counts.n[:, list(strata)] > 0
    with np.errstate(invalid="ignore"):
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def difference_weights(counts: Counts, plus: int, minus: int) -> Floats:
    """Return weights [metric, stratum] for one share minus another; NaN for a metric that scored only one of them."""
    weights = np.zeros(counts.n.shape)
    weights[:, plus], weights[:, minus] = 1.0, -1.0
    weights[(counts.n[:, plus] == 0) | (counts.n[:, minus] == 0)] = np.nan
    return weights


def estimates(
    counts: Counts, weightings: Sequence[Floats], sampling: Sampling, *, tau: bool = False, race: bool = True
) -> list[list[Estimate | None]]:
    """Return, for each weighting [metric, stratum], each metric's estimate; None if its weights are NaN.

    With `tau`, a share a counts as 2a - 1 (right minus wrong), the Kendall tau-like statistic of WMT's challenge sets.
    """
    values = np.array([[_weighted(counts, m, row, tau) for m, row in enumerate(rows)] for rows in weightings])
    values = values.reshape(len(weightings), len(counts.n))
    p = np.array([_worse_than_best(counts, rows, values[i], sampling) for i, rows in enumerate(weightings)])
    p = correct_family(p, sampling.correction)
    result: list[list[Estimate | None]] = []
    for i, rows in enumerate(weightings):
        several = race and np.count_nonzero(~np.isnan(values[i])) > 1
        first = share_first(values[i], p[i]) & several
        line: list[Estimate | None] = []
        for m, weights in enumerate(rows):
            if np.isnan(values[i, m]):
                line.append(None)
                continue
            low, high = _interval(counts, m, weights, tau)
            line.append(Estimate(float(values[i, m]), low, high, bool(first[m])))
        result.append(line)
    return result


def _weighted(counts: Counts, m: int, weights: Floats, tau: bool) -> float:
    used = np.flatnonzero(weights)
    if not len(used) or np.isnan(weights).any():
        return float("nan")
    shares = counts.hits[m, used] / counts.n[m, used]
    return float(weights[used] @ (2 * shares - 1 if tau else shares))


def _interval(counts: Counts, m: int, weights: Floats, tau: bool) -> tuple[float, float]:
    used = np.flatnonzero(weights)
    shares = counts.hits[m, used] / counts.n[m, used]
    low, high = weighted_interval(weights[used], shares, counts.low[m, used], counts.high[m, used])
    shift = float(weights[used].sum()) if tau else 0.0
    return (2 * low - shift, 2 * high - shift) if tau else (low, high)


def _worse_than_best(counts: Counts, rows: Floats, values: Floats, sampling: Sampling) -> Floats:
    """Return one p-value per metric: that it is worse than the best. NaN for the best itself or if untested."""
    p = np.full(len(values), np.nan)
    if np.count_nonzero(~np.isnan(values)) < 2:
        return p
    best = int(np.nanargmax(values))
    for m in range(len(values)):
        if m == best or np.isnan(values[m]):
            continue
        shared = np.flatnonzero((rows[best] != 0) & (rows[m] != 0) & (counts.duels.common[best, m] > 0))
        wins, losses = counts.duels.wins[best, m, shared], counts.duels.wins[m, best, shared]
        if not len(shared):
            continue
        if len(shared) == 1 and rows[best, shared[0]] > 0:
            p[m] = sign_test(int(wins[0]), int(losses[0]))
        else:
            n = counts.duels.common[best, m, shared]
            generator = sampling.generator(best, m)
            p[m] = weighted_difference_test(wins, losses, n, rows[best, shared], generator, sampling.samples)
    return p
