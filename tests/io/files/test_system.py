"""The same commands on a Python without POSIX; locks between processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli.main import main
from assay.io.files.system import lock
from tests.pairs import write_pairs

ROOT = Path(__file__).resolve().parents[3]


def on_windows(*arguments: str, cache: Path) -> subprocess.CompletedProcess[str]:
    """A command of assay's as a Python like Windows' runs it (`windows.py`)."""
    environment = {**os.environ, "ASSAY_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-m", "tests.io.files.windows", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_scores_are_written_over_an_older_file(tmp_path: Path) -> None:
    out = tmp_path / "scores.json"
    out.write_text("old")
    command = ["score", "-m", "chrf", "--data", "demo", "--format", "json", "--out"]
    done = on_windows(*command, str(out), cache=tmp_path / "c")
    assert (done.returncode, done.stderr) == (0, "")
    assert main([*command, str(tmp_path / "here.json")]) == 0
    assert json.loads(out.read_text()) == json.loads((tmp_path / "here.json").read_text())
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith("assay-part")] == []


def test_rows_are_filtered_by_a_regular_expression(tmp_path: Path) -> None:
    table = tmp_path / "rows.tsv"
    table.write_text("mt\tref\nthe cat\tthe cat\na dog\ta dog\n")
    done = on_windows("filter", 'mt ~ "c.t$"', str(table), "--format", "tsv", cache=tmp_path / "c")
    assert (done.returncode, done.stdout) == (0, "mt\tref\nthe cat\tthe cat\n")


def test_a_run_of_several_chunks_leaves_no_spool(tmp_path: Path) -> None:
    text = tmp_path / "long.txt"
    text.write_text("".join(f"line {i} of many\n" for i in range(45_000)))
    done = on_windows("score", "-m", "chrf", "--mt", str(text), "--ref", str(text), cache=tmp_path / "c")
    assert (done.returncode, done.stderr) == (0, "")
    assert "100.0" in done.stdout
    assert list((tmp_path / "c" / "spool").iterdir()) == []


def test_a_card_is_made_and_checked(tmp_path: Path) -> None:
    suite, card, cache = write_pairs(tmp_path / "pairs.tsv"), str(tmp_path / "card.json"), tmp_path / "c"
    made = on_windows(
        "card", "chrf", "--suite", str(suite), "--samples", "9", "--format", "json", "--out", card, cache=cache
    )
    assert (made.returncode, made.stderr) == (0, "")
    assert on_windows("check", "--against", card, cache=cache).returncode == 0
    assert on_windows("cache", "info", cache=cache).returncode == 0


@pytest.mark.parametrize("there", ["posix", "windows"])
def test_a_lock_keeps_another_process_out_until_the_file_is_closed(tmp_path: Path, there: str) -> None:
    path = tmp_path / "lock"
    become = "from tests.io.files.windows import become; become()\n" if there == "windows" else ""
    script = f"{become}import os, sys\nfrom assay.io.files.system import lock\n"
    script += "file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)\n"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    holder = subprocess.Popen(
        [sys.executable, "-c", f"{script}lock(file)\nprint('held', flush=True)\nsys.stdin.read()", str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    attempt = [sys.executable, "-c", f"{script}lock(file, wait=False)", str(path)]
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        refused = subprocess.run(attempt, capture_output=True, text=True, env=environment, check=False)
        assert refused.returncode == 1 and "BlockingIOError" in refused.stderr
    finally:
        holder.communicate()
    assert subprocess.run(attempt, capture_output=True, env=environment, check=False).returncode == 0


def test_a_lock_can_be_asked_for_twice_by_its_owner(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w") as file:
        lock(file.fileno())
        lock(file.fileno(), wait=False)
