"""Progress of a run: listeners that a terminal or a page sets for the duration of a call, and the functions that notify them.

Scores are computed in many places (for a table, a suite, a card, a rule). A context variable saves passing the listener
through all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.core.chunk import Chunk, Retained

ProgressListener = Callable[[str, int, int], None]
"""Called with a metric's name, the number of its finished requests, and the number of all its requests."""

ChunkListener = Callable[["Chunk", "Retained", bool], None]
"""Called with every finished chunk of a run over texts, what the run retains of it, and whether it came from an earlier attempt."""

_progress_listener: ContextVar[ProgressListener | None] = ContextVar("progress_listener", default=None)
_chunk_listener: ContextVar[ChunkListener | None] = ContextVar("chunk_listener", default=None)


@contextmanager
def listen_to_progress(listener: ProgressListener) -> Iterator[None]:
    """Notify `listener`, and the listener of the enclosing block, of the progress of slow metrics in this block."""
    outer = _progress_listener.get()

    def notify_both(name: str, done: int, total: int) -> None:
        if outer is not None:
            outer(name, done, total)
        listener(name, done, total)

    token = _progress_listener.set(notify_both)
    try:
        yield
    finally:
        _progress_listener.reset(token)


@contextmanager
def listen_to_chunks(listener: ChunkListener) -> Iterator[None]:
    """Notify `listener` of finished chunks in this block."""
    token = _chunk_listener.set(listener)
    try:
        yield
    finally:
        _chunk_listener.reset(token)


def report_progress(name: str, done: int, total: int) -> None:
    """Notify the listener, if any, of a metric's progress."""
    listener = _progress_listener.get()
    if listener is not None:
        listener(name, done, total)


def report_chunk(chunk: Chunk, retained: Retained, reused: bool) -> None:
    """Notify the listener, if any, of a finished chunk."""
    listener = _chunk_listener.get()
    if listener is not None:
        listener(chunk, retained, reused)
