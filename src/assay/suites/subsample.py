"""A smaller set that keeps its shape: at most so many items of a phenomenon, its language pairs in their proportion.

ACES was cut so (Amrhein, Moghe and Guillou 2022, Section 6.3): phenomena of more than 1,000 examples keep 1,000, drawn by lot
according to how the examples are spread over the language pairs.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from assay.core.item import Item


def subsample(items: Sequence[Item], most: int, seed: int = 12345) -> list[Item]:
    """At most `most` items of each phenomenon, in their order; what a phenomenon keeps does not depend on the others."""
    phenomena: dict[str, dict[str, list[int]]] = {}
    for i, item in enumerate(items):
        phenomena.setdefault(item.phenomenon, {}).setdefault(item.langpair, []).append(i)
    kept: list[int] = []
    for phenomenon, pairs in phenomena.items():
        for (pair, rows), quota in zip(
            pairs.items(), quotas([len(rows) for rows in pairs.values()], most), strict=True
        ):
            kept += rows if quota == len(rows) else _drawn(rows, quota, seed, f"{phenomenon}\t{pair}")
    return [items[i] for i in sorted(kept)]


def _drawn(rows: Sequence[int], quota: int, seed: int, stratum: str) -> list[int]:
    import numpy as np

    rng = np.random.default_rng([seed, zlib.crc32(stratum.encode())])
    return [rows[i] for i in rng.choice(len(rows), size=quota, replace=False).tolist()]


def quotas(sizes: Sequence[int], most: int) -> list[int]:
    """`most` shared out in the proportion of `sizes`, the largest remainders first; all of them where they are no more."""
    whole = sum(sizes)
    if whole <= most:
        return list(sizes)
    shares = [size * most / whole for size in sizes]
    given = [int(share) for share in shares]
    by_remainder = sorted(range(len(sizes)), key=lambda i: given[i] - shares[i])
    for i in by_remainder[: most - sum(given)]:
        given[i] += 1
    return given
