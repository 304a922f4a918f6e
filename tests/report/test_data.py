from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import polars
import pytest

from assay.core.columns import Columns
from assay.core.errors import UnknownName
from assay.core.table import Table, TableColumn
from assay.report import render
from assay.report.rows import write_rows

TABLE = Table(
    "t",
    (TableColumn("name"), TableColumn("x", kind="number")),
    [{"name": 'a,"b"', "x": math.nan}, {"name": "数", "x": np.float64(0.1)}, {"name": "c", "x": np.int64(3)}],
)


def test_json_has_numbers_unrounded_and_null_for_nan() -> None:
    read = json.loads(render([TABLE], "json", head={"suite": "s"}))
    assert read == {
        "suite": "s",
        "tables": {"t": [{"name": 'a,"b"', "x": None}, {"name": "数", "x": 0.1}, {"name": "c", "x": 3}]},
    }


def test_jsonl_names_the_table_in_each_line() -> None:
    lines = render([TABLE], "jsonl").splitlines()
    assert json.loads(lines[1]) == {"table": "t", "name": "数", "x": 0.1}


def test_csv_and_tsv() -> None:
    assert render([TABLE], "csv") == 'name,x\n"a,""b""",\n数,0.1\nc,3\n'
    assert render([TABLE], "tsv").splitlines()[2] == "数\t0.1"
    assert render([TABLE, TABLE], "csv").splitlines()[:2] == ["# t", "name,x"]


def test_an_unknown_format_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean json"):
        render([TABLE], "jsn")


ROWS = {
    "segment": range(1, 5),
    "label, %": ["use", 'say "no"', "a\tb", ""],
    "probability": [0.12345678901234567, None, 1e-7, 0.99995],
    "score": np.array([1.5, np.nan, -0.0, 1e300]),
    "flag": np.array([True, False, True, True]),
}


def written(columns: Columns, format: str, **how: bool) -> str:
    out = io.StringIO()
    write_rows([columns], format, out, **how)
    return out.getvalue()


@pytest.mark.parametrize("format", ["tsv", "csv"])
def test_columns_as_polars_writes_them(format: str) -> None:
    delimiter = "\t" if format == "tsv" else ","
    frame = polars.DataFrame(ROWS).with_columns(polars.col("score").fill_nan(None))
    header, *rows = csv.reader(io.StringIO(written(ROWS, format)), delimiter=delimiter)
    shown = csv.reader(io.StringIO(frame.write_csv(separator=delimiter)), delimiter=delimiter)
    assert header == next(shown)
    for row, other in zip(rows, shown, strict=True):
        assert (row[:2], row[4]) == (other[:2], other[4])
    values = [tuple(float(text) if text else None for text in row[2:4]) for row in rows]
    assert values == frame[["probability", "score"]].rows()
    assert [json.loads(line) for line in written(ROWS, "jsonl").splitlines()] == frame.to_dicts()


@pytest.mark.parametrize("format", ["tsv", "csv"])
def test_columns_for_a_spreadsheet(format: str) -> None:
    risky = {"=a": ["=1", "x"], "n": [-1.5, 2.0]}
    expected = "'=a,n\n'=1,-1.5\nx,2.0\n"
    assert written(risky, format, spreadsheet_safe=True) == expected.replace(",", "\t" if format == "tsv" else ",")
