"""At most a thousand items a phenomenon, shared among language pairs by what each has, as ACES caps its sets (section 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from assay.core.errors import InputError

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")
LIMIT = 1000


def shares(counts: Mapping[str, int], limit: int = LIMIT) -> dict[str, int]:
    """How many items each language pair may keep: its share of the limit, remainders to the largest fractions.

    >>> shares({"de-en": 1500, "fr-en": 500}, 1000)
    {'de-en': 750, 'fr-en': 250}
    """
    if limit < 0:
        raise InputError(f"the limit must not be negative, not {limit}.")
    total = sum(counts.values())
    if total <= limit:
        return dict(counts)
    exact = {pair: count * limit / total for pair, count in counts.items()}
    kept = {pair: int(share) for pair, share in exact.items()}
    order = sorted(counts, key=lambda pair: (kept[pair] - exact[pair], pair))
    for pair in order[: limit - sum(kept.values())]:
        kept[pair] += 1
    return kept


def capped(items: Sequence[T], pair_of: Callable[[T], str], rng: np.random.Generator, limit: int = LIMIT) -> list[T]:
    """The items of one phenomenon that stay, drawn at random within each language pair, in their old order."""
    by_pair: dict[str, list[int]] = {}
    for at, item in enumerate(items):
        by_pair.setdefault(pair_of(item), []).append(at)
    kept: list[int] = []
    for pair, share in shares({pair: len(rows) for pair, rows in by_pair.items()}, limit).items():
        rows = by_pair[pair]
        kept += rows if share >= len(rows) else [rows[int(i)] for i in rng.permutation(len(rows))[:share]]
    return [items[at] for at in sorted(kept)]
