"""Libraries written in Rust end in a panic over damaged data: no Exception, and a report of many lines on descriptor 2."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_ONE_AT_A_TIME = threading.Lock()


@contextmanager
def without_panics(error: Callable[[str], Exception]) -> Iterator[None]:
    """Turn a panic into the exception that `error` makes of its first line, and keep its report off the terminal.

    The report is written by Rust itself, to the descriptor: while the call lasts, that leads into memory, and what
    others wrote there meanwhile is passed on afterwards. The descriptor is the process's, so one call goes at a time.
    """
    with _ONE_AT_A_TIME, _set_aside() as report:
        try:
            yield
        except BaseException as found:
            if type(found).__name__ != "PanicException":
                raise
            report.dropped = True
            raise error((str(found).splitlines() or [""])[0][:200]) from None


class _Report:
    dropped = False


@contextmanager
def _set_aside() -> Iterator[_Report]:
    report = _Report()
    if sys.__stderr__ is None:  # closed before Python began: descriptor 2 is some other file by now
        yield report
        return
    kept = os.dup(2)
    try:
        with os.fdopen(os.memfd_create("report"), "w+b") as aside:
            os.dup2(aside.fileno(), 2)
            try:
                yield report
            finally:
                os.dup2(kept, 2)
            if not report.dropped and aside.seek(0, os.SEEK_END):
                aside.seek(0)
                os.write(2, aside.read())
    finally:
        os.close(kept)
