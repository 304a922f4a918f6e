from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import polars
import pytest

from assay.core.errors import UnknownName
from assay.core.table import Table, TableColumn
from assay.report import render
from assay.report.data import delimited, json_lines

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


@pytest.mark.parametrize("delimiter", ["\t", ","])
def test_columns_as_polars_writes_them(delimiter: str) -> None:
    frame = polars.DataFrame(ROWS).with_columns(polars.col("score").fill_nan(None))
    shown = frame.with_columns(polars.col("flag").cast(polars.String).str.to_titlecase())
    written = shown.write_csv(separator=delimiter, float_precision=4)
    assert list(csv.reader(io.StringIO(delimited(ROWS, delimiter, decimals=4)), delimiter=delimiter)) == list(
        csv.reader(io.StringIO(written), delimiter=delimiter)
    )
    assert [json.loads(line) for line in json_lines(ROWS).splitlines()] == frame.to_dicts()
    bare = delimited(ROWS, delimiter, header=False)
    values = [row[2:4] for row in csv.reader(io.StringIO(bare), delimiter=delimiter)]
    assert [tuple(float(text) if text else None for text in row) for row in values] == frame[
        ["probability", "score"]
    ].rows()


def test_columns_for_a_spreadsheet() -> None:
    risky = {"=a": ["=1", "x"], "n": [-1.5, 2.0]}
    assert delimited(risky, spreadsheet_safe=True) == "'=a,n\n'=1,-1.5\nx,2.0\n"
