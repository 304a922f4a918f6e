"""Outputs that could hurt: over an input, into a closed stream, into a spreadsheet, larger than the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli.main import main

ASSAY = f"{sys.executable} -m assay"


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=folder, check=False, timeout=120)


@pytest.mark.parametrize("words", ["--version", "list metrics", "score -m chrf --data demo --format jsonl"])
def test_a_closed_stdout_ends_in_silence_as_sigpipe_does(words: str, tmp_path: Path) -> None:
    closed = shell(f"{ASSAY} {words} >&-", tmp_path)
    assert (closed.returncode, closed.stderr) == (141, "")
    unread = shell(f"mkfifo pipe; sleep 9 <pipe & exec 3>pipe; kill $!; wait $!; {ASSAY} {words} >&3", tmp_path)
    assert unread.returncode == 141 and "rror" not in unread.stderr


def test_a_closed_stdout_is_no_matter_where_the_result_goes_elsewhere(tmp_path: Path) -> None:
    done = shell(f"{ASSAY} score -m chrf --data demo --format json --out scores.json --quiet >&-", tmp_path)
    assert (done.returncode, done.stderr) == (0, "") and (tmp_path / "scores.json").read_text().startswith('{"systems"')


@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full", "2> >(exec 0<&-)"])
def test_without_stderr_the_work_goes_on(stderr: str, tmp_path: Path) -> None:
    table = "system\tmt\tref\na\tx\ty\na\tx\ty\n"
    (tmp_path / "data.tsv").write_text(table)
    whole = shell(f"{ASSAY} compare -m chrf --data data.tsv {stderr}", tmp_path)
    assert (whole.returncode, whole.stdout) == (2, "")  # one system only: the error is heard by nobody, the code stays
    made = f"{ASSAY} make -p word-swap --data demo --out set.jsonl --n 2 --format json {stderr}"
    done = shell(made, tmp_path)
    assert done.returncode == 0 and '"tables"' in done.stdout and (tmp_path / "set.jsonl").stat().st_size > 100


def test_no_file_takes_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    """A file opened as number 2 would be written to by whoever complains to stderr."""
    code = "import sys; from assay.cli.main import main; main(['--version']); print(open(sys.executable).fileno())"
    done = shell(f'{sys.executable} -c "{code}" <&- 2>&-', tmp_path)
    assert int(done.stdout.splitlines()[-1]) > 2
    assert shell(f"{ASSAY} score -m chrf --mt - --ref /dev/null <&-", tmp_path).returncode == 2


TABLE = "system\tmt\tref\na\tx y\tx z\nb\tx y\tx y\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "data.tsv").write_text(TABLE)
    (tmp_path / "two").write_text("a b\nc d\n")
    (tmp_path / "ref").write_text("a b\nc e\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "soft").symlink_to("data.tsv")
    os.link("data.tsv", "hard")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "score -m chrf --data data.tsv --format json --out data.tsv",
        "score -m chrf --data data.tsv --out ./folder/../data.tsv",
        "score -m chrf --data data.tsv --out soft",
        "score -m chrf --data soft --out data.tsv",
        "score -m chrf --data data.tsv --out hard",
        "score -m chrf --mt two --ref ref --out ref",
        "score -m chrf --src two --mt ref --ref ref --out two",
        "compare -m chrf --data data.tsv --out data.tsv",
        "decide fit --data data.tsv --out data.tsv",
        "decide apply --rule data.tsv --mt two --out data.tsv",
        "breakdown --data data.tsv --out data.tsv",
        "run ./data.tsv --out data.tsv",
        "run --metric-file data.tsv:lower --out data.tsv",
        "card chrf --suite data.tsv --out data.tsv",
        "check --against data.tsv --out data.tsv",
        "reproduce data.tsv --out data.tsv",
        "make -p word-swap --data data.tsv --out data.tsv",
        "dfki build --decisions data.tsv --out data.tsv",
        "meta --metric-file data.tsv --out data.tsv",
    ],
)
def test_no_output_takes_the_place_of_an_input(here: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path.name: path.read_bytes() for path in here.iterdir() if path.is_file()}
    assert main(command.split()) == 2
    said = capsys.readouterr().err
    assert "would overwrite the input" in said and said.count("\n") == 1
    assert {path.name: path.read_bytes() for path in here.iterdir() if path.is_file()} == before


def test_nor_that_of_standard_input_or_in_a_run_directory(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = shell(f"{ASSAY} score -m chrf --mt - --ref ref --out two <two", here)
    assert done.returncode == 2 and "overwrite the input standard input" in done.stderr
    (here / "folder" / "outcomes.tsv").write_text(TABLE)
    assert main(["breakdown", "--data", "folder/outcomes.tsv", "--run-dir", "folder"]) == 2
    assert "--run-dir folder would overwrite the input folder/outcomes.tsv" in capsys.readouterr().err


def test_a_name_that_is_no_file_may_be_the_name_of_the_output(here: Path) -> None:
    for _ in range(2):  # the second time over the result of the first
        assert main(["card", "chrf", "--suite", "embedded", "--format", "json", "--out", "embedded"]) == 0
        assert main(["score", "-m", "chrf", "--data", "data.tsv", "--out", "chrf"]) == 0
    assert main(["score", "-m", "chrf", "--data", "data.tsv", "--out", "/dev/stdout"]) == 0
