"""Subsampling of a challenge set: at most N items per phenomenon, language pairs in their original proportions.

ACES was subsampled in the same way (Amrhein, Moghe and Guillou 2022, Section 6.3): phenomena with more than 1,000 examples keep
1,000, drawn at random in proportion to the language pairs.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from assay.core.item import Item


def subsample(items: Sequence[Item], most: int, seed: int = 12345) -> list[Item]:
    """Return at most `most` items for each phenomenon, in order, independently of the other phenomena."""
    phenomena: dict[str, dict[str, list[int]]] = {}
    for i, item in enumerate(items):
        phenomena.setdefault(item.phenomenon, {}).setdefault(item.langpair, []).append(i)
    chosen: list[int] = []
    for phenomenon, pairs in phenomena.items():
        for (pair, rows), quota in zip(
            pairs.items(), quotas([len(rows) for rows in pairs.values()], most), strict=True
        ):
            chosen += rows if quota == len(rows) else _drawn(rows, quota, seed, f"{phenomenon}\t{pair}")
    return [items[i] for i in sorted(chosen)]


def _drawn(rows: Sequence[int], quota: int, seed: int, stratum: str) -> list[int]:
    import numpy as np

    rng = np.random.default_rng([seed, zlib.crc32(stratum.encode())])
    return [rows[i] for i in rng.choice(len(rows), size=quota, replace=False).tolist()]


def quotas(sizes: Sequence[int], most: int) -> list[int]:
    """Distribute `most` in proportion to `sizes`, largest remainders first; return `sizes` if their sum is no larger."""
    total = sum(sizes)
    if total <= most:
        return list(sizes)
    shares = [size * most / total for size in sizes]
    counts = [int(share) for share in shares]
    by_remainder = sorted(range(len(sizes)), key=lambda i: counts[i] - shares[i])
    for i in by_remainder[: most - sum(counts)]:
        counts[i] += 1
    return counts
