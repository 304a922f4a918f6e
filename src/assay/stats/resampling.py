"""Bootstrap, paired bootstrap and paired approximate randomization over sufficient statistics.

The random draws, their order and the p-values are those of sacrebleu's significance tests (Koehn 2004; Riezler and Maxwell
2005; Clark et al. 2011), so that the same seed gives the same p-value. Statistics are summed natively and combined into
scores all at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.kernels import _native

Floats = NDArray[np.float64]
Combine = Callable[[Floats], Floats]

DRAWS_AT_ONCE = 4_000_000
"""Random indices or bits held at a time: 32 MB of indices, whatever the number of segments."""


FEWEST_FOR_MEDIAN = 6


@dataclass(frozen=True, slots=True)
class Interval:
    """A bootstrap estimate: mean of the resampled scores, half-width and bounds of the 95% interval."""

    mean: float
    half_width: float
    low: float
    high: float


def interval(scores: Floats) -> Interval:
    """The central 95% of resampled scores, cut as sacrebleu cuts it (one fortieth at each end).

    Resamples that never differ, as those of one segment, tell nothing: the bounds are NaN, not a width of nought.
    """
    ordered = np.sort(scores)
    cut = len(ordered) // 40
    low, high = float(ordered[cut]), float(ordered[len(ordered) - cut - 1])
    if ordered[0] == ordered[-1]:
        low = high = math.nan
    return Interval(float(scores.mean()), 0.5 * (high - low), low, high)


def percentile_interval(draws: Floats, level: float = 0.95) -> tuple[float, float]:
    """The percentile interval of bootstrap draws; NaN where they never differ, which is no certainty."""
    if draws.min() == draws.max():
        return np.nan, np.nan
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(draws, [tail, 1.0 - tail])
    return float(low), float(high)


def median_interval(
    values: Floats, generator: np.random.Generator, samples: int = 1000, level: float = 0.95
) -> tuple[float, float]:
    """Percentile bootstrap interval of the median; NaN for fewer than six values.

    The whole range of n values holds the median of what they were drawn from with the chance 1 - 2^(1 - n), and that reaches
    95% with six.

    The middle of a resample is drawn directly: the k-th smallest of n uniform numbers is Beta(k, n - k + 1), and the
    value standing at that height is the resample's k-th smallest. For an even n the two middles are drawn one after the
    other.
    """
    n = len(values)
    if n < FEWEST_FOR_MEDIAN:
        return np.nan, np.nan
    ordered = np.sort(values)
    k = (n + 1) // 2
    height = generator.beta(k, n - k + 1, samples)
    draws = ordered[np.minimum((height * n).astype(np.int64), n - 1)]
    if n % 2 == 0:
        next_height = 1.0 - (1.0 - height) * generator.beta(n - k, 1, samples)
        draws = (draws + ordered[np.minimum((next_height * n).astype(np.int64), n - 1)]) / 2.0
    return percentile_interval(draws, level)


def bootstrap_sums(stats: Floats, samples: int, seed: int | None) -> Floats:
    """Summed statistics of `samples` bootstrap resamples of the rows of `stats`, one resample a row."""
    rng = np.random.default_rng(seed)
    stats = np.ascontiguousarray(stats, dtype=np.float64)
    parts = []
    for many in _in_steps(samples, len(stats)):
        indices = rng.choice(len(stats), size=(many, len(stats)), replace=True)
        parts.append(_native.resample_sums(stats, indices))
    return np.concatenate(parts)


def randomization_sums(difference: Floats, trials: int, seed: int | None) -> Floats:
    """For each trial, the sum of the rows of `difference` that a fair coin picks.

    numpy's boolean draws are the bits of consecutive 32-bit words, lowest first; drawing the words themselves gives the same
    coins in a 32nd of the memory and lets them be drawn in steps.
    """
    rng = np.random.default_rng(seed)
    difference = np.ascontiguousarray(difference, dtype=np.float64)
    n = len(difference)
    parts: list[Floats] = []
    # Steps are a multiple of 32 trials, so that each but the last ends on a word's edge.
    for many in _in_steps(trials, n, 32):
        words = rng.integers(0, 2**32, size=-(-many * n // 32), dtype=np.uint32)
        parts.append(_native.bit_sums(difference, words, many))
    return np.concatenate(parts)


def _in_steps(total: int, width: int, multiple: int = 1) -> Iterator[int]:
    step = max(1, DRAWS_AT_ONCE // max(width, 1) // multiple) * multiple
    for start in range(0, total, step):
        yield min(step, total - start)


def p_value(draws: Floats, observed: float) -> float:
    """Share of draws beyond the observed difference, with one added above and below (Clark et al. 2011)."""
    return (int((draws > observed).sum()) + 1) / (len(draws) + 1)


def paired_bootstrap(baseline: Floats, system: Floats, observed: float) -> float:
    """p-value of the difference between two systems from their resampled scores (the same resamples for both)."""
    differences = np.abs(system - baseline)
    return p_value(differences - differences.mean(), observed)


def paired_randomization(
    baseline: Floats, system: Floats, combine: Combine, observed: float, trials: int, seed: int | None
) -> float:
    """p-value of the difference between two systems when every segment's pair of outputs is swapped by a coin."""
    picked = randomization_sums(baseline - system, trials, seed)
    first = combine(system.sum(axis=0) + picked)
    second = combine(baseline.sum(axis=0) - picked)
    return p_value(np.abs(first - second), observed)
