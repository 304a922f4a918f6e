"""Workbooks, Arrow files and folders of shards, as other programs wrote them (tests/fixtures/tables)."""

from __future__ import annotations

import gzip
import io
import shutil
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import polars
import pytest

import assay
from assay.core.errors import InputError
from assay.io.scores.metric_file import read_values
from assay.io.table.bad_rows import BadRows
from assay.io.table.formats import open_table, read_fields
from assay.io.table.tables import read_table

FILES = Path(__file__).resolve().parents[2] / "fixtures" / "tables"
HEADER = ["id", "src", "mt", "ref", "score"]
ROWS = [
    ["1", 'Er sagte "ja".', 'He said "yes".', 'He said: "yes".', "0.1"],
    ["2", "Zeile\neins", "line\none", "line one", "-2.5"],
    ["3", " vorn und hinten ", " around ", "ä😀  x", "1e-07"],
    ["4", "=1+1 & <b>", "a;b,c\td", "_x0041_", "100"],
    ["5", "2024", "2024", "2024", ""],
]
"""What was put into each of them; the third cell of the last row as a number in the workbooks."""


def cells(path: Path) -> list[list[Any]]:
    with open_table(path) as table:
        assert table.names[:5] == HEADER
        return [row[:5] for _, row in table.rows()]


@pytest.mark.parametrize("name", ["xlsxwriter.xlsx", "inline.xlsx", "openpyxl.xlsx", "pandas.xlsx"])
def test_a_workbook_holds_the_texts_that_were_put_in(name: str, tmp_path: Path) -> None:
    rows = [list(row) for row in ROWS]
    if name == "openpyxl.xlsx":
        rows[3][3] = "A"  # openpyxl does not escape it, and Excel shows this then
    if name == "pandas.xlsx":
        rows[3][1] = "0"  # a formula with the value that its writer gave it
    assert cells(FILES / name) == rows
    shutil.copy(FILES / name, tmp_path / "no ending")
    assert cells(tmp_path / "no ending") == rows


def test_the_first_visible_sheet_is_read_and_others_are_named() -> None:
    with open_table(FILES / "openpyxl.xlsx") as table:
        assert table.notes == [f"{FILES / 'openpyxl.xlsx'} has the sheets Texte, Notizen; only 'Texte' is read."]
    with open_table(FILES / "xlsxwriter.xlsx") as table:
        assert table.notes == []  # the other one is hidden


def test_workbooks_are_scored_like_the_csv_of_them(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame(ROWS, columns=HEADER).to_csv(tmp_path / "a.csv", index=False)
    first = assay.score(data=FILES / "inline.xlsx", metrics=["chrf"])
    assert (
        first.segments["chrf"].tolist()
        == assay.score(data=tmp_path / "a.csv", metrics=["chrf"]).segments["chrf"].tolist()
    )


SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
)


def workbook(path: Path, sheet: str, strings: str | None = None, **parts: str) -> Path:
    """The least that a workbook needs."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets><sheet name="S" r:id="r1"/></sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            '<Relationship Id="r1" Target="/xl/worksheets/sheet1.xml"/></Relationships>',
        )
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
        if strings is not None:
            archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{main}">{strings}</sst>')
    return path


def test_what_cells_can_hold(tmp_path: Path) -> None:
    rows = (
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>mt</t></is></c></row>'
        '<row r="2"><c r="A2" t="b"><v>1</v></c><c r="C2" t="str"><f>A1</f><v>x_x000A_y</v></c></row>'
        '<row r="3"><c r="A3"><v>0.10000000000000001</v></c><c r="B3"/><c r="C3" t="e"><v>#N/A</v></c></row>'
        '<row r="4"><c r="A4"><v>1E2</v></c><c r="C4"><f>1+1</f></c></row>'
        '<row r="7"><c><v>7</v></c><c/><c t="s"><v>1</v></c><c r="D7"/></row>'
    )
    strings = "<si><t>id</t></si><si><r><t>日</t></r><r><t>本</t></r><rPh sb='0' eb='1'><t>に</t></rPh></si>"
    path = workbook(tmp_path / "a.xlsx", SHEET.format(rows), strings)
    with open_table(path) as table:
        assert table.names == ["id", "", "mt"]
        assert list(table.rows()) == [
            (2, ["TRUE", "", "x\ny"]),
            (3, ["0.1", "", ""]),
            (4, ["100", "", ""]),
            (7, ["7", "", "日本"]),
        ]
        error, formula = table.notes
        assert "1 cell with an error such as #N/A or #REF! read as empty" in error
        assert "1 formula without a value read as empty" in formula


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ('<row><c t="s"><v>5</v></c></row>', "refers to the string '5', which does not exist"),
        ('<row><c r="ZZZZ1"><v>5</v></c></row>', "a cell has the impossible name 'ZZZZ1'"),
        ('<row><c r="B1"><v>5</v></c><c r="A1"><v>5</v></c></row>', "a cell has the impossible name 'A1'"),
        ("", r"is empty\. The first line must be a header"),
        ("<row>", "not well-formed XML: mismatched tag"),
    ],
)
def test_sheets_that_cannot_be(tmp_path: Path, rows: str, said: str) -> None:
    path = workbook(tmp_path / "a.xlsx", SHEET.format(rows))
    with pytest.raises(InputError, match=said):
        cells(path)


def test_entities_in_a_workbook_are_refused(tmp_path: Path) -> None:
    sheet = '<!DOCTYPE x [<!ENTITY a "ha">]>' + SHEET.format('<row><c t="str"><v>&a;</v></c></row>')
    with pytest.raises(InputError, match=r"a\.xlsx \(xl/worksheets/sheet1\.xml\) line 1: it declares the entity 'a'"):
        cells(workbook(tmp_path / "a.xlsx", sheet))


def test_other_containers_are_refused_with_their_remedy(tmp_path: Path) -> None:
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    with pytest.raises(InputError, match=r"old\.xls is an old workbook \(\.xls\) or is password-protected"):
        cells(tmp_path / "old.xls")
    for member, said in (
        ("mimetype", r"in another format\. Save it as \.xlsx"),
        ("a.txt", "a zip file, not a workbook. Unpack it"),
    ):
        with zipfile.ZipFile(tmp_path / "other.xlsx", "w") as archive:
            archive.writestr(member, "x")
        with pytest.raises(InputError, match=said):
            cells(tmp_path / "other.xlsx")
    whole = (FILES / "openpyxl.xlsx").read_bytes()
    for cut in (4, 100, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut.xlsx").write_bytes(whole[:cut])
        with pytest.raises(InputError, match=r"cut\.xlsx cannot be read as a workbook"):
            cells(tmp_path / "cut.xlsx")
    for data, said in ((b"", "it is empty"), (b"mt\tref\n", "its first bytes are something else")):
        (tmp_path / "none.xlsx").write_bytes(data)
        with pytest.raises(InputError, match=rf"none\.xlsx is not a workbook, despite its name: {said}"):
            cells(tmp_path / "none.xlsx")
    (tmp_path / "packed.xlsx.gz").write_bytes(gzip.compress(whole))
    with pytest.raises(InputError, match="is a compressed workbook or a pipe"):
        cells(tmp_path / "packed.xlsx.gz")


def test_a_long_sheet_is_read_in_flat_memory(tmp_path: Path) -> None:
    rows = "".join(f'<row><c t="inlineStr"><is><t>{"text " * 20}{i}</t></is></c></row>' for i in range(40_000))
    path = workbook(tmp_path / "a.xlsx", SHEET.format('<row><c t="str"><v>mt</v></c></row>' + rows))
    tracemalloc.start()
    assert sum(map(len, read_table(path, chunk=64))) == 40_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6_000_000  # the sheet has 6.8 MB, its texts 4.2


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.io.table.xlsx.MOST_STRINGS", 1000)
    path = workbook(tmp_path / "a.xlsx", SHEET.format("<row/>"), "<si><t>" + "a" * 2000 + "</t></si>")
    with pytest.raises(InputError, match=r"xl/sharedStrings\.xml has more than 0 MiB\. Save the sheet as CSV"):
        cells(path)


PLAIN: list[list[Any]] = [[int(row[0]), *row[1:4], float(row[4]) if row[4] else None] for row in ROWS]


def test_feather_and_saved_data_sets() -> None:
    for path in (FILES / "pandas.feather", FILES / "saved", FILES / "splits" / "test"):
        assert cells(path) == PLAIN
    with open_table(FILES / "pandas.feather") as table:
        assert {row[5] for _, row in table.rows()} == {"de-en"}  # a category, as text
    with pytest.raises(
        InputError, match=r"splits contains several tables: test, train\. Specify one, such as .*splits/test\.$"
    ):
        cells(FILES / "splits")


def test_a_folder_as_the_hub_keeps_it(tmp_path: Path) -> None:
    frame = polars.DataFrame(PLAIN, schema=HEADER, orient="row")
    (tmp_path / "data").mkdir()
    for i, part in enumerate((frame[:2], frame[2:])):
        part.write_parquet(tmp_path / "data" / f"test-{i:05}-of-00002.parquet")
    assert cells(tmp_path) == PLAIN
    with open_table(tmp_path) as table:
        assert [number for number, _ in table.rows()] == [1, 2, 3, 4, 5]
    frame[:1].write_parquet(tmp_path / "data" / "train-00000-of-00001.parquet")
    assert cells(tmp_path / "test") == PLAIN
    with pytest.raises(InputError, match=r"contains several tables: test, train"):
        cells(tmp_path)
    with pytest.raises(InputError, match="valid does not exist"):
        cells(tmp_path / "valid")


def test_shards_of_lines_need_no_extra_and_must_agree(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("---\n")
    (tmp_path / "test.jsonl").write_text('{"mt": "a", "x": {"y": "b"}}\n')
    assert [batch[0].hypothesis for batch in read_table(tmp_path)] == ["a"]
    assert [batch[0].references for batch in read_table(tmp_path, {"ref": "x.y"})] == [("b",)]
    (tmp_path / "test.jsonl").rename(tmp_path / "test-00000-of-00002.jsonl")
    (tmp_path / "test-00001-of-00002.jsonl").write_text('{"other": "a"}\n')
    with pytest.raises(InputError, match=r"00001-of-00002\.jsonl has no column 'mt', unlike .*00000-of-00002\.jsonl"):
        list(read_table(tmp_path))
    (tmp_path / "test-00001-of-00002.jsonl").unlink()
    (tmp_path / "test.csv").write_text("mt\n")
    with pytest.raises(InputError, match="has 'test' in several formats"):
        list(read_table(tmp_path))


def test_a_folder_of_anything_else_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("mt\n")
    with pytest.raises(InputError, match="is a folder, not a file"):
        cells(tmp_path)


def test_a_data_set_is_scored_and_its_files_are_in_the_manifest() -> None:
    result = assay.score(data=FILES / "saved", metrics=["chrf"])
    assert len(result) == 5
    assert [Path(file).name for file in result.files] == ["data-00000-of-00002.arrow", "data-00001-of-00002.arrow"]


@pytest.mark.parametrize("cut", [8, 9, 40, -30])
def test_damaged_arrow_is_one_sentence(tmp_path: Path, cut: int) -> None:
    out = io.BytesIO()
    polars.DataFrame({"mt": ["a", "b"]}).write_ipc(out)
    for data in (out.getvalue(), (FILES / "saved" / "data-00000-of-00002.arrow").read_bytes()):
        (tmp_path / "a.arrow").write_bytes(data[:cut])
        with pytest.raises(InputError, match=r"a\.arrow (cannot be read as|is not an) Arrow"):
            list(read_table(tmp_path / "a.arrow"))


def test_the_first_feather_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.feather").write_bytes(b"FEA1" + bytes(50))
    with pytest.raises(InputError, match="Feather version 1"):
        list(read_table(tmp_path / "a.feather"))


def test_rows_without_a_header_come_out_of_workbooks_too(tmp_path: Path) -> None:
    row = '<row><c t="str"><v>{}</v></c><c><v>{}</v></c></row>'
    path = workbook(tmp_path / "a.xlsx", SHEET.format(row.format("b", 0.5) + row.format("a", 1)))
    assert read_values(path, ["a", "b"]).tolist() == [1.0, 0.5]
    with pytest.raises(InputError, match=r"pandas\.feather is arrow, but TSV, CSV or XLSX is required"):
        list(read_fields(FILES / "pandas.feather", BadRows()))
