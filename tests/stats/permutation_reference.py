"""Permutation tests of two metrics, one pair at a time, as mt-metrics-eval and nlpstats make them.

They are the reference for the tests of all pairs in `assay.stats.permutation` and `assay.stats.pair_permutation`, and repeat the
draws and, with `exact`, the rounding of those programs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.kernels import _native
from assay.stats import permutation
from assay.stats.groups import Groups
from assay.stats.pair_permutation import Verdicts
from assay.stats.permutation import SLACK, EarlyStop

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Statistic = Callable[[Groups, Floats], Floats]
Swap = Literal["cells", "inputs", "systems", "both"]
Alternative = Literal["greater", "less", "two-sided"]


@dataclass(frozen=True)
class PermutationTest:
    """The p-value, the observed difference first - second, and each draw's statistic of first and second."""

    p: float
    delta: float
    samples: Floats

    @property
    def draws(self) -> int:
        return len(self.samples)


def of_system_means(statistic: Statistic) -> Statistic:
    """The statistic of system scores that are means of segment scores, for groups by system."""

    def of_means(groups: Groups, rows: Floats) -> Floats:
        n = len(groups.sizes)
        means = Groups(groups.sums(groups.gold) / groups.sizes, np.array([0, n]), np.arange(n), (n, 1))
        return statistic(means, np.ascontiguousarray(groups.sums(rows) / groups.sizes))

    return of_means


def calibrated_accuracy(groups: Groups, rows: Floats) -> Floats:
    """Accuracy with ties, the tie threshold calibrated again for every row."""
    return _native.tie_calibration(groups.gold, rows, groups.starts)[1]


def permutation_test(
    groups: Groups,
    first: Floats,
    second: Floats,
    statistic: Statistic,
    *,
    rng: Any,
    draws: int = 1000,
    swap: Swap = "cells",
    alternative: Alternative = "greater",
    early: EarlyStop | None = None,
    exact: bool = False,
) -> PermutationTest:
    """Test whether `first` agrees better with human judgements than `second` by the statistic.

    `exact` repeats two faults of mt-metrics-eval: a draw that equals the observed difference but for rounding may not count, and
    with `calibrated_accuracy` scores are standardised over, and draws made for, cells that nobody judged.
    """
    everywhere = exact and statistic is calibrated_accuracy
    a, b = (_standardised(groups, scores, everywhere) for scores in (first, second))
    at_first, at_second = statistic(groups, np.stack([a, b]))
    delta = float(at_first - at_second)
    slack = 0.0 if exact else SLACK
    samples: list[Floats] = []
    done = 0
    while done < draws:
        size = min(early.block if early else 100, draws - done)
        swapped = swaps(rng, groups, size, swap, everywhere)
        hybrids = np.concatenate([np.where(swapped, b, a), np.where(swapped, a, b)])
        samples.append(statistic(groups, hybrids).reshape(2, -1).T)
        done += size
        if early and done % early.block == 0:
            p = float(_reached(np.concatenate(samples), delta, alternative, slack).mean())
            if p < early.low or p > early.high:
                break
    pairs = np.concatenate(samples)
    return PermutationTest(float(_reached(pairs, delta, alternative, slack).mean()), delta, pairs)


def swaps(rng: Any, groups: Groups, draws: int, swap: Swap, everywhere: bool = False) -> Bools:
    """Which judged cells are swapped, for every draw: single cells, whole segments, whole systems, or the last two."""
    systems, items = groups.shape
    if swap == "cells":
        if everywhere:
            return permutation.swaps(rng, systems * items, draws)[:, groups.cells]
        return permutation.swaps(rng, len(groups.gold), draws)
    if swap == "systems":
        return (rng.rand(draws, systems) > 0.5)[:, groups.systems]
    if swap == "inputs":
        return (rng.rand(draws, items) > 0.5)[:, groups.items]
    flips = rng.rand(draws, systems + items) > 0.5
    return np.asarray(flips[:, groups.systems] ^ flips[:, systems + groups.items])


def _standardised(groups: Groups, scores: Floats, everywhere: bool) -> Floats:
    row = groups.rows(scores)[0]
    basis = np.asarray(scores, dtype=np.float64) if everywhere else row
    spread = basis.std()
    return np.asarray((row - basis.mean()) / (spread if spread > 0 else 1.0))


def _reached(samples: Floats, delta: float, alternative: Alternative, slack: float) -> Bools:
    difference = samples[:, 0] - samples[:, 1]
    if alternative == "two-sided":
        return np.asarray(np.abs(difference) >= abs(delta) - slack)
    return np.asarray(difference >= delta - slack if alternative == "greater" else difference <= delta + slack)


def pair_permutation_test(
    groups: Groups,
    first: Floats,
    second: Floats,
    *,
    rng: Any,
    draws: int = 1000,
    early: EarlyStop | None = None,
    exact: bool = False,
) -> PermutationTest:
    """Test whether `first` has a higher accuracy with ties than `second`; tie thresholds are calibrated.

    mt-metrics-eval looks whether to stop only at block ends whose last draw happened to reach the observed difference, and a
    draw that equals it but for rounding may not count; `exact` repeats both.
    """
    verdicts = Verdicts(groups, np.stack([first, second]))
    if exact:
        (a, b), samples = _rounded_samples(verdicts, rng, draws)
    else:
        a, b = verdicts.accuracy
        kept = verdicts.kept(verdicts.masks(rng, draws))
        samples = np.stack([kept[:, 0] + b - kept[:, 1], kept[:, 1] + a - kept[:, 0]], axis=1)
    reached = samples[:, 0] - samples[:, 1] >= a - b - (0 if exact else SLACK)
    if early:
        for done in range(early.block, draws + 1, early.block):
            p = reached[:done].mean()
            if (reached[done - 1] or not exact) and (p < early.low or p > early.high):
                reached, samples = reached[:done], samples[:done]
                break
    return PermutationTest(float(reached.mean()), float(a - b), samples)


def _rounded_samples(verdicts: Verdicts, rng: Any, draws: int) -> tuple[Floats, Floats]:
    """Accuracies and samples as mt-metrics-eval rounds them: a mean over groups of each group's share."""
    pairs = verdicts.groups.pairs[verdicts.groups.usable]
    starts = np.concatenate([[0], np.cumsum(pairs)[:-1]])

    def mean(correct: NDArray[np.uint8]) -> Floats:
        return np.asarray((np.add.reduceat(correct, starts, axis=1, dtype=np.int64) / pairs).mean(axis=1))

    keep = verdicts.flips(rng, draws) == 1
    first, second = verdicts.correct
    hybrids = [mean(np.where(keep, first, second)), mean(np.where(keep, second, first))]
    return mean(verdicts.correct), np.stack(hybrids, axis=1)
