"""How far a slow metric is, for whoever watches: a terminal, or nobody.

Scores are asked for in many places (a score, a suite, a card, a rule); the one who looks on is the same. So the watcher is not
handed through them all, but set for the time of a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watcher = Callable[[str, int, int], None]
"""Called with a metric's name, how many of its requests are done, and how many there are."""

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Tell `watcher` of slow metrics in this block."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def tell(name: str, done: int, total: int) -> None:
    """Say how far a metric is; nothing happens when nobody watches."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(name, done, total)
