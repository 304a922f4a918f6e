from __future__ import annotations

import io
import sys

import pytest

from assay.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(monkeypatch: pytest.MonkeyPatch, **environment: str) -> str:
    """What a run of a minute writes to a terminal of 80 columns (none can be asked here, so 80 is assumed)."""
    clock = iter(range(100, 1000, 10))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    monkeypatch.setattr(sys, "stderr", Terminal())
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    progress = Progress("scoring with a name that is long enough to reach the edge of the terminal", 1000)
    for _ in range(5):
        progress.add(100)
    progress.close()
    assert isinstance(sys.stderr, Terminal)
    return sys.stderr.getvalue()


def test_one_line_that_fits_and_is_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    text = drawn(monkeypatch, TERM="xterm")
    lines = text.split("\r\033[K")
    assert len(lines) == 7 and lines[-1] == "" and "\n" not in text
    assert max(map(len, lines)) == 79


def test_a_dumb_terminal_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(monkeypatch, TERM="dumb") == ""
