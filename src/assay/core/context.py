"""Context of the current call: its command line, progress listeners, response cache and number of threads.

These values would otherwise be parameters of nearly every function between an entry point and a metric. Each is a context
variable that is set for the duration of a block. `assay.io.endpoint.settings` does the same for language model settings.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from assay.core.chunk import Chunk, Retained

T = TypeVar("T")

ProgressListener = Callable[[str, int, int], None]
"""Called with a metric's name, the number of its finished requests, and the number of all its requests."""
ChunkListener = Callable[["Chunk", "Retained", bool], None]
"""Called with every finished chunk of a run over texts, what the run retains of it, and whether it came from an earlier attempt."""


class ResponseCache(Protocol):
    """Store for answers that cost money, such as those from a language model. A stored record survives a killed process."""

    @property
    def writable(self) -> bool:
        """Whether records can still be stored."""

    @property
    def notices(self) -> Sequence[str]:
        """Reasons that records cannot be stored; empty if they can."""

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the stored records among `keys`."""

    def put_many(self, items: Iterable[tuple[bytes, bytes]]) -> bool:
        """Store records; return whether they are safe on disk."""


_command_line: ContextVar[tuple[str, ...] | None] = ContextVar("command_line", default=None)
_progress_listener: ContextVar[ProgressListener | None] = ContextVar("progress_listener", default=None)
_chunk_listener: ContextVar[ChunkListener | None] = ContextVar("chunk_listener", default=None)
_response_cache: ContextVar[ResponseCache | None] = ContextVar("response_cache", default=None)
_threads: ContextVar[int | None] = ContextVar("threads", default=None)


@contextmanager
def _set(variable: ContextVar[T], value: T) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def use_command_line(words: Sequence[str]) -> AbstractContextManager[None]:
    """Attribute calls in this block to a command line, given without the leading ``assay``."""
    return _set(_command_line, tuple(words))


def command_line() -> tuple[str, ...] | None:
    """Return the words of the command line that is being run; None if assay is used from Python."""
    return _command_line.get()


def listen_to_progress(listener: ProgressListener) -> AbstractContextManager[None]:
    """Report the progress of slow metrics in this block to `listener`, and to the enclosing block's listener."""
    outer = _progress_listener.get()

    def notify_both(name: str, done: int, total: int) -> None:
        if outer is not None:
            outer(name, done, total)
        listener(name, done, total)

    return _set(_progress_listener, notify_both)


def report_progress(name: str, done: int, total: int) -> None:
    """Report a metric's progress to the listener, if any."""
    if (listener := _progress_listener.get()) is not None:
        listener(name, done, total)


def listen_to_chunks(listener: ChunkListener) -> AbstractContextManager[None]:
    """Report finished chunks in this block to `listener`."""
    return _set(_chunk_listener, listener)


def report_chunk(chunk: Chunk, retained: Retained, reused: bool) -> None:
    """Report a finished chunk to the listener, if any."""
    if (listener := _chunk_listener.get()) is not None:
        listener(chunk, retained, reused)


def use_response_cache(cache: ResponseCache | None) -> AbstractContextManager[None]:
    """Let metrics in this block store answers in `cache` as they arrive; with None, they store nothing."""
    return _set(_response_cache, cache)


def response_cache() -> ResponseCache | None:
    """Return the response cache of the current block, if any."""
    return _response_cache.get()


def use_threads(number: int | None) -> AbstractContextManager[None]:
    """Let each metric in this block start `number` threads; by default one per core."""
    return _set(_threads, number)


def threads() -> int:
    """Return the number of threads that a metric may start."""
    return _threads.get() or cores()


def cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
