"""Reference implementation of the permutation kernels."""

from __future__ import annotations

from collections.abc import Sequence


def masked_counts(masks: Sequence[Sequence[int]], columns: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the number of bits set in both, for every mask and column of 64-bit words."""
    return [
        [sum((a & b).bit_count() for a, b in zip(mask, column, strict=True)) for column in columns] for mask in masks
    ]


def masked_sums(masks: Sequence[Sequence[bool]], rows: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the sum of each row's cells under each mask."""
    return [[sum(value for keep, value in zip(mask, row, strict=True) if keep) for row in rows] for mask in masks]
