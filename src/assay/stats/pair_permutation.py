"""Permutation test for accuracy with ties that swaps pair correctness instead of scores (the "pairs" test in mt-metrics-eval).

Each metric keeps its own tie threshold. The test swaps whether a pair is in the same order as in the annotators' ranking, so
thresholds need not be calibrated again in each draw. Correctness is stored as bits, all metrics share the draws, and a draw is
one popcount per metric.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import InputError
from assay.kernels import _native
from assay.stats.permutation import EarlyStop, PermutationMatrix, PermutationTally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.stats.groups import Floats, Groups
    from assay.stats.permutation import Random

    Words = NDArray[np.uint64]


class Verdicts:
    """Which pairs each metric orders as annotators do, stored as bits; groups with the same number of pairs are stored together."""

    def __init__(self, groups: Groups, metrics: Floats, epsilons: Floats | None = None) -> None:
        rows = groups.rows(metrics)
        if epsilons is None:
            epsilons = _native.tie_calibration(groups.gold, rows, groups.starts)[0]
        epsilons = np.ascontiguousarray(np.broadcast_to(np.asarray(epsilons, dtype=np.float64), len(rows)))
        if (epsilons < 0).any():
            raise InputError("epsilon must not be negative.")
        self.groups = groups
        self.used = int(groups.usable.sum())
        if self.used == 0:
            raise InputError("no group has two judged cells, so there is no pair to compare.")
        self.correct = correct = _native.correct_pairs(groups.gold, rows, groups.starts, epsilons)
        owner = np.repeat(groups.pairs, groups.pairs)
        self.parts = [
            (int(size), np.flatnonzero(owner == size), _packed(correct[:, owner == size]))
            for size in np.unique(groups.pairs[groups.usable])
        ]
        everything = [np.full((1, columns.shape[1]), np.uint64(2**64 - 1)) for _, _, columns in self.parts]
        self.accuracy = self.kept(everything)[0]

    def kept(self, masks: list[Words]) -> Floats:
        """Return the part of each metric's accuracy that comes from pairs under the masks (draws by metrics)."""
        counts = [
            _native.masked_counts(mask, columns) / size
            for mask, (size, _, columns) in zip(masks, self.parts, strict=True)
        ]
        return np.asarray(np.sum(counts, axis=0) / self.used)

    def masks(self, rng: Random, draws: int) -> list[Words]:
        """Draw random masks of the pairs that are not swapped; a legacy generator reproduces the draws of mt-metrics-eval."""
        if isinstance(rng, np.random.RandomState):
            flips = self.flips(rng, draws)
            return [_packed(flips[:, where]) for _, where, _ in self.parts]
        return [rng.integers(0, 2**64, (draws, columns.shape[1]), dtype=np.uint64) for _, _, columns in self.parts]

    def flips(self, rng: Random, draws: int) -> NDArray[np.uint8]:
        """Draw a bit for every pair (draws by pairs), group by group: 1 if the pair is not swapped."""
        if not isinstance(rng, np.random.RandomState):
            return rng.integers(0, 2, (draws, self.correct.shape[1]), dtype=np.uint8)
        sizes = self.groups.sizes.tolist()
        rows = [np.concatenate([_upper(rng.binomial(1, 0.5, (n, n))) for n in sizes]) for _ in range(draws)]
        return np.array(rows, np.uint8).reshape(draws, -1)


def pair_permutation_matrix(
    groups: Groups,
    metrics: Floats,
    *,
    rng: Random,
    epsilons: Floats | None = None,
    draws: int = 1000,
    early: EarlyStop | None = None,
    keep: bool = False,
) -> PermutationMatrix:
    """Test every pair of metrics with the same random swaps; tie thresholds are calibrated unless given."""
    verdicts = Verdicts(groups, metrics, epsilons)
    left, right = np.triu_indices(len(verdicts.accuracy), 1)
    delta = np.subtract.outer(verdicts.accuracy, verdicts.accuracy)
    tally = PermutationTally(delta[left, right], early, keep)
    done = 0
    while done < draws and not tally.finished:
        size = min(early.block if early else 100, draws - done)
        unswapped = verdicts.kept(verdicts.masks(rng, size))
        tally.add(2 * (unswapped[:, left] - unswapped[:, right]) - delta[left, right])
        done += size
    return tally.matrix(len(verdicts.accuracy), delta)


def _upper(square: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(square[np.triu_indices(len(square), 1)])


def _packed(bits: NDArray[np.uint8]) -> Words:
    """Pack rows of bits into rows of 64-bit words, padded with zeros."""
    padded = np.zeros((len(bits), (bits.shape[1] + 63) // 64 * 64), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
