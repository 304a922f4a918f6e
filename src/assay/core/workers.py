"""How many threads whoever asked for scores wants used: kept for the time of a call, for metrics that spread their own work."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_workers: ContextVar[int | None] = ContextVar("workers", default=None)


def cores() -> int:
    """Processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def workers() -> int:
    """The threads that a metric may start: as many as were asked for, or one a core."""
    return _workers.get() or cores()


@contextmanager
def working(wanted: int | None) -> Iterator[None]:
    """Let metrics in this block start so many threads; None is one a core."""
    token = _workers.set(wanted)
    try:
        yield
    finally:
        _workers.reset(token)
