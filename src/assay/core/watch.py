"""How far a run is, for whoever watches: a terminal, a page, or nobody.

Scores are asked for in many places (a score, a suite, a card, a rule); the one who looks on is the same. So the watcher is not
handed through them all, but set for the time of a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.core.chunk import Chunk, Retained

Watcher = Callable[[str, int, int], None]
"""Called with a metric's name, how many of its requests are done, and how many there are."""

ChunkWatcher = Callable[["Chunk", "Retained", bool], None]
"""Called with every finished chunk of a run over texts, what the run keeps of it, and whether it came from an earlier attempt."""

_chunks: ContextVar[ChunkWatcher | None] = ContextVar("chunks", default=None)
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Tell `watcher` of slow metrics in this block, and whoever watched before, too."""
    before = _watcher.get()

    def both(name: str, done: int, total: int) -> None:
        if before is not None:
            before(name, done, total)
        watcher(name, done, total)

    token = _watcher.set(both)
    try:
        yield
    finally:
        _watcher.reset(token)


@contextmanager
def watching_chunks(watcher: ChunkWatcher) -> Iterator[None]:
    """Show `watcher` the finished chunks of runs in this block."""
    token = _chunks.set(watcher)
    try:
        yield
    finally:
        _chunks.reset(token)


def tell(name: str, done: int, total: int) -> None:
    """Say how far a metric is; nothing happens when nobody watches."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(name, done, total)


def show(chunk: Chunk, retained: Retained, reused: bool) -> None:
    """Show a finished chunk; nothing happens when nobody watches."""
    watcher = _chunks.get()
    if watcher is not None:
        watcher(chunk, retained, reused)
