"""A short run of the fuzzer, always the same: what `make fuzz` does at length."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_mutated_files_are_read_or_refused() -> None:
    """In a process of its own: the timer, the limit on memory and the caught descriptors are the process's."""
    command = [sys.executable, "-m", "tests.fuzz.readers", "--inputs", "6000", "--seconds", "60", "--seed", "20"]
    environment = {**os.environ, "RUST_BACKTRACE": "0"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, check=False)
    *found, counts = done.stdout.splitlines()
    assert not found and done.returncode == 0, done.stdout + done.stderr
    assert json.loads(counts)["inputs"] > 500
