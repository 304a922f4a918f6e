"""Tables that assay view shows although their columns hold more than texts and numbers."""

from __future__ import annotations

import datetime
from pathlib import Path

import polars as pl
import pytest

from assay.cli.main import main


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
