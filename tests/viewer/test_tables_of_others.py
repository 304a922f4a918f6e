"""Tables that assay view shows although their columns hold more than texts and numbers."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import assay
from assay.cli.main import main
from assay.report.xlsx import Sheet, write_workbook
from assay.viewer.export import export_rows
from assay.viewer.rows import Query, Rows
from assay.viewer.runs import find_runs


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_rows_with_spans_as_score_writes_them() -> None:
    assert main(["score", "--spans", "--data", "demo", "--format", "jsonl", "-o", "demo.jsonl"]) == 0
    assert main(["view", "demo.jsonl", "--out", "page.html"]) == 0


def test_nested_objects() -> None:
    Path("a.jsonl").write_text(
        '{"mt": "a", "meta": {"x": [1]}, "chrf": 1}\n{"mt": "b", "meta": {"x": {}}, "chrf": 2}\n'
    )
    assert main(["view", "a.jsonl", "--out", "page.html"]) == 0


def test_dates_and_bytes() -> None:
    day = datetime.date(2026, 11, 1)
    frame = pl.DataFrame({"mt": ["a", "b"], "day": [day, day], "raw": [b"x", b"\xff"], "chrf": [1.0, 2.0]})
    frame.write_parquet("a.parquet")
    assert main(["view", "a.parquet", "--out", "page.html"]) == 0


def test_a_date_beyond_pythons_is_a_text() -> None:
    frame = pl.DataFrame({"mt": ["a"], "ref": ["a"], "day": pl.Series([10**8], dtype=pl.Int32).cast(pl.Date)})
    frame.write_parquet("a.parquet")
    for words in (
        ["view", "a.parquet", "--out", "p.html"],
        ["score", "-m", "chrf", "--data", "a.parquet", "-o", "x.tsv"],
    ):
        assert main(words) == 0
    assert "275760-09-13" in Path("x.tsv").read_text()


def shown(path: str, **columns: str) -> Rows:
    (run,) = find_runs([path], columns or None)
    assert main(["view", path, "--out", "page.html"]) == 0
    return run.rows


def texts(rows: Rows) -> list[list[Any]]:
    return [list(rows.columns[name]) for name in ("src", "mt", "ref") if name in rows.columns]


@pytest.mark.parametrize(
    "header", [["Source", "MT", "Reference"], ["source", "Translation", "ref"], ["SRC", "hyp", "Ref"]]
)
def test_a_workbook_with_names_that_people_use(header: list[str]) -> None:
    """The vocabulary of every other verb; columns without a role keep their names."""
    with Path("my.xlsx").open("wb") as stream:
        rows_in = [["a", "b", "c", "news"], ["d", "e", "f", "chat"]]
        write_workbook(stream, [Sheet("My sheet", [*header, "Domain"], rows_in)])
    rows = shown("my.xlsx")
    assert texts(rows) == [["a", "d"], ["b", "e"], ["c", "f"]] and list(rows.columns["Domain"]) == ["news", "chat"]


def test_columns_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    Path("my.csv").write_text("Source,MT,Post-edited,ref\na,b,c,old\n")
    assert texts(shown("my.csv")) == [["a"], ["b"], ["old"]]
    rows = shown("my.csv", ref="Post-edited")
    assert texts(rows) == [["a"], ["b"], ["c"]] and list(rows.columns["input_ref"]) == ["old"]
    assert main(["view", "my.csv", "--columns", "ref=Post-edited", "--out", "p.html"]) == 0
    assert main(["view", "my.csv", "--columns", "ref=Nothing", "--out", "p.html"]) == 2
    assert "Nothing" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["jsonl", "tsv", "csv", "parquet", "xlsx"])
def test_what_score_writes_is_shown_with_its_errors(form: str) -> None:
    """The texts, scores and spans of the rows, whatever form they went through."""
    words = ["score", "-m", "assay-mini", "--spans", "--data", "demo", "--quiet"]
    assert main([*words, "-o", f"demo.{form}"]) == 0 and main([*words, "--run-dir", "run"]) == 0
    rows, (kept,) = shown(f"demo.{form}"), find_runs(["run"])
    (run,) = find_runs([f"demo.{form}"])
    assert list(run.metrics) == ["assay-mini"]
    for name in ("system", "src", "mt", "ref", "spans", "assay-mini"):
        assert list(rows.columns[name]) == list(kept.rows.columns[name])
    assert any(rows.columns["spans"]) and "source_spans" not in rows.columns
    assert rows.same_segment(0) == kept.rows.same_segment(0) == [0, 20]


def test_an_export_has_the_shape_of_rows() -> None:
    """What the page takes out is what score writes; spans of the source come back to their side."""
    words = ["score", "-m", "assay-mini", "--spans", "--data", "demo", "--quiet"]
    assert main([*words, "-o", "demo.jsonl"]) == 0
    for path in ("demo.jsonl",):
        (run,) = find_runs([path])
        assert "".join(export_rows(run, Query(), "jsonl")[1]) == Path(path).read_text()
    span = {
        "side": "source",
        "start": 1,
        "end": 2,
        "text": "b",
        "severity": "major",
        "category": "omission",
        "confidence": None,
    }
    row = {"src": "abc", "mt": "x", "scores": {"judge": -5.0}, "flags": [], "spans": {"judge": [span]}}
    Path("judged.jsonl").write_text(json.dumps(row) + "\n")
    (run,) = find_runs(["judged.jsonl"])
    assert run.rows.row(0)["spans"] == [] and run.rows.row(0)["source_spans"] == [{"metric": "judge", **span}]
    assert json.loads("".join(export_rows(run, Query(), "jsonl")[1])) == row
    header, line = "".join(export_rows(run, Query(), "csv")[1]).splitlines()
    assert header == "src,mt,judge,flags,spans" and '""side"": ""source""' in line
    assert assay.filter_rows("judge < 0", "judged.jsonl").kept == 1


def test_other_columns_of_a_table_are_on_the_page() -> None:
    """Domain and comments can be grouped and filtered by, also where the columns were chosen by name."""
    Path("my.csv").write_text("Source,MT,Post-edited,domain,flags\na,b,c,news,1\nd,e,f,chat,2\n")
    words = ["--data", "my.csv", "--columns", "ref=Post-edited", "-m", "chrf", "--quiet", "--run-dir"]
    assert main(["score", *words, "run"]) == 0
    (run,) = find_runs(["run"])
    assert texts(run.rows) == [["a", "d"], ["b", "e"], ["c", "f"]]
    assert list(run.rows.columns["domain"]) == ["news", "chat"] and list(run.rows.columns["input_flags"]) == ["1", "2"]
    assert len(run.rows.order(Query(where='domain == "news"'))) == 1
