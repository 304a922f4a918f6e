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
CHUNK = 313 * 64  # pieces of 64 lines until there are 20,000
SLEEP = 0.02  # seconds the metric takes for each part of a chunk


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
    """Ten kills at random moments of the work, told by how much of it is done; a run that gets through is checked, and the
    next one starts with an empty cache."""
    subprocess.run(command(place, metric, "whole"), env=environment(place, "whole"), check=True)
    whole = (place / "log-whole").stat().st_size
    rng = random.Random(7)
    killed = since = runs = 0
    while killed < 10:
        name = f"broken-{runs}"
        target = logged(place, name) + rng.uniform(0, 0.6) * whole
        process = subprocess.Popen(
            command(place, metric, name), env=environment(place, name, SLEEP), start_new_session=True
        )
        while process.poll() is None and logged(place, name) < target:
            time.sleep(0.005)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            killed, since = killed + 1, since + 1
        process.wait()
        if (place / name).exists():
            check_finished(place, name, since)
            runs, since = runs + 1, 0
    name = f"broken-{runs}"
    subprocess.run(command(place, metric, name), env=environment(place, name), check=True)
    check_finished(place, name, since)


def logged(place: Path, name: str) -> int:
    """Bytes in the log of scored rows."""
    path = place / f"log-{name}"
    return path.stat().st_size if path.exists() else 0


def check_finished(place: Path, name: str, kills: int) -> None:
    """Same bytes as the unbroken run; a kill costs the chunk that was under way and no other."""
    assert (place / name).read_bytes() == (place / "whole").read_bytes()
    assert ROWS <= scored(place, name).total() <= ROWS + kills * CHUNK


def test_finished_chunks_are_not_scored_again(place: Path) -> None:
    """The run is stopped with Ctrl-C in its third chunk; the second run scores the rest only."""
    env, hold = environment(place, "one"), place / "hold"
    hold.touch()
    held = {**env, "COUNTING_HOLD": f"50000:{hold}"}
    started = subprocess.Popen(command(place, "Counting", "out"), env=held, stderr=subprocess.PIPE, text=True)
    while scored(place, "one").total() < 50_000:
        assert started.poll() is None
        time.sleep(0.02)
    started.send_signal(signal.SIGINT)
    hold.unlink()
    _, said = started.communicate()
    assert started.returncode == 130
    assert "Run the same command again to resume." in said
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
