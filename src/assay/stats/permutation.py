"""Is one metric's agreement with people truly better than another's? Permutation tests that swap their scores.

Deutsch et al. (2021): standardise both metrics' scores, swap them at random, and count the draws whose difference in
agreement reaches the observed one. What is swapped says what the conclusion generalises to: single cells (mt-metrics-eval's
PERM-BOTH), whole segments (PERM-INPUT), whole systems (PERM-SYSTEM), or systems and then segments (nlpstats' PERM-BOTH).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.errors import InputError
from assay.kernels import _native
from assay.stats.correlation import pair_counts, pearson_by_group
from assay.stats.groups import Groups, average
from assay.stats.swaps import Swap, masked_sums, swaps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.stats.groups import Floats
    from assay.stats.swaps import Bools, Random


Statistic = Callable[[Groups, "Floats"], "Floats"]
"""Groups and rows of metric scores in, one value a row out."""
Alternative = Literal["greater", "less", "two-sided"]
SLACK = 1e-12
"""Draws that equal the observed difference but for rounding count as reaching it."""


@dataclass(frozen=True)
class EarlyStop:
    """Stop after a whole number of blocks once the p-value so far is below `low` or above `high` (mt-metrics-eval)."""

    block: int = 100
    low: float = 0.02
    high: float = 0.5


@dataclass(frozen=True)
class PermutationTest:
    """The p-value, the observed difference first - second, and each draw's statistic of first and second."""

    p: float
    delta: float
    samples: Floats

    @property
    def draws(self) -> int:
        """Number of draws made."""
        return len(self.samples)


@dataclass(frozen=True)
class PermutationMatrix:
    """For all pairs of metrics: ``p[i, j]`` that i is better than j, the difference i - j, and the draws made.

    `null`, where it was kept, has the difference of every draw (rows) for every pair i < j (columns, as `np.triu_indices`
    lists them).
    """

    p: Floats
    delta: Floats
    draws: NDArray[np.int64]
    null: Floats | None = None


def over_groups(by_group: Callable[[Groups, Floats], Floats], nan_as_zero: bool = False) -> Statistic:
    """A statistic for each group, averaged over groups, such as ``over_groups(pearson_by_group)``."""
    return lambda groups, rows: average(groups, by_group(groups, rows), None, (len(rows),), nan_as_zero).value


def of_system_means(statistic: Statistic) -> Statistic:
    """The statistic of system scores that are means of segment scores; wants groups by system."""

    def of_means(groups: Groups, rows: Floats) -> Floats:
        n = len(groups.sizes)
        means = Groups(groups.sums(groups.gold) / groups.sizes, np.array([0, n]), np.arange(n), (n, 1))
        return statistic(means, np.ascontiguousarray(groups.sums(rows) / groups.sizes))

    return of_means


def calibrated_accuracy(groups: Groups, rows: Floats) -> Floats:
    """Accuracy with ties, the tie threshold calibrated anew for every row."""
    return _native.tie_calibration(groups.gold, rows, groups.starts)[1]


def pooled_pairwise_accuracy(groups: Groups, rows: Floats) -> Floats:
    """Share of pairs within groups ordered as people do, over all groups at once (WMT's system accuracy)."""
    counts = pair_counts(groups, rows).sum(axis=1)
    return np.asarray((counts[:, 0] + counts[:, 4]) / groups.pairs.sum())


def permutation_test(
    groups: Groups,
    first: Floats,
    second: Floats,
    statistic: Statistic,
    *,
    rng: Random,
    draws: int = 1000,
    swap: Swap = "cells",
    alternative: Alternative = "greater",
    early: EarlyStop | None = None,
    exact: bool = False,
) -> PermutationTest:
    """Test whether `first` agrees better with people than `second` by the statistic.

    A legacy ``RandomState`` repeats the draws of mt-metrics-eval (cells) and nlpstats (the other swaps). `exact` repeats two
    faults of mt-metrics-eval: a draw that equals the observed difference but for rounding may not count, and with
    `calibrated_accuracy` scores are standardised over, and draws made for, cells that nobody judged.
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
        samples.append(_of_swapped(statistic, groups, a, b, swapped).T)
        done += size
        if early and done % early.block == 0:
            p = float(_reached(np.concatenate(samples), delta, alternative, slack).mean())
            if p < early.low or p > early.high:
                break
    pairs = np.concatenate(samples) if samples else np.empty((0, 2))
    return PermutationTest(float(_reached(pairs, delta, alternative, slack).mean()) if done else np.nan, delta, pairs)


def permutation_matrix(
    groups: Groups,
    metrics: Floats,
    statistic: Statistic | None = None,
    *,
    rng: Random,
    draws: int = 1000,
    swap: Swap = "cells",
    early: EarlyStop | None = None,
    keep: bool = False,
) -> PermutationMatrix:
    """Test every pair of metrics (a stack of score matrices) with the same random swaps.

    Without a statistic it is Pearson's r over all cells: a metric's sums under a mask then serve every pair it is in, so that
    a draw costs three dot products a metric. Other statistics are computed on the swapped scores of every pair.
    """
    rows = np.stack([_standardised(groups, scores) for scores in metrics])
    left, right = np.triu_indices(len(rows), 1)
    if statistic is None:
        if len(groups.sizes) != 1:
            raise InputError("all pairs by plain Pearson need ungrouped scores; pass over_groups(pearson_by_group).")
        source: _PearsonDraws | _AnyDraws = _PearsonDraws(groups, rows, left, right)
        observed = pearson_by_group(groups, rows)[:, 0]
    else:
        source = _AnyDraws(groups, rows, left, right, statistic)
        observed = statistic(groups, rows)
    delta = np.subtract.outer(observed, observed)
    tally = PermutationTally(delta[left, right], early, keep)
    done = 0
    while done < draws and not tally.finished:
        size = min(early.block if early else source.block, draws - done)
        tally.add(source(swaps(rng, groups, size, swap)))
        done += size
    return tally.matrix(len(rows), delta)


class PermutationTally:
    """Counts, for both directions of every pair, the draws that reach the observed difference; each may stop early."""

    def __init__(self, delta: Floats, early: EarlyStop | None, keep: bool = False) -> None:
        self.delta = np.stack([delta, -delta])
        self.early = early
        self.reached = np.zeros(self.delta.shape, np.int64)
        self.draws = np.zeros(self.delta.shape, np.int64)
        self.open = np.ones(self.delta.shape, bool)
        self.kept: list[Floats] | None = [] if keep else None

    @property
    def finished(self) -> bool:
        """True when every test has stopped."""
        return not self.open.any()

    def add(self, differences: Floats) -> None:
        """Count a block of draws (draws by pairs) of first - second."""
        if self.kept is not None:
            self.kept.append(differences)
        hits = np.stack([differences >= self.delta[0] - SLACK, -differences >= self.delta[1] - SLACK]).sum(axis=1)
        self.reached += np.where(self.open, hits, 0)
        self.draws += np.where(self.open, len(differences), 0)
        if self.early and len(differences) == self.early.block:
            p = self.reached / self.draws
            self.open &= (p >= self.early.low) & (p <= self.early.high)

    def matrix(self, n: int, delta: Floats) -> PermutationMatrix:
        """Both directions of all pairs as square matrices; the diagonal says nothing (p is NaN)."""
        p, used = np.full((n, n), np.nan), np.zeros((n, n), np.int64)
        left, right = np.triu_indices(n, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            p[left, right], p[right, left] = self.reached / self.draws
        used[left, right], used[right, left] = self.draws
        return PermutationMatrix(p, delta, used, np.concatenate(self.kept) if self.kept else None)


class _PearsonDraws:
    """Pearson's r of swapped scores from sums under the mask: of scores, their squares, and their products with gold."""

    block = 1000

    def __init__(self, groups: Groups, rows: Floats, left: NDArray[np.intp], right: NDArray[np.intp]) -> None:
        gold = groups.gold - groups.gold.mean()
        norm = np.sqrt(gold @ gold)
        gold = gold / norm if norm > 0 else gold
        self.n = len(gold)
        self.columns = np.concatenate([rows, rows * rows, rows * gold])
        self.totals = self.columns.sum(axis=1)
        self.left, self.right = left, right

    def __call__(self, swapped: Bools) -> Floats:
        taken = masked_sums(swapped, self.columns).reshape(len(swapped), 3, -1)
        kept = self.totals.reshape(3, -1) - taken
        a, b = self.left, self.right
        return self._r(kept[..., a] + taken[..., b]) - self._r(kept[..., b] + taken[..., a])

    def _r(self, sums: Floats) -> Floats:
        total, squares, products = sums[:, 0], sums[:, 1], sums[:, 2]
        spread = squares - total * total / self.n
        constant = spread <= 1e-12 * self.n
        return np.where(constant, 0.0, products / np.sqrt(np.where(constant, 1.0, spread)))


class _AnyDraws:
    """Any statistic on the swapped scores of every pair."""

    block = 50

    def __init__(
        self, groups: Groups, rows: Floats, left: NDArray[np.intp], right: NDArray[np.intp], statistic: Statistic
    ) -> None:
        self.groups, self.rows, self.statistic = groups, rows, statistic
        self.left, self.right = left, right

    def __call__(self, swapped: Bools) -> Floats:
        out = np.empty((len(swapped), len(self.left)))
        for k, (i, j) in enumerate(zip(self.left, self.right, strict=True)):
            first, second = _of_swapped(self.statistic, self.groups, self.rows[i], self.rows[j], swapped)
            out[:, k] = first - second
        return out


def _standardised(groups: Groups, scores: Floats, everywhere: bool = False) -> Floats:
    row = groups.rows(scores)[0]
    basis = np.asarray(scores, dtype=np.float64) if everywhere else row
    spread = basis.std()
    return np.asarray((row - basis.mean()) / (spread if spread > 0 else 1.0))


def _of_swapped(statistic: Statistic, groups: Groups, a: Floats, b: Floats, swapped: Bools) -> Floats:
    """The statistic of both metrics (rows) after each draw's swaps (columns)."""
    hybrids = np.concatenate([np.where(swapped, b, a), np.where(swapped, a, b)])
    return statistic(groups, hybrids).reshape(2, -1)


def _reached(samples: Floats, delta: float, alternative: Alternative, slack: float) -> Bools:
    difference = samples[:, 0] - samples[:, 1]
    if alternative == "two-sided":
        return np.asarray(np.abs(difference) >= abs(delta) - slack)
    return np.asarray(difference >= delta - slack if alternative == "greater" else difference <= delta + slack)
