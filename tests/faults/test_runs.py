"""Runs that are killed, interrupted or starved go on where they stood, and end with the same bytes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

ROWS = 110_000  # five chunks and a half


@pytest.fixture
def place(tmp_path: Path) -> Path:
    rng = random.Random(1)
    lines = [f"{i} " + " ".join(rng.choices("abcdefgh", k=rng.randrange(1, 9))) for i in range(ROWS)]
    (tmp_path / "h").write_text("\n".join(lines) + "\n")
    (tmp_path / "r").write_text("\n".join(line[::-1] for line in lines) + "\n")
    return tmp_path


def command(place: Path, metric: str, out: str) -> list[str]:
    texts = ["--mt", str(place / "h"), "--ref", str(place / "r"), "--out", str(place / out), "--format", "jsonl"]
    return [sys.executable, "-m", "assay", "score", "-m", f"tests.faults.counting:{metric}", *texts]


def environment(place: Path, name: str, sleep: float = 0.0) -> dict[str, str]:
    root = str(Path(__file__).parents[2])
    return {
        **os.environ,
        "ASSAY_CACHE_DIR": str(place / f"cache-{name}"),
        "COUNTING_LOG": str(place / f"log-{name}"),
        "COUNTING_SLEEP": str(sleep),
        "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]),
    }


def scored(place: Path, name: str) -> Counter[str]:
    path = place / f"log-{name}"
    return Counter(path.read_text().splitlines()) if path.exists() else Counter()


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["Counting", "Stored"])
def test_a_killed_run_goes_on_and_ends_with_the_same_file(place: Path, metric: str) -> None:
    subprocess.run(command(place, metric, "whole"), env=environment(place, "whole"), check=True)
    rng = random.Random(7)
    killed = since = 0
    while killed < 10:
        started = subprocess.Popen(
            command(place, metric, "broken"), env=environment(place, "broken", 0.02), start_new_session=True
        )
        time.sleep(0.25 + rng.random())
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
            killed, since = killed + 1, since + 1
        started.wait()
        if (place / "broken").exists():  # this run was through: the next one starts anew
            check_finished(place, since)
            since = 0
    subprocess.run(command(place, metric, "broken"), env=environment(place, "broken"), check=True)
    check_finished(place, since)


def check_finished(place: Path, kills: int) -> None:
    """Same bytes as the unbroken run; a kill costs the chunk that was under way and no other."""
    assert (place / "broken").read_bytes() == (place / "whole").read_bytes()
    assert scored(place, "broken").total() <= ROWS + kills * 20_000
    (place / "broken").unlink()
    (place / "log-broken").unlink()


def test_finished_chunks_are_not_scored_again(place: Path) -> None:
    """The run is stopped with Ctrl-C after two chunks; the second run scores the rest only."""
    env = environment(place, "one", 0.01)
    started = subprocess.Popen(command(place, "Counting", "out"), env=env, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while scored(place, "one").total() < 50_000 and time.monotonic() < deadline:
        time.sleep(0.02)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert started.returncode == 130
    assert "nothing is lost. The same command goes on from there." in said
    assert not (place / "out").exists()
    before = scored(place, "one").total()
    subprocess.run(command(place, "Counting", "out"), env=env, check=True)
    assert scored(place, "one").total() - before <= ROWS - 40_000
    assert sum(1 for _ in (place / "out").open()) == ROWS


def test_the_store_makes_the_second_run_free(place: Path) -> None:
    env = environment(place, "store")
    subprocess.run(command(place, "Stored", "first"), env=env, check=True)
    assert scored(place, "store").total() == ROWS
    subprocess.run(command(place, "Stored", "second"), env=env, check=True)
    assert scored(place, "store").total() == ROWS
    assert (place / "first").read_bytes() == (place / "second").read_bytes()


def test_a_changed_input_is_scored_anew(place: Path) -> None:
    env = environment(place, "change")
    subprocess.run(command(place, "Counting", "out"), env=env, check=True)
    first = (place / "out").read_bytes()
    text = (place / "h").read_text()
    (place / "h").write_text(text.replace("5", "five", 1))
    subprocess.run(command(place, "Counting", "out"), env=env, check=True)
    assert (place / "out").read_bytes() != first
