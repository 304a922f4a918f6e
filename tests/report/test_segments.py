"""Rows of segments: the columns of the input, scores, flags and spans in every form of them; resuming changes none of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars
import pytest

import assay
from assay.cli.main import main
from assay.core import batch
from assay.core.errors import InputError
from tests.report.sheets import read

TABLE = """system\tid\tdomain\tsrc\tMT\tref\tref2\tNote
a\ts1\tnews\tHello\tHallo\tHallo\tGuten Tag\t1
a\ts2\tnews\tGood night\tGood night\tGute Nacht\tSchlaf gut\t
b\ts1\tchat\tHello\t\tHallo\tGuten Tag\tx, y
b\ts2\tchat\tGood night\tGute "Nacht"\tGute Nacht\tSchlaf gut\t"
"""
HEADER = TABLE.splitlines()[0].split("\t")
INPUT = [dict(zip(HEADER, line.split("\t"), strict=True)) for line in TABLE.splitlines()[1:]]
FLAGS = [[], ["copied_source"], ["empty_hypothesis"], []]
FORMS = ["jsonl", "tsv", "csv", "parquet", "xlsx"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "d.tsv"
    path.write_text(TABLE)
    return path


def scored(data: Path, form: str, *options: str) -> Path:
    out = data.with_name(f"out{len(options)}.{form}")
    metric = ["--metric", "chrf"] if "--spans" not in options else []
    assert main(["score", *metric, "--data", str(data), "--out", str(out), *options]) == 0
    return out


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, with scores as columns and empty cells as texts."""
    if path.suffix == ".parquet":
        return polars.read_parquet(path).to_dicts()
    if path.suffix == ".jsonl":
        found = [json.loads(line) for line in path.read_text().splitlines()]
        return [
            {k: v for key, value in row.items() for k, v in (value if key == "scores" else {key: value}).items()}
            for row in found
        ]
    if path.suffix == ".xlsx":
        heading, *cells = read(path)["segments"]
        frame = [{name: "" if cell is None else cell for name, cell in zip(heading, row, strict=True)} for row in cells]
    else:
        separator = "\t" if path.suffix == ".tsv" else ","
        frame = polars.read_csv(path, separator=separator, infer_schema=False).fill_null("").to_dicts()
    typed = [{**row, "chrf": float(row["chrf"])} for row in frame]
    return [{**row, "flags": row["flags"].split(",") if row["flags"] else []} for row in typed]


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_those_of_the_input_with_what_was_added(data: Path, form: str) -> None:
    found = rows(scored(data, form))
    assert [list(row) for row in found] == [[*HEADER, "chrf", "flags"]] * 4
    assert [{name: row[name] for name in HEADER} for row in found] == INPUT
    assert [row["flags"] for row in found] == FLAGS
    values = assay.score(data=data, metrics=["chrf"]).scores_of("b")["chrf"].values.tolist()
    assert [row["chrf"] for row in found][2:] == values


@pytest.mark.parametrize("form", FORMS)
def test_python_writes_the_same_bytes(data: Path, form: str) -> None:
    mine = data.with_name(f"python.{form}")
    result = assay.score(data=data, metrics=["chrf"], texts=True)
    result.write_rows(mine)
    assert mine.read_bytes() == scored(data, form).read_bytes()
    kept = result.to_polars()
    assert kept.columns == [*HEADER, "chrf", "flags"] and kept.select(HEADER).to_dicts() == INPUT
    with pytest.raises(InputError, match=r"rows can be written as \.jsonl"):
        result.write_rows("x.md")


def test_spans_are_in_every_form(data: Path) -> None:
    """One column with a list for each metric; the fields of a span stand in one order."""
    fields = ["side", "start", "end", "text", "severity", "category", "confidence"]
    wanted = [json.loads(line) for line in scored(data, "jsonl", "--spans").read_text().splitlines()]
    marked = [row["spans"]["assay-mini"] for row in wanted]
    assert [list(row)[-3:] for row in wanted] == [["scores", "flags", "spans"]] * 4
    assert any(marked) and all(list(span) == fields for spans in marked for span in spans)
    for row, spans in zip(INPUT, marked, strict=True):
        assert [row["MT"][span["start"] : span["end"]] for span in spans] == [span["text"] for span in spans]
    assert polars.read_parquet(scored(data, "parquet", "--spans"))["spans"].to_list() == [
        row["spans"] for row in wanted
    ]
    for form, separator in (("tsv", "\t"), ("csv", ",")):
        cells = polars.read_csv(scored(data, form, "--spans"), separator=separator, infer_schema=False)["spans"]
        assert [json.loads(cell) for cell in cells] == [row["spans"] for row in wanted]
    document = json.loads(scored(data, "json", "--spans").read_text())
    assert document["segments"] == wanted and list(document["signatures"]) == ["assay-mini"]


def test_columns_of_the_input_are_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "d.jsonl"
    own = {"mt": "a", "ref": "a", "scores": {"chrf": 1}, "flags": "mine", "chrf": 2, "input_chrf": 3}
    path.write_text(json.dumps(own) + "\n")
    (row,) = (json.loads(line) for line in scored(path, "jsonl").read_text().splitlines())
    kept = {
        "mt": "a",
        "ref": "a",
        "input_scores": {"chrf": 1},
        "input_flags": "mine",
        "input_chrf_2": 2,
        "input_chrf": 3,
    }
    assert row == {**kept, "scores": {"chrf": 100.0}, "flags": []}
    said = capsys.readouterr().err
    for old, new in (("scores", "input_scores"), ("flags", "input_flags"), ("chrf", "input_chrf_2")):
        assert f"the input column '{old}' is written as '{new}', because assay adds a column '{old}'." in " ".join(
            said.split()
        )
    path.write_text('{"mt": "a", "scores": {"chrf": 1}, "chrf": 2}\n')
    assert main(["filter", "chrf > 1", str(path)]) == 2
    assert "line 1 has 'chrf' both as a column and among its scores. Rename one of them." in " ".join(
        capsys.readouterr().err.split()
    )


def test_texts_without_a_table_have_our_names(tmp_path: Path) -> None:
    for name in ("a", "b", "r", "s"):
        (tmp_path / name).write_text(f"{name} one\n{name} two\n")
    out = tmp_path / "rows.jsonl"
    files = [
        "--mt",
        f"A={tmp_path / 'a'}",
        f"B={tmp_path / 'b'}",
        "--ref",
        str(tmp_path / "r"),
        "--src",
        str(tmp_path / "s"),
    ]
    assert main(["score", "-m", "chrf", *files, "-l", "en-de", "--out", str(out)]) == 0
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert [list(row) for row in found] == [
        ["system", "segment", "langpair", "src", "mt", "ref", "scores", "flags"]
    ] * 4
    assert [(row["system"], row["segment"], row["mt"]) for row in found] == [
        ("A", 1, "a one"), ("A", 2, "a two"), ("B", 1, "b one"), ("B", 2, "b two"),
    ]  # fmt: skip


def test_systems_in_columns_are_a_row_each(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("A,B,ref,domain\na,b,a,news\nc,d,c,chat\n")
    out = tmp_path / "rows.jsonl"
    words = ["--data", str(tmp_path / "wide.csv"), "--columns", "mt=A,mt=B"]
    assert main(["score", "-m", "chrf", *words, "--out", str(out)]) == 0
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["system"], row["mt"], row["A"], row["domain"], row["scores"]["chrf"]) for row in found] == [
        ("A", "a", "a", "news", 100), ("A", "c", "c", "chat", 100), ("B", "b", "a", "news", 0), ("B", "d", "c", "chat", 0),
    ]  # fmt: skip


def test_values_keep_their_kind(tmp_path: Path) -> None:
    """Chunks whose columns look different: whole numbers, then others; nothing, then text; numbers, then text."""
    path, out = tmp_path / "d.jsonl", tmp_path / "rows.parquet"
    lines = [
        {"mt": "a", "ref": "a", "year": i, "late": None, "mixed": i, "tags": ["x"], "meta": {"k": i}} for i in range(64)
    ]
    lines += [
        {"mt": "b", "ref": "a", "year": 0.5, "late": "y", "mixed": "z", "tags": [], "meta": {}} for _ in range(64)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch.regroup, "__defaults__", (64, 16_000_000))
        assert main(["score", "-m", "chrf", "--data", str(path), "--out", str(out)]) == 0
    kept = polars.read_parquet(out)
    assert kept["year"].to_list() == [line["year"] for line in lines]
    assert kept["late"].to_list() == [line["late"] for line in lines]
    assert kept["mixed"].to_list() == [str(line["mixed"]) for line in lines]
    assert kept["tags"].to_list() == [line["tags"] for line in lines]
    assert [json.loads(cell) for cell in kept["meta"]] == [line["meta"] for line in lines]


def test_a_document_has_them_by_system(data: Path) -> None:
    whole = json.loads(scored(data, "json", "--texts").read_text())
    assert whole["flags"] == {"a": {"copied_source": 1}, "b": {"empty_hypothesis": 1}}
    for system, first in (("a", 0), ("b", 2)):
        known = whole["rows"][system]
        assert known["id"] == ["s1", "s2"]
        mine = INPUT[first : first + 2]
        assert [known[name] for name in ("src", "mt", "ref", "ref2")] == [
            [row[name] for row in mine] for name in ("src", "MT", "ref", "ref2")
        ]
    assert whole["rows"]["a"]["flags"] == {"2": ["copied_source"]}


def test_no_flags(data: Path) -> None:
    header = scored(data, "tsv", "--no-flags").read_text().split("\n")[0]
    assert header.split("\t") == [*HEADER, "chrf"]
    assert json.loads(scored(data, "json", "--flags", "none").read_text())["flags"] == {"a": {}, "b": {}}


def test_the_spool_keeps_them_and_knows_other_columns(
    data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A run of several chunks is killed before it writes; the same texts beside other notes are not taken for the same rows."""
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    many = data.with_name("many.tsv")
    header, *lines = TABLE.splitlines()
    numbered = [line.replace("\ts", f"\t{k}s", 1) for k in range(100) for line in lines]
    many.write_text("\n".join([header, *numbered]) + "\n")
    monkeypatch.setattr(batch.regroup, "__defaults__", (64, 16_000_000))
    whole = scored(many, "jsonl").read_text()
    monkeypatch.setattr("assay.cli.output.write_rows", lambda *_, **__: (_ for _ in ()).throw(MemoryError))
    killed = ["score", "-m", "chrf", "--data", str(many), "--format", "jsonl", "--out", str(tmp_path / "never")]
    assert main(killed) == 3
    many.write_text("\n".join([header, *(line.replace("news", "News") for line in numbered)]) + "\n")
    monkeypatch.undo()
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(batch.regroup, "__defaults__", (64, 16_000_000))
    assert scored(many, "jsonl").read_text() == whole.replace("news", "News")
