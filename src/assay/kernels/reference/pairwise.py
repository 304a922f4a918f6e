"""Reference implementation of the pairwise kernels: pair counts, verdicts and the best tie threshold."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise

Scores = Sequence[float]


def groups(gold: Scores, metric: Scores, starts: Sequence[int]) -> list[list[tuple[float, float]]]:
    """Return the (gold, metric) scores of each group."""
    return [list(zip(gold[a:b], metric[a:b], strict=True)) for a, b in pairwise(starts)]


def verdict(one: tuple[float, float], other: tuple[float, float], epsilon: float) -> int:
    """Return 0 for concordant, 1 discordant, 2 tied in metric only, 3 in gold only, 4 in both."""
    gold, metric = one[0] - other[0], one[1] - other[1]
    if abs(metric) <= epsilon:
        return 4 if gold == 0 else 2
    if gold == 0:
        return 3
    return 0 if (metric > 0) == (gold > 0) else 1


def pair_counts(cells: list[tuple[float, float]], epsilon: float) -> list[int]:
    """Count each verdict among the pairs in a group."""
    found = [verdict(one, other, epsilon) for one, other in combinations(cells, 2)]
    return [found.count(kind) for kind in range(5)]


def kendall_like(cells: list[tuple[float, float]], threshold: float) -> list[int]:
    """Return [concordant, discordant] among pairs whose gold scores differ by the threshold; a tie is discordant."""
    wide = [(a, b) for a, b in combinations(cells, 2) if abs(a[0] - b[0]) >= threshold]
    concordant = sum((a[0] > b[0] and a[1] > b[1]) or (a[0] < b[0] and a[1] < b[1]) for a, b in wide)
    return [concordant, len(wide) - concordant]


def accuracy(cut: list[list[tuple[float, float]]], epsilon: float) -> Fraction:
    """Return the mean over groups of (concordant + tied in both) / pairs."""
    shares = [
        Fraction(counts[0] + counts[4], sum(counts)) for cells in cut if sum(counts := pair_counts(cells, epsilon))
    ]
    return sum(shares, Fraction(0)) / len(shares)


def tie_calibration(cut: list[list[tuple[float, float]]]) -> tuple[float, Fraction, Fraction]:
    """Return (threshold, its accuracy, accuracy at zero) for the first best of zero and all observed differences."""
    candidates = {0.0} | {abs(a[1] - b[1]) for cells in cut for a, b in combinations(cells, 2)}
    best = max(sorted(candidates), key=lambda epsilon: accuracy(cut, epsilon))
    return best, accuracy(cut, best), accuracy(cut, 0.0)
