"""Outputs that could hurt: over an input, into a closed stream, into a spreadsheet, larger than the machine."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli.main import main
from assay.report.rows import CsvRows

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


TABLE = "system\tmt\tref\na\tx z\tx y\nb\tx y\tx y\n"


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


def test_more_samples_than_memory_are_refused_by_arithmetic(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # chrF has 18 statistics (three counts of six orders): 8 bytes * (18 * (2 * 2 systems + 1) + 4) * 10**9 draws
    assert main(["compare", "-m", "chrf", "--data", "data.tsv", "--samples", "1000000000"]) == 2
    said = capsys.readouterr().err
    assert "--samples 1,000,000,000 would need 752.0 GB of memory. At most " in said
    # 8 bytes * (18 * 4 + 4) * 10**10 trials
    assert main(["compare", "-m", "chrf", "--data", "data.tsv", "--trials", "10000000000"]) == 2
    assert "--trials 10,000,000,000 would need 6,080.0 GB of memory" in capsys.readouterr().err
    assert main(["score", "-m", "chrf", "--data", "data.tsv", "--ci", "--samples", "1000000000000"]) == 2
    assert main(["run", "-m", "chrf", "--samples", "1000000000000", "--figures", "none"]) == 2
    assert capsys.readouterr().err.count("--samples 1,000,000,000,000 would need") == 2


def test_the_largest_that_fits_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.core.errors import InputError
    from assay.core.memory import refuse_beyond_memory

    monkeypatch.setattr("assay.core.memory.memory", lambda: 4_000_000)
    refuse_beyond_memory("--samples", 1000, 1000)  # a million bytes: a quarter
    with pytest.raises(InputError, match=r"At most 1,000 fit"):
        refuse_beyond_memory("--samples", 1001, 1000)


EVIL = ["=1+1", "+1", "-cmd", "@SUM(A1)", "\t=1", " =1", "＝1", "plain", "a=b", "-1"]


@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_a_spreadsheet_runs_no_name(format: str) -> None:
    from assay.core.table import Table, TableColumn
    from assay.report import render

    table = Table("t", (TableColumn("=name"), TableColumn("x")), [{"=name": name, "x": -1.5} for name in EVIL])

    def cells(**options: bool) -> list[list[str]]:
        text = render([table], format, **options)  # type: ignore[arg-type]
        return list(csv.reader(io.StringIO(text, newline=""), delimiter="," if format == "csv" else "\t"))

    assert cells() == [["=name", "x"], *([name, "-1.5"] for name in EVIL)]
    quoted = ["'=1+1", "'+1", "'-cmd", "'@SUM(A1)", "'\t=1", "' =1", "'＝1", "plain", "a=b", "'-1"]
    assert cells(spreadsheet_safe=True) == [["'=name", "x"], *([name, "-1.5"] for name in quoted)]


def test_the_option_reaches_every_writer(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "evil.tsv").write_text("system\tmt\tref\tlang\n=HYPERLINK(1)\tx y\tx z\t=1\n")
    for format in ("csv", "tsv"):
        assert main(["score", "-m", "chrf", "--data", "evil.tsv", "--format", format]) == 0
        assert "\n=HYPERLINK(1)" in capsys.readouterr().out
        assert main(["score", "-m", "chrf", "--data", "evil.tsv", "--format", format, "--spreadsheet-safe"]) == 0
        assert "\n'=HYPERLINK(1)" in capsys.readouterr().out
    assert main(["score", "-m", "chrf", "--data", "evil.tsv", "--format", "json", "--spreadsheet-safe"]) == 2
    assert "--spreadsheet-safe requires --format csv, tsv or xlsx, not json." in capsys.readouterr().err
    columns = {"n": [-1, 2], "language": ["=1", None], "reason": ["fine", "@x"]}
    lines = CsvRows(list(columns), spreadsheet_safe=True).lines(list(columns.values()))
    assert "".join(lines) == "-1,'=1,fine\n2,,'@x\n"


def test_identical_systems_are_called_so(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "same.tsv").write_text(
        "system\tmt\tref\n" + "".join(f"{s}\ta b {i}\ta c {i}\n" for s in "xyz" for i in range(9))
    )
    text = (here / "same.tsv").read_text().replace("z\ta b 3", "z\ta c 3")
    (here / "same.tsv").write_text(text)
    arguments = ["compare", "-m", "chrf", "-m", "bleu", "--data", "same.tsv", "--trials", "100"]
    assert main([*arguments, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["systems"]
    for metric in ("chrf", "bleu"):
        # sacrebleu counts draws beyond the observed difference and adds one above and below: (0 + 1) / (1000 + 1)
        assert found["y"][metric]["p_bootstrap"] == 1 / 1001 and found["y"][metric]["p_randomization"] == 1 / 101
        assert found["y"][metric]["identical"] is True
        assert found["x"][metric]["identical"] is False and found["z"][metric]["identical"] is False
    assert main(arguments) == 0
    assert "y is identical to x by chrF, BLEU, segment by segment; ignore its p-values" in capsys.readouterr().out


def test_full_temporary_files_are_not_blamed_on_the_output(here: Path) -> None:
    from tests.faults.test_store_faults import small_disk

    words = random.Random(5)
    lines = [" ".join(words.choices("abcdefghij", k=8)) for _ in range(20_000)]
    (here / "mt").write_text("\n".join(lines) + "\n")
    (here / "long").write_text("\n".join(reversed(lines)) + "\n")
    with small_disk(here / "disk", "24k") as disk:
        command = f"{ASSAY} score -m chrf --mt mt --ref long --format parquet --out scores.parquet"
        done = shell(f"TMPDIR={disk} {command}", here)
        assert done.returncode == 2 and not (here / "scores.parquet").exists()
        assert (
            f"the disk is full: no space for temporary files in {disk}. Free some space, or set TMPDIR" in done.stderr
        )
        done = shell(f"{command.replace('scores.parquet', f'{disk}/scores.parquet')}", here)
        assert f"cannot write {disk}/scores.parquet: the disk is full" in done.stderr
