from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from assay.cli.main import main


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert main(["compare", "--data", "demo", "-m", "chrf,bleu,ter", "--run-dir", "runs/demo", "--quiet"]) == 0
    return Path("runs/demo")


def test_a_run_goes_into_one_file(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["view", str(run), "--out", "demo.html"]) == 0
    assert "wrote demo.html (1 run, 0.1 MB)" in capsys.readouterr().err
    page = Path("demo.html").read_text(encoding="utf-8")
    assert 'http-equiv="Content-Security-Policy"' in page and "http://" not in page.replace("http://www.w3.org/", "")


def test_the_server_answers_until_it_is_interrupted(run: Path) -> None:
    command = [sys.executable, "-m", "assay", "view", "runs", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(url, timeout=10) as answer:
            assert b"assay view" in answer.read()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    assert process.returncode == 0 and "1 run · press Ctrl-C to stop" in said and "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "nothing is not a run or a table"),
        ([], "the folder runs does not exist"),
        (["x.tsv", "--out", "x.pdf"], "a file name that ends in .html"),
        (["x.tsv", "--port", "70000"], "the highest port is 65535"),
        (["x.tsv"], "x.tsv is empty"),
    ],
)
def test_what_cannot_be_shown_is_one_line(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.tsv").write_text("")
    assert main(["view", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_a_browser_that_is_not_there_is_one_line_with_the_address(run: Path) -> None:
    environment = {**os.environ, "BROWSER": "no-such-browser", "PATH": str(Path(sys.executable).parent)}
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        environment.pop(name, None)
    command = [sys.executable, "-m", "assay", "view", "runs"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None and process.stdout.readline().startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    assert "no browser could be opened. Open the address yourself." in said and "Traceback" not in said
