"""Files as pandas and spreadsheets write them are read to the texts that were put in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.io.table.delimited import delimiter_of
from assay.io.table.tables import read_table

COLUMNS = {
    "src": ['Er sagte "ja".', '"Nein", sagte er.', "a;b,c", '"', "Zeile", "", "ä \u2028 x"],
    "mt": ['He said "yes".', '"No," he said.', 'a;b,"c"', '""', "line", '"all"', "ä"],
    "ref": ['He said: "yes".', '"No", he said.', "a; b, c", '"x', "a line", "none", "'q'"],
}
ROWS = list(zip(*COLUMNS.values(), strict=True))
LONG = {**COLUMNS, "mt": [*COLUMNS["mt"][:5], "two\nlines\tand a tab", 'the "last"']}
LONG_ROWS = list(zip(*LONG.values(), strict=True))


def texts(source: Any, **options: Any) -> list[tuple[str | None, ...]]:
    return [
        (b[i].source, b[i].hypothesis, *b[i].references)
        for b in read_table(source, chunk=2, **options)
        for i in range(len(b))
    ]


@pytest.mark.parametrize(("columns", "rows"), [(COLUMNS, ROWS), (LONG, LONG_ROWS)], ids=["lines", "across"])
@pytest.mark.parametrize("separator", ["\t", ",", ";"])
@pytest.mark.parametrize("quoting", [0, 1])
def test_what_pandas_writes(tmp_path: Path, columns: Any, rows: Any, separator: str, quoting: int) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / ("a.tsv" if separator == "\t" else "a.csv")
    pandas.DataFrame(columns).to_csv(path, sep=separator, index=False, quoting=quoting)
    assert texts(path) == rows
    pandas.DataFrame(columns).to_csv(path, sep=separator, quoting=quoting)  # with its unnamed column of row numbers
    assert texts(path) == rows


def test_cells_across_lines_out_of_a_pipe(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    many = {name: column * 2000 for name, column in LONG.items()}
    text = pandas.DataFrame(many).to_csv(sep="\t", index=False)
    code = "from tests.io.table.test_spreadsheets import *; print(texts('-') == LONG_ROWS * 2000)"
    done = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_rows_across_lines_keep_their_line_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text('mt\tref\n"a\nb"\tc\nd\n"e"\tf\n')
    with pytest.raises(InputError, match=r"line 2: 1 column, but the header has 2"):
        texts(path)  # line 4 lacks a cell whichever way it is read: quotation marks stay text
    path.write_text('mt\tref\n"a\nb"\tc\nd\te\n"f ""g"""\th\n')
    assert [row[1:] for row in texts(path)] == [("a\nb", "c"), ("d", "e"), ('f "g"', "h")]


def test_text_across_two_segments_stays_text(tmp_path: Path) -> None:
    """Speech that begins in one segment and ends in the next is whole rows line by line: its marks are text."""
    path = tmp_path / "a.tsv"
    path.write_text('ref\tmt\nI came.\t"I came.\nI saw.\tI saw."\n')
    assert [row[1] for row in texts(path)] == ['"I came.', 'I saw."']


def excel(separator: str, encoding: str = "utf-8-sig", first: str = "") -> bytes:
    """As Excel writes: CRLF, cells quoted where they hold a mark, the delimiter, a comma or a line end."""

    def cell(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if set(text) & {'"', separator, ",", "\n"} else text

    lines = [separator.join(map(cell, row)) for row in [list(COLUMNS), *ROWS]]
    return (first + "\r\n".join(lines) + "\r\n").encode(encoding)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("CSV UTF-8.csv", excel(",")),
        ("semicolon.csv", excel(";")),
        ("no mark.csv", excel(";", "utf-8")),
        ("said.csv", excel(";", first="sep=;\r\n")),
        ("said otherwise.csv", excel("|", first="sep=|\r\n")),
        ("Unicode Text.txt", excel("\t", "utf-16")),
        ("big end.txt", b"\xfe\xff" + excel("\t", "utf-16-be")),
        ("tabs.csv", excel("\t")),
        ("utf16.csv", excel(";", "utf-16")),
    ],
)
def test_what_excel_writes(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert texts(path) == ROWS


def test_the_header_says_what_parts_cells() -> None:
    assert [delimiter_of(text) for text in ("a,b", "a;b", '"a;b",c', "a", "a;b,c;d", "a\tb")] == [
        ",",
        ";",
        ",",
        ",",
        ";",
        "\t",
    ]


def test_windows_code_page_gets_the_right_remedy(tmp_path: Path) -> None:
    path = tmp_path / "ansi.csv"
    path.write_bytes("mt,ref\n“ja”,x\n".encode("cp1252"))
    with pytest.raises(InputError, match=r"Try: iconv -f cp1252 -t utf8"):
        texts(path)


def test_utf16_that_breaks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cut.txt"
    path.write_bytes(excel("\t", "utf-16")[:-1])
    with pytest.raises(InputError, match=r"cut\.txt begins like UTF-16 but is not valid"):
        texts(path)


def test_a_long_file_of_utf16_is_read_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "long.tsv"
    path.write_text("mt\n" + "ä😀 " * 30 + "\n" + "x\n" * 200_000, encoding="utf-16")
    assert sum(map(len, read_table(path, chunk=64))) == 200_001
