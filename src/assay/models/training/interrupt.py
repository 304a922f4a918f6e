"""Ctrl-C during training: the first asks to end after the step under way, with a checkpoint; the second ends at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol


class Stoppable(Protocol):
    """What looks after each step whether it shall stop."""

    stop: bool


@contextmanager
def interruptible(work: Stoppable) -> Iterator[None]:
    """Let Ctrl-C set `stop`. Outside the main thread, which alone hears signals, nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        if work.stop:
            raise KeyboardInterrupt
        work.stop = True

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
