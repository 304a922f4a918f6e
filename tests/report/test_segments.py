"""Rows of segments: id, document, flags and texts are in every form of them, and resuming changes none of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars
import pytest

from assay.cli.main import main
from assay.engine import chunks

TABLE = """system\tid\tdoc\tsrc\tmt\tref\tref2
a\ts1\tnews\tHello\tHallo\tHallo\tGuten Tag
a\ts2\tnews\tGood night\tGood night\tGute Nacht\tSchlaf gut
b\ts1\tchat\tHello\t\tHallo\tGuten Tag
b\ts2\tchat\tGood night\tGute "Nacht"\tGute Nacht\tSchlaf gut
"""
ROWS = [
    {"system": "a", "segment": 1, "id": "s1", "doc": "news", "flags": []},
    {"system": "a", "segment": 2, "id": "s2", "doc": "news", "flags": ["copied_source"]},
    {"system": "b", "segment": 1, "id": "s1", "doc": "chat", "flags": ["empty_hypothesis"]},
    {"system": "b", "segment": 2, "id": "s2", "doc": "chat", "flags": []},
]
TEXTS = [dict(zip(("src", "mt", "ref", "ref2"), line.split("\t")[3:], strict=True)) for line in TABLE.splitlines()[1:]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "d.tsv"
    path.write_text(TABLE)
    return path


def scored(data: Path, form: str, *options: str) -> Path:
    out = data.with_name(f"out{len(options)}.{form}")
    assert main(["score", "-m", "chrf", "--data", str(data), "--format", form, "--out", str(out), *options]) == 0
    return out


def rows(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        return polars.read_parquet(path).to_dicts()
    if path.suffix == ".jsonl":
        found = [json.loads(line) for line in path.read_text().splitlines()]
        return [{**row, **row.pop("scores")} for row in found]
    frame = polars.read_csv(path, separator="\t", infer_schema=False).fill_null("")
    typed = [{**row, "segment": int(row["segment"]), "chrf": float(row["chrf"])} for row in frame.to_dicts()]
    return [{**row, "flags": row["flags"].split(",") if row["flags"] else []} for row in typed]


@pytest.mark.parametrize("form", ["tsv", "jsonl", "parquet"])
def test_rows_keep_what_names_them(data: Path, form: str) -> None:
    plain, whole = rows(scored(data, form)), rows(scored(data, form, "--texts"))
    assert [{name: row[name] for name in ROWS[0]} for row in plain] == ROWS
    assert not set(TEXTS[0]) & set(plain[0])
    assert [{name: row[name] for name in TEXTS[0]} for row in whole] == TEXTS
    assert [row["chrf"] for row in plain] == [row["chrf"] for row in whole]


def test_a_document_has_them_by_system(data: Path) -> None:
    whole = json.loads(scored(data, "json", "--texts").read_text())
    assert whole["flags"] == {"a": {"copied_source": 1}, "b": {"empty_hypothesis": 1}}
    for system, first in (("a", 0), ("b", 2)):
        known = whole["rows"][system]
        assert known["id"] == ["s1", "s2"] and known["doc"] == [ROWS[first]["doc"]] * 2
        assert [known[name] for name in TEXTS[0]] == [[TEXTS[first][n], TEXTS[first + 1][n]] for n in TEXTS[0]]
    assert whole["rows"]["a"]["flags"] == {"2": ["copied_source"]}


def test_no_flags(data: Path) -> None:
    header = scored(data, "tsv", "--no-flags").read_text().split("\n")[0]
    assert header == "system\tsegment\tid\tdoc\tchrf"
    assert json.loads(scored(data, "json", "--flags", "none").read_text())["flags"] == {"a": {}, "b": {}}


def test_the_spool_keeps_them_and_knows_other_ids(data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A run of several chunks is killed before it writes; the same texts under other ids are not taken for the same rows."""
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    many = data.with_name("many.tsv")
    header, *lines = TABLE.splitlines()
    numbered = [line.replace("\ts", f"\t{k}s", 1) for k in range(100) for line in lines]
    many.write_text("\n".join([header, *numbered]) + "\n")
    monkeypatch.setattr(chunks.regroup, "__defaults__", (64, 16_000_000))
    whole = scored(many, "jsonl").read_text()
    monkeypatch.setattr("assay.report.scores.as_jsonl", lambda *_: (_ for _ in ()).throw(MemoryError))
    killed = ["score", "-m", "chrf", "--data", str(many), "--format", "jsonl", "--out", str(tmp_path / "never")]
    assert main(killed) == 3
    many.write_text("\n".join([header, *(line.replace("s1", "S1") for line in numbered)]) + "\n")
    monkeypatch.undo()
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(chunks.regroup, "__defaults__", (64, 16_000_000))
    assert scored(many, "jsonl").read_text() == whole.replace("s1", "S1")
