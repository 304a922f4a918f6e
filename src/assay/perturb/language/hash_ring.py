"""Drawing from a pool so that a pool that grows changes few draws.

Every option lies on a circle at the places that its hash gives. A draw takes the option that follows a random place: one more
option changes only the draws that fall into the arcs before it, and leaves all others as they were.
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

PLACES = 32
"""Places of an option on the circle."""


class HashRing(Generic[T]):
    """Options around a circle, each once by its name."""

    def __init__(self, options: Iterable[T], name: Callable[[T], str]) -> None:
        placed = {place: option for option in options for place in _places(name(option))}
        self._places = sorted(placed)
        self._options = [placed[place] for place in self._places]

    def __len__(self) -> int:
        return len(self._options)

    def draw(self, rng: Rng) -> T:
        """The option that follows a random place."""
        at = bisect.bisect_left(self._places, int.from_bytes(rng.bytes(8), "big"))
        return self._options[at % len(self._options)]


def drawn(texts: Iterable[str], rng: Rng) -> str:
    """One of a few texts, drawn as from a ring."""
    return HashRing(texts, str).draw(rng)


@functools.lru_cache(maxsize=4)
def _segments(pool: tuple[Segment, ...]) -> HashRing[Segment]:
    return HashRing(pool, lambda segment: f"{segment.langpair}\x1f{segment.source}\x1f{segment.hypothesis}")


def segments(pool: Sequence[Segment]) -> HashRing[Segment]:
    """The segments of a pool around a circle; kept for the next item."""
    return _segments(tuple(pool))


@functools.lru_cache(maxsize=4)
def words(pool: tuple[str, ...]) -> HashRing[str]:
    """Words around a circle; kept for the next item."""
    return HashRing(pool, str)


def _places(name: str) -> list[int]:
    """Where an option lies: at many places, so that each is drawn about as often as any other."""
    digest = hashlib.shake_128(name.encode("utf-8", "surrogatepass")).digest(8 * PLACES)
    return [int.from_bytes(digest[at : at + 8], "big") for at in range(0, len(digest), 8)]
