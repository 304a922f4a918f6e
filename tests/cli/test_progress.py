from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from assay.cli.progress import MetricProgress, Progress
from assay.core.batch import Batch
from assay.core.context import listen_to_progress, report_progress
from assay.engine.scoring import score
from assay.engine.store import Store
from assay.metrics.chrf import Chrf


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


def test_a_slow_metric_is_shown_from_the_start_and_wiped_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100, 1000, 10))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with listen_to_progress(MetricProgress()):
        for done in (0, 1024, 2000):
            report_progress("comet", done, 2000)
    report_progress("comet", 0, 2000)  # nobody watches any more
    assert isinstance(sys.stderr, Terminal)
    first, second, third, last = sys.stderr.getvalue().split("\r\033[K")[1:]
    assert "  0% 0 of about 2,000" in first and "left" not in first
    # 1,024 in the 20 seconds since it began, so 976 more take 19
    assert " 51% 1,024 of about 2,000 · 19 s left · 51/s" in second
    assert (third[:12], last) == (" comet 2,000", "")


def test_the_engine_tells_of_slow_metrics_only(tmp_path: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    batch = Batch([f"text {i}" for i in range(1500)], references=(["a text"] * 1500,))
    with listen_to_progress(lambda *said: heard.append(said)):
        score(batch, Chrf(), store=Store(tmp_path))
        assert heard == []
        score(batch, Learned(), store=Store(tmp_path))
    # 64 requests first, then twice as many each time
    assert heard == [("slow", done, 1500) for done in (0, 64, 192, 448, 960, 1500)]


class Learned(Chrf):
    """chrF in the place of a slow metric."""

    card = replace(Chrf.card, name="slow", kind="learned", stored=True)


def test_without_a_terminal_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100, 1000, 25))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    progress = Progress("scoring", 1000)
    for _ in range(7):
        progress.add(100)
    progress.close()
    assert isinstance(sys.stderr, io.StringIO)
    # begun at 100 s, rows come at 125, 150 …: a line at 175 and at 250 s, 300 rows in 75 s are 4 a second
    assert sys.stderr.getvalue().splitlines() == [
        " scoring  30% 300 of about 1,000 · 3 min left · 4.0/s",
        " scoring  60% 600 of about 1,000 · 2 min left · 4.0/s",
    ]
    quiet = Progress("scoring", 1000, quiet=True)
    for _ in range(7):
        quiet.add(100)
    assert sys.stderr.getvalue().count("\n") == 2
