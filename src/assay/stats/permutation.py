"""Permutation tests for whether one metric agrees better with human judgements than another.

Deutsch et al. (2021): standardise the scores of both metrics, swap them at random, and count the draws whose difference in
agreement reaches the observed one. Single cells are swapped (PERM-BOTH of mt-metrics-eval).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import InputError
from assay.kernels import _native
from assay.stats.correlation import pair_counts, pearson_by_group
from assay.stats.groups import Groups, average

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.stats.groups import Floats

    Bools = NDArray[np.bool_]
    Random = np.random.Generator | np.random.RandomState


Statistic = Callable[[Groups, "Floats"], "Floats"]
"""Function from groups and rows of metric scores to one value per row."""
SLACK = 1e-12
"""Tolerance within which a draw counts as reaching the observed difference."""


@dataclass(frozen=True)
class EarlyStop:
    """Stop after a whole number of blocks once the p-value so far is below `low` or above `high` (mt-metrics-eval)."""

    block: int = 100
    low: float = 0.02
    high: float = 0.5


@dataclass(frozen=True)
class PermutationMatrix:
    """Tests of all pairs of metrics: ``p[i, j]`` that i is better than j, the difference i - j, and the number of draws.

    `null`, if kept, has the difference in every draw (rows) for every pair i < j (columns, in the order of
    `np.triu_indices`).
    """

    p: Floats
    delta: Floats
    draws: NDArray[np.int64]
    null: Floats | None = None


def over_groups(by_group: Callable[[Groups, Floats], Floats], nan_as_zero: bool = False) -> Statistic:
    """Average a per-group statistic over groups, such as ``over_groups(pearson_by_group)``."""
    return lambda groups, rows: average(groups, by_group(groups, rows), (len(rows),), nan_as_zero).value


def pooled_pairwise_accuracy(groups: Groups, rows: Floats) -> Floats:
    """Return the share of pairs within groups that are in the annotators' order, over all groups (WMT's system accuracy)."""
    counts = pair_counts(groups, rows).sum(axis=1)
    return np.asarray((counts[:, 0] + counts[:, 4]) / groups.pairs.sum())


def permutation_matrix(
    groups: Groups,
    metrics: Floats,
    statistic: Statistic | None = None,
    *,
    rng: Random,
    draws: int = 1000,
    early: EarlyStop | None = None,
    keep: bool = False,
) -> PermutationMatrix:
    """Test every pair of metrics (a stack of score matrices) with the same random swaps.

    If no statistic is given, the test uses Pearson's r over all cells. A metric's sums under a mask can then be reused for all
    its pairs, so a draw costs three dot products per metric. Other statistics are computed on the swapped scores of every pair.
    """
    rows = np.stack([_standardised(groups, scores) for scores in metrics])
    left, right = np.triu_indices(len(rows), 1)
    if statistic is None:
        if len(groups.sizes) != 1:
            raise InputError(
                "the default statistic needs ungrouped scores. Pass over_groups(pearson_by_group) for groups."
            )
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
        tally.add(source(swaps(rng, len(groups.gold), size)))
        done += size
    return tally.matrix(len(rows), delta)


def swaps(rng: Random, cells: int, draws: int) -> Bools:
    """Draw which judged cells are swapped; a legacy ``RandomState`` reproduces the draws of mt-metrics-eval."""
    if isinstance(rng, np.random.RandomState):
        return np.asarray(rng.binomial(1, 0.5, (draws, cells)) == 0)
    noise = np.frombuffer(rng.bytes(draws * ((cells + 7) // 8)), np.uint8).reshape(draws, -1)
    return np.unpackbits(noise, axis=1, count=cells).astype(bool)


def masked_sums(masks: Bools, rows: Floats) -> Floats:
    """Sum the cells of each row under each mask (masks by rows), in an order that does not depend on the machine."""
    packed = np.packbits(masks, axis=1, bitorder="little")
    return _native.masked_sums(np.ascontiguousarray(packed.T), np.ascontiguousarray(rows))


class PermutationTally:
    """Counts, for each direction of every pair, of the draws that reach the observed difference; each test may stop early."""

    def __init__(self, delta: Floats, early: EarlyStop | None, keep: bool = False) -> None:
        self.delta = np.stack([delta, -delta])
        self.early = early
        self.reached = np.zeros(self.delta.shape, np.int64)
        self.draws = np.zeros(self.delta.shape, np.int64)
        self.open = np.ones(self.delta.shape, bool)
        self.kept: list[Floats] | None = [] if keep else None

    @property
    def finished(self) -> bool:
        """True if every test has stopped."""
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
        """Return both directions of all pairs as square matrices; p is NaN on the diagonal."""
        p, used = np.full((n, n), np.nan), np.zeros((n, n), np.int64)
        left, right = np.triu_indices(n, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            p[left, right], p[right, left] = self.reached / self.draws
        used[left, right], used[right, left] = self.draws
        return PermutationMatrix(p, delta, used, np.concatenate(self.kept) if self.kept else None)


class _PearsonDraws:
    """Pearson's r of swapped scores, computed from sums under the mask: scores, squares, and products with gold."""

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
        swapped_sums = masked_sums(swapped, self.columns).reshape(len(swapped), 3, -1)
        unswapped = self.totals.reshape(3, -1) - swapped_sums
        a, b = self.left, self.right
        return self._r(unswapped[..., a] + swapped_sums[..., b]) - self._r(unswapped[..., b] + swapped_sums[..., a])

    def _r(self, sums: Floats) -> Floats:
        total, squares, products = sums[:, 0], sums[:, 1], sums[:, 2]
        spread = squares - total * total / self.n
        constant = spread <= 1e-12 * self.n
        return np.where(constant, 0.0, products / np.sqrt(np.where(constant, 1.0, spread)))


class _AnyDraws:
    """Any statistic, computed on the swapped scores of every pair."""

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


def _standardised(groups: Groups, scores: Floats) -> Floats:
    row = groups.rows(scores)[0]
    spread = row.std()
    return np.asarray((row - row.mean()) / (spread if spread > 0 else 1.0))


def _of_swapped(statistic: Statistic, groups: Groups, a: Floats, b: Floats, swapped: Bools) -> Floats:
    """Return the statistic of both metrics (rows) after the swaps of each draw (columns)."""
    hybrids = np.concatenate([np.where(swapped, b, a), np.where(swapped, a, b)])
    return statistic(groups, hybrids).reshape(2, -1)
