"""Random draws from a pool by consistent hashing: enlarging the pool changes few draws.

The hash of each option gives its positions on a ring. A draw takes the option after a random position. A new option changes
only the draws that fall into the arcs before its positions.
"""

from __future__ import annotations

import bisect
import functools
import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from assay.core.batch import Segment
from assay.core.perturbation import Rng

T = TypeVar("T")

POSITIONS = 32
"""Positions of each option on the ring."""


class HashRing(Generic[T]):
    """Distinct options on a ring, hashed by name."""

    def __init__(self, options: Iterable[T], name: Callable[[T], str]) -> None:
        placed = {position: option for option in options for position in _positions_of(name(option))}
        self._positions_of = sorted(placed)
        self._options = [placed[position] for position in self._positions_of]

    def __len__(self) -> int:
        return len(self._options)

    def draw(self, rng: Rng) -> T:
        """Draw the option after a random position."""
        at = bisect.bisect_left(self._positions_of, int.from_bytes(rng.bytes(8), "big"))
        return self._options[at % len(self._options)]


def draw_text(texts: Iterable[str], rng: Rng) -> str:
    """Draw one of a few texts."""
    return HashRing(texts, str).draw(rng)


@functools.lru_cache(maxsize=4)
def _segments(pool: tuple[Segment, ...]) -> HashRing[Segment]:
    return HashRing(pool, lambda segment: f"{segment.langpair}\x1f{segment.source}\x1f{segment.hypothesis}")


def segment_ring(pool: Sequence[Segment]) -> HashRing[Segment]:
    """Return the cached ring of the segments of a pool."""
    return _segments(tuple(pool))


@functools.lru_cache(maxsize=4)
def word_ring(pool: tuple[str, ...]) -> HashRing[str]:
    """Return the cached ring of words."""
    return HashRing(pool, str)


def _positions_of(name: str) -> list[int]:
    """Return the positions of an option; many positions give each option a similar probability."""
    digest = hashlib.shake_128(name.encode("utf-8", "surrogatepass")).digest(8 * POSITIONS)
    return [int.from_bytes(digest[at : at + 8], "big") for at in range(0, len(digest), 8)]
