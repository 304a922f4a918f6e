"""Bootstrap, paired bootstrap and paired approximate randomization over sufficient statistics.

The random draws, their order and the p-values are those of sacrebleu's significance tests (Koehn 2004; Riezler and Maxwell
2005; Clark et al. 2011), so the same seed gives the same p-value. Statistics are summed in native code and combined into
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
"""Number of random indices or bits held at a time: 32 MB of indices, regardless of the number of segments."""


FEWEST_FOR_MEDIAN = 6


@dataclass(frozen=True, slots=True)
class Interval:
    """A bootstrap estimate: mean of the resampled scores, half-width and bounds of the 95% interval."""

    mean: float
    half_width: float
    low: float
    high: float


def interval(scores: Floats) -> Interval:
    """Return the central 95% of resampled scores, cut as in sacrebleu (one fortieth at each end).

    If all resamples have the same score, as for a single segment, the bounds are NaN instead of an interval of width zero.
    """
    ordered = np.sort(scores)
    cut = len(ordered) // 40
    low, high = float(ordered[cut]), float(ordered[len(ordered) - cut - 1])
    if ordered[0] == ordered[-1]:
        low = high = math.nan
    return Interval(float(scores.mean()), 0.5 * (high - low), low, high)


def percentile_interval(draws: Floats, level: float = 0.95) -> tuple[float, float]:
    """Return the percentile interval of bootstrap draws; NaN if all draws are the same, which does not imply certainty."""
    if draws.min() == draws.max():
        return np.nan, np.nan
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(draws, [tail, 1.0 - tail])
    return float(low), float(high)


def median_interval(
    values: Floats, generator: np.random.Generator, samples: int = 1000, level: float = 0.95
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the median; NaN for fewer than six values.

    The full range of n values contains the population median with probability 1 - 2^(1 - n), which reaches 95% at six.

    The middle of a resample is drawn directly. The k-th smallest of n uniform numbers is Beta(k, n - k + 1), and the sample
    quantile at that level is the k-th smallest value of the resample. For an even n the two middle values are drawn one after
    the other.
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
    """Return the summed statistics of `samples` bootstrap resamples of the rows of `stats`, one resample per row."""
    rng = np.random.default_rng(seed)
    stats = np.ascontiguousarray(stats, dtype=np.float64)
    parts = []
    for many in _in_steps(samples, len(stats)):
        indices = rng.choice(len(stats), size=(many, len(stats)), replace=True)
        parts.append(_native.resample_sums(stats, indices))
    return np.concatenate(parts)


def randomization_sums(difference: Floats, trials: int, seed: int | None) -> Floats:
    """Return, for each trial, the sum of the rows of `difference` that a fair coin selects.

    numpy's boolean draws are the bits of consecutive 32-bit words, lowest first. Drawing the words themselves gives the
    same bits in a 32nd of the memory and allows drawing them in steps.
    """
    rng = np.random.default_rng(seed)
    difference = np.ascontiguousarray(difference, dtype=np.float64)
    n = len(difference)
    parts: list[Floats] = []
    # Steps are multiples of 32 trials, so each step but the last ends at a word boundary.
    for many in _in_steps(trials, n, 32):
        words = rng.integers(0, 2**32, size=-(-many * n // 32), dtype=np.uint32)
        parts.append(_native.bit_sums(difference, words, many))
    return np.concatenate(parts)


def _in_steps(total: int, width: int, multiple: int = 1) -> Iterator[int]:
    step = max(1, DRAWS_AT_ONCE // max(width, 1) // multiple) * multiple
    for start in range(0, total, step):
        yield min(step, total - start)


def p_value(draws: Floats, observed: float) -> float:
    """Return the share of draws beyond the observed difference, after adding one to both counts (Clark et al. 2011)."""
    return (int((draws > observed).sum()) + 1) / (len(draws) + 1)


def paired_bootstrap(baseline: Floats, system: Floats, observed: float) -> float:
    """Return the p-value for the difference between two systems from their scores on the same resamples."""
    differences = np.abs(system - baseline)
    return p_value(differences - differences.mean(), observed)


def paired_randomization(
    baseline: Floats, system: Floats, combine: Combine, observed: float, trials: int, seed: int | None
) -> float:
    """Return the p-value for the difference between two systems when the outputs for each segment are swapped at random."""
    picked = randomization_sums(baseline - system, trials, seed)
    first = combine(system.sum(axis=0) + picked)
    second = combine(baseline.sum(axis=0) - picked)
    return p_value(np.abs(first - second), observed)
