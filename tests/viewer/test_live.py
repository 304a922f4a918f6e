"""A run that is still being written: on the page while it grows, when it ends, and when its writer is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.viewer.runs import find_runs
from tests.viewer.browser import Browser, until
from tests.viewer.conftest import DEMO

pytestmark = pytest.mark.xdist_group("browser")
PART = 20_032
"""Rows of a chunk, as `assay.engine.inputs` cuts them."""


class Writer:
    """assay score in a process of its own, which goes on by a chunk when it is told to."""

    def __init__(self, folder: Path) -> None:
        self.run, self.go = folder / "runs" / "slow", folder / "go"
        (folder / "runs").mkdir(parents=True)
        self.go.write_text("")
        table = folder / "texts.tsv"
        lines = (f"src {i}\tmt {i}\tref {i}\n" for i in range(3 * PART))
        table.write_text("src\tmt\tref\n" + "".join(lines))
        self._arguments = [
            "score",
            "--data",
            str(table),
            "-m",
            "tests.viewer.slow_metric:waiting",
            "--run-dir",
            str(self.run),
        ]
        self._environment = {
            **os.environ, "WAIT_FOR": str(self.go), "ASSAY_CACHE_DIR": str(folder / "cache"),
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path]),
        }  # fmt: skip
        self.start()

    def start(self) -> None:
        self.go.with_suffix(".seen").write_text("")
        code = "import sys; from assay.cli.main import main; sys.exit(main(sys.argv[1:]))"
        command = [sys.executable, "-c", code, *self._arguments, "--quiet", "--workers", "1"]
        self.process = subprocess.Popen(
            command, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )

    def let(self, parts: int) -> None:
        self.go.write_text("x\n" * parts)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    made = Writer(tmp_path)
    yield made
    made.process.kill()
    made.process.wait()


def said(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((path / "progress.json").read_text())
    except OSError:
        return {"done": 0}
    return found


def test_a_live_run_grows_on_the_page_and_ends_there(writer: Writer, browser: Browser) -> None:
    writer.let(2)  # a sample of the first chunk, which is asked in parts
    until(lambda: said(writer.run)["done"] >= 1 or writer.process.poll() is not None, 60)
    assert writer.process.poll() is None, writer.process.stderr.read() if writer.process.stderr else ""
    with assay.view(writer.run.parent, browser=False) as viewing:
        browser.open(f"{viewing.url}#/runs")
        until(lambda: "running" in browser.text(".live"))
        first = said(writer.run)["rows"]
        browser.open(f"{viewing.url}#/segments?run=r0")
        until(lambda: browser.text(".total").startswith(f"{first:,} rows"))
        browser.run("window.kept = true")
        time.sleep(0.5)  # the writer speaks twice a second at most
        writer.let(4)
        until(lambda: said(writer.run)["rows"] > first, 60)
        more = said(writer.run)["rows"]
        until(lambda: browser.text(".total").startswith(f"{more:,} rows"))
        assert browser.run("return window.kept")  # nobody loaded the page again
        assert "of about" in browser.text(".banner")
        writer.let(1000)
        assert writer.process.wait(60) == 0
        until(lambda: browser.text(".total").startswith(f"{3 * PART:,} rows") and not browser.texts(".banner"), 20)
        assert browser.run("return window.kept")
    assert not (writer.run / "progress.json").exists() and not (writer.run / "rows.live.jsonl").exists()
    assert browser.complaints() == []


def test_a_killed_writer_is_told_from_one_that_writes_and_goes_on_where_it_was(writer: Writer) -> None:
    writer.let(2)
    until(lambda: said(writer.run)["done"] >= 1, 60)
    found = find_runs([writer.run.parent])
    assert found[0].live() is not None and found[0].problems == [] and found[0].verb == "score"
    rows = len(found[0].rows)
    writer.process.send_signal(signal.SIGKILL)
    writer.process.wait()
    found = found.refreshed()
    (run,) = found
    assert run.live() is None and len(run.rows) == rows
    assert "crashed at 20,032 of about" in run.problems[0] and "same command again to resume" in run.problems[0]
    writer.let(1000)
    writer.start()
    assert writer.process.wait(60) == 0
    (run,) = found.refreshed()
    assert run.problems == [] and len(run.rows) == 3 * PART and run.key == "r0"


def test_a_run_that_never_began_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.cli.main import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.tsv").write_text("")
    assert main(["score", "--data", "empty.tsv", "-m", "chrf", "--run-dir", "kept"]) == 2
    assert not (tmp_path / "kept").exists()
    assert main(["score", "--data", str(DEMO), "-m", "chrf", "--run-dir", "kept", "--quiet"]) == 0
    assert "progress.json" not in {path.name for path in (tmp_path / "kept").iterdir()}


def test_a_run_directory_changes_nothing_that_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from assay.cli.main import main

    arguments = ["score", "--data", str(DEMO), "-m", "chrf", "--quiet", "--format", "jsonl"]
    assert main(arguments) == 0
    plain = capsys.readouterr().out
    assert main([*arguments, "--run-dir", str(tmp_path / "kept")]) == 0
    assert capsys.readouterr().out == plain
    assert main([*arguments[:-1], "json", "--run-dir", str(tmp_path / "kept")]) == 0
    assert '"mt"' not in capsys.readouterr().out
    assert main([*arguments[:-1], "json", "--texts"]) == 0
    assert '"mt"' in capsys.readouterr().out
    (run,) = find_runs([tmp_path / "kept"])
    assert run.rows.row(0)["mt"]


def test_a_damaged_file_of_progress_stops_no_page(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    for text in (
        "{",
        "[]",
        '{"state": "stopped", "done": "x", "total": [], "metrics": {"m": 3}, "verb": 7}',
        '{"state": 3}',
    ):
        (folder / "progress.json").write_text(text)
        (folder / "rows.live.jsonl").write_bytes(b'{"mt": "a"}\n{"mt": \n[1]\n\xff\n{"mt": "b"}\n{"half')
        (run,) = find_runs([folder])
        head = run.head()
        assert head["live"] is None and head["problems"], text
        if run.progress:
            assert list(run.rows.columns["mt"]) == ["a", "b"]


def test_a_run_may_not_take_the_place_of_the_rows_that_it_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from assay.cli.main import main

    monkeypatch.chdir(tmp_path)
    assert main(["score", "--data", str(DEMO), "-m", "chrf", "--run-dir", "kept", "--quiet"]) == 0
    assert main(["score", "--data", "kept/rows.jsonl.gz", "-m", "chrf", "--run-dir", "kept"]) == 2
    assert "would overwrite the input kept/rows.jsonl.gz" in capsys.readouterr().err
