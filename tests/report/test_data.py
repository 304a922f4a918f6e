from __future__ import annotations

import json
import math

import numpy as np
import pytest

from assay.core.errors import UnknownName
from assay.core.table import Table, TableColumn
from assay.report import render

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
