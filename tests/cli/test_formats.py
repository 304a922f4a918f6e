"""The suffix of --out chooses the format; what it says must not contradict --format."""

from __future__ import annotations

import json
from pathlib import Path

import polars
import pytest

from assay.cli.formats import SUFFIXES
from assay.cli.main import main
from tests.report.sheets import read


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


BEGINS = {
    "json": b'{"systems"', "jsonl": b'{"system": "baseline", "src": "', "tsv": b"system\tsrc\t", "csv": b"system,src,",
    "md": b"|", "latex": b"\\begin{table}", "html": b"<!doctype html>", "parquet": b"PAR1", "xlsx": b"PK\x03\x04",
}  # fmt: skip


@pytest.mark.parametrize("suffix", [*(one for one in SUFFIXES if one not in (".bib", ".sarif")), ".XLSX", ".Json"])
def test_the_suffix_chooses(suffix: str) -> None:
    assert main(["score", "-m", "chrf", "--data", "demo", "-o", f"x{suffix}"]) == 0
    assert Path(f"x{suffix}").read_bytes().startswith(BEGINS[SUFFIXES[suffix.lower()]])
    assert Path(f"x{suffix}.manifest.json").exists()


def test_other_names_say_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "-m", "chrf", "--data", "demo"]) == 0
    shown = capsys.readouterr().out
    for name in ("x.txt", "x", "x.final"):
        assert main(["score", "-m", "chrf", "--data", "demo", "--out", name]) == 0
        assert Path(name).read_text(encoding="utf-8").split() == shown.split()
    assert main(["score", "-m", "chrf", "--data", "demo", "--out", "x.final", "--format", "json"]) == 0
    assert json.loads(Path("x.final").read_text())["systems"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--out", "x.json", "--format", "csv"], "--out x.json has the suffix for json, but --format is csv"),
        (["--out", "x.md", "--format", "table"], "--out x.md has the suffix for md, but --format is table"),
        (["--out", "x.tsv.gz"], "does not compress its output"),
        (["--out", "x.xls"], "writes spreadsheets as .xlsx"),
        (
            ["--out", "x.md", "--spans"],
            "--spans requires --format table, json, html, jsonl, tsv, csv, parquet, xlsx, not md",
        ),
        (
            ["--out", "x.tsv", "--by", "length"],
            "--by cannot be combined with --format tsv, which has one row per segment. To get scores per group, add --summary",
        ),
        (["--out", "x.tsv", "--summary", "x.tsv"], "--summary and --out name the same file"),
    ],
)
def test_a_conflict_is_refused_and_nothing_is_written(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], place: Path
) -> None:
    assert main(["score", "-m", "chrf", "--data", "demo", *words]) == 2
    assert said in capsys.readouterr().err
    assert list(place.iterdir()) == []


def test_a_verb_that_does_not_write_a_form_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decide", "apply", "--rule", "r.json", "--mt", "x", "--out", "x.html"]) == 2
    said = capsys.readouterr().err
    assert "assay decide does not write html. Use table, tsv, jsonl, csv, json, parquet or xlsx." in said
    assert main(["score", "--data", "demo", "--out", "x.bib"]) == 2
    assert "assay score does not write bibtex" in capsys.readouterr().err


def test_every_table_has_its_sheet_and_a_parquet_file_holds_one(capsys: pytest.CaptureFixture[str]) -> None:
    run = ["run", "-m", "chrf", "--langpair", "de-en", "--figures", "none"]
    assert main([*run, "--out", "x.xlsx"]) == 0
    assert main([*run, "--format", "json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    sheets = read(Path("x.xlsx"))
    assert list(sheets) == list(tables)
    for name, rows in tables.items():
        heading, *cells = sheets[name]
        # an integer comes back as a float, which is equal; an empty cell is null
        assert [dict(zip(heading, row, strict=True)) for row in cells] == [
            {**dict.fromkeys(heading), **r} for r in rows
        ]
    assert main([*run, "--out", "x.parquet"]) == 2
    assert "a Parquet file holds one table, but there are several" in capsys.readouterr().err
    assert main([*run, "--out", "x.parquet", "--table", "summary"]) == 0
    assert polars.read_parquet("x.parquet")["accuracy"].to_list() == [tables["summary"][0]["accuracy"]]


def test_scores_as_a_spreadsheet_have_the_rows_of_the_input() -> None:
    texts = "system\tmt\tref\n=1+1\ta cat\ta cat\nb\ta dog\ta cat\n"
    Path("d.tsv").write_text(texts)
    assert main(["score", "-m", "chrf", "--data", "d.tsv", "--out", "x.xlsx"]) == 0
    assert main(["score", "-m", "chrf", "--data", "d.tsv", "--out", "x.parquet"]) == 0
    assert main(["score", "-m", "chrf", "--data", "d.tsv", "--out", "y.xlsx", "--summary", "sum.xlsx"]) == 0
    sheets = read(Path("x.xlsx"))
    assert list(sheets) == ["segments"] and Path("x.xlsx").read_bytes() == Path("y.xlsx").read_bytes()
    assert [row[0] for row in read(Path("sum.xlsx"))["systems"]] == ["system", "=1+1", "b"]
    assert sheets["segments"][0] == ["system", "mt", "ref", "chrf", "flags"]
    kept = polars.read_parquet("x.parquet")
    assert kept["flags"].to_list() == [[], []]  # a list there, words with commas between them in a cell
    assert [tuple(row) for row in sheets["segments"][1:]] == [(*row[:4], "") for row in kept.rows()]


def test_a_rule_is_no_rendering_of_a_result(capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"a{i}\tx\t{i % 2}\t{i / 40}\tde\n" for i in range(40))
    Path("o.tsv").write_text("id\tmt\tsuccess\tquality\tlanguage\n" + rows)
    words = ["decide", "fit", "--data", "o.tsv", "--score", "quality", "--out", "rule.json"]
    assert main([*words, "--format", "csv"]) == 0
    assert json.loads(Path("rule.json").read_text())["goal"]


def test_a_binary_form_spares_the_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert main(["score", "-m", "chrf", "--data", "demo", "--format", "xlsx"]) == 2
    assert "xlsx cannot be shown on a terminal. Use --out FILE, or a pipe." in capsys.readouterr().err
