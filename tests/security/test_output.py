"""Outputs that could hurt: over an input, into a closed stream, into a spreadsheet, larger than the machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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
