"""Response cache: where a metric stores answers that cost money, set by the engine for the duration of a call.

Answers of a language model are expensive, and asking again gives other answers. A judge therefore stores each answer as it
arrives, long before the scores of a batch are complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class ResponseCache(Protocol):
    """Records by key. A record survives a kill once `put_many` has returned True for it."""

    @property
    def writable(self) -> bool:
        """Whether records can still be stored."""

    @property
    def notices(self) -> Sequence[str]:
        """Why records cannot be stored; empty if they can."""

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the stored records among `keys`."""

    def put_many(self, items: Iterable[tuple[bytes, bytes]]) -> bool:
        """Store records; return whether they are safe on disk."""


_cache: ContextVar[ResponseCache | None] = ContextVar("response_cache", default=None)


@contextmanager
def use_response_cache(cache: ResponseCache | None) -> Iterator[None]:
    """Let metrics in this block store answers in `cache`; with None, they store nothing."""
    token = _cache.set(cache)
    try:
        yield
    finally:
        _cache.reset(token)


def response_cache() -> ResponseCache | None:
    """Return the cache of the current block, if any."""
    return _cache.get()
