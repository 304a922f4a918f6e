"""`assay filter` as typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.cli.main import main


@pytest.fixture
def scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "scores.tsv"
    assert main(["score", "-m", "chrf", "-m", "bleu", "--data", "demo", "--format", "tsv", "--out", str(path)]) == 0
    capsys.readouterr()
    return path


def below(scores: Path, limit: float) -> list[str]:
    header, *lines = scores.read_text().splitlines()
    at = header.split("\t").index("chrf")
    return [header, *(line for line in lines if float(line.split("\t")[at]) < limit)]


def test_rows_go_to_the_screen_and_counts_to_people(scores: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["filter", "chrf < 60", str(scores)]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines() == below(scores, 60)
    assert "kept 7 of 40 rows: baseline 3 of 20, ours 4 of 20" in said.err


def test_rows_go_to_a_file_with_its_manifest(scores: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = scores.with_name("bad.jsonl")
    assert main(["filter", "chrf < 60", str(scores), "--out", str(out), "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert len(out.read_text().splitlines()) == len(below(scores, 60)) - 1
    about = json.loads(out.with_name("bad.jsonl.manifest.json").read_text())
    assert about["counts"] == {"kept": 7, "dropped": 33}
    assert about["inputs"][0]["path"] == str(scores)


def test_count(scores: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["filter", "chrf < 60", str(scores), "--count", "--format", "json", "--invert"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert (whole["kept"], whole["dropped"]) == (33, 7)
    assert [row["kept"] for row in whole["tables"]["rows"]] == [17, 16, 33]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chfr < 60"], "assay: unknown column 'chfr' in {file}. Did you mean chrf? In the expression: ⟦chfr⟧ < 60"),
        (["chrf < 60 and"], "but the expression ends. In the expression: chrf < 60 and⟦⟧"),
        (["chrf < 60", "--format", "md"], "--format md requires --count"),
        (["chrf < 60", "--out", "x.gz"], "does not compress its output"),
        (["chrf < 60", "--out", "x.txt"], "x.txt has no suffix of a known format. Use .tsv, .csv"),
        (["chrf < 60", "--out", "{file}"], "--out {file} would overwrite the input {file}"),
        (["chrf < 60", "--spreadsheet-save"], "Did you mean --spreadsheet-safe?"),
    ],
)
def test_mistakes(scores: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    expression, *options = (text.replace("{file}", str(scores)) for text in arguments)
    assert main(["filter", expression, str(scores), *options]) == 2
    err = capsys.readouterr().err
    assert said.replace("{file}", str(scores)) in err and err.count("\n") == 1
