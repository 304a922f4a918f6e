"""Spreadsheets: what was put in comes out, texts stay texts, and what a sheet cannot hold is refused."""

from __future__ import annotations

import io
import math
import zipfile
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.report import xlsx
from assay.report.xlsx import Sheet, write_workbook
from tests.report.sheets import read


def written(tmp_path: Path, *sheets: Sheet) -> Path:
    with (tmp_path / "w.xlsx").open("wb") as stream:
        write_workbook(stream, sheets)
    return tmp_path / "w.xlsx"


def test_values_come_back_as_they_were(tmp_path: Path) -> None:
    rows = [
        [1, 0.1, True, None, math.nan],
        [-3, 1e-300, False, " a  b ", "<&>\"'"],
        [2**53 + 1, 0.5, True, "\x1b[1m", "_x0041_"],
    ]
    found = read(written(tmp_path, Sheet("t", ["a", "b", "c", "d", "e"], rows)))
    assert found["t"][0] == ["a", "b", "c", "d", "e"]
    assert found["t"][1] == [1.0, 0.1, True, None, None]
    assert found["t"][2] == [-3.0, 1e-300, False, " a  b ", "<&>\"'"]
    assert found["t"][3] == ["9007199254740993", 0.5, True, "\x1b[1m", "_x0041_"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", '=HYPERLINK("http://x")', "＝1"])
def test_a_formula_is_a_text_and_stays_one_when_edited(text: str, tmp_path: Path) -> None:
    path = written(tmp_path, Sheet("t", ["=a"], [[text]]))
    assert read(path)["t"] == [["=a"], [text]]
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "<f" not in sheet  # the element of a formula
    assert '<c s="2" t="inlineStr">' in sheet  # the style with the quote before it


def test_names_that_a_spreadsheet_takes(tmp_path: Path) -> None:
    long = "x" * 40
    names = ["a/b", "A b", "'q'", "", long, long]
    found = read(written(tmp_path, *(Sheet(name, ["k"], []) for name in names)))
    assert list(found) == ["a b", "A b 2", "q", "table", "x" * 31, "x" * 29 + " 2"]


def test_the_same_sheets_give_the_same_bytes() -> None:
    made = []
    for _ in range(2):
        stream = io.BytesIO()
        write_workbook(stream, [Sheet("t", ["a"], [[1.5]])])
        made.append(stream.getvalue())
    assert made[0] == made[1]


def test_what_a_sheet_cannot_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"row 3 of t has a text of more than 32,767 characters.*parquet"):
        written(tmp_path, Sheet("t", ["a"], [["x" * 32_767], ["x" * 32_768]]))
    monkeypatch.setattr(xlsx, "MOST_ROWS", 3)
    written(tmp_path, Sheet("t", ["a"], [[1], [2]]))
    with pytest.raises(InputError, match=r"t has more than 2 rows.*parquet"):
        written(tmp_path, Sheet("t", ["a"], [[1], [2], [3]]))
