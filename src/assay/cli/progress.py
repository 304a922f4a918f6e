"""Progress lines on stderr, with rate and remaining time: redrawn on a terminal, once per minute in a log."""

from __future__ import annotations

import os
import sys
import time
from typing import Self

from assay.report.terminal import width_of
from assay.report.text import visible
from assay.report.writing import write_stderr

LOG_INTERVAL = 60.0
"""Seconds between two lines in a log."""


class Progress:
    """Progress line that counts rows. It appears after one second, or never if `quiet`."""

    def __init__(self, what: str = "", total: int | None = None, *, quiet: bool = False) -> None:
        self.what, self.total = what, total
        self.active = not quiet and sys.stderr.isatty() and os.environ.get("TERM", "") != "dumb"
        self.logged = not quiet and not self.active
        self.done = self.fresh = 0
        self.started = self.drawn = time.monotonic()
        self.on_screen = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def add(self, rows: int, reused: bool = False) -> None:
        """Count `rows` more rows; `reused` ones do not count for the rate."""
        self.done += rows
        self.fresh += 0 if reused else rows
        now = time.monotonic()
        if self.active and now - self.started > 1 and now - self.drawn > 0.1:
            self.drawn = now
            self._draw(now)
        elif self.logged and now - self.drawn >= LOG_INTERVAL:
            self.drawn = now
            write_stderr(f"{visible(self._line(now))}\n")

    def _draw(self, now: float) -> None:
        write_stderr(f"\r\033[K{visible(self._line(now))[: (width_of(sys.stderr) or 80) - 1]}")
        self.on_screen = True

    def _line(self, now: float) -> str:
        rate = self.fresh / max(now - self.started, 1e-9)
        line = f" {self.what} {self.done:,}"
        if self.total and self.total > self.done:
            share = self.done / self.total
            bar = "━" * int(20 * share) + "╌" * (20 - int(20 * share)) + " " if self.active else ""
            left = f" · {duration((self.total - self.done) / rate)} left" if rate else ""
            line = f" {self.what} {bar}{share:4.0%} {self.done:,} of about {self.total:,}{left}"
        return line + (f" · {rate:,.{0 if rate >= 10 else 1}f}/s" if rate else "")

    def begin(self) -> None:
        """Show the line immediately, because the first rows take a long time."""
        if self.active:
            self._draw(time.monotonic())

    def close(self) -> None:
        """Clear the line."""
        if self.on_screen:
            write_stderr("\r\033[K")
            self.on_screen = False


def duration(seconds: float) -> str:
    """Return a duration in seconds, minutes or hours."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


class MetricProgress:
    """Progress of slow metrics, one after the other, in every verb."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet, self.line = quiet, Progress("", quiet=True)

    def __call__(self, name: str, done: int, total: int) -> None:
        """Show that `done` of `total` requests have a score."""
        if done == 0 and total:
            self.close()
            self.line = Progress(name, total, quiet=self.quiet)
            self.line.begin()
        else:
            self.line.what = name  # for an LLM judge, add the cost so far
            self.line.add(done - self.line.done)
        if done == total:
            self.close()

    def close(self) -> None:
        """Clear the line."""
        self.line.close()


class DownloadProgress(Progress):
    """Progress of a download, one line per file."""

    def update(self, name: str, done: int, total: int | None) -> None:
        """Show that `done` of `total` bytes of a file have been downloaded."""
        self.what, self.total = name, total
        self.add(done - self.done)
