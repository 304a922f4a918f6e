"""Lines, cells and files without end are refused early and in flat memory; each limit is stated in the sentence."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.io.table.formats import open_table

MIB = 1 << 20
MEASURED = (
    "import re, sys\n"
    "from assay.cli.main import main\n"
    "code = main(sys.argv[1:])\n"
    "print(code, int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) >> 10)\n"
)
"""The process's own high-water mark; getrusage's is that of the test worker that started it, too."""


def scored(path: Path) -> tuple[int, int, str]:
    """Exit code, megabytes at most, and what was said."""
    command = [sys.executable, "-c", MEASURED, "score", "-m", "chrf"]
    command += ["--mt", str(path), "--ref", str(path)] if path.name.startswith("line") else ["--data", str(path)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, env={**os.environ, "NO_COLOR": "1"}
    )
    code, megabytes = map(int, done.stdout.split()[-2:])
    return code, megabytes, done.stderr


@pytest.mark.parametrize(
    ("name", "head", "unit", "said"),
    [
        ("line.txt", b"a\nb\n", b"a", "line.txt line 3 is longer than 16 MiB"),
        ("line.gz", b"a\n", b"a", "line.gz line 2 is longer than 16 MiB"),
        ("a.tsv", b"mt\tref\n", b"a", "a.tsv line 2 is longer than 16 MiB"),
        ("a.tsv.gz", b"mt\tref\na\tb\n", b"a\t", "a.tsv.gz line 3 is longer than 16 MiB"),
        ("header.tsv", b"mt\tref", b"\tx", "header.tsv line 1 is longer than 16 MiB"),
        ("a.csv", b"mt,ref\n", b"a", "a.csv line 2 is longer than 16 MiB"),
        ("a.jsonl", b'{"mt": "', b"a", "a.jsonl line 1 is longer than 16 MiB"),
        ("a.json", b'[{"mt": "', b"a", "a.json is not JSON: an item longer than 16 million characters: line 1"),
        ("a.tmx", b"<tmx><body><tu><tuv><seg>", b"a", "a.tmx line 1: a text is longer than 16 million characters"),
        ("a.sgm", b"<tstset>\n<seg>", b"abc\n", "a.sgm line 2: a segment is longer than 16 million characters"),
        ("tag.xml.gz", b"<dataset a='", b"abc\n", "tag.xml.gz line 1: a tag or a text is longer than 16 MiB"),
        ("quote.csv", b'mt,ref\na,b\n"two\nlines","', b"a,b\n", "quote.csv line 4: not CSV: a quotation mark is never closed"),
        ("quote.csv.gz", b'mt,ref\n"', b"a,b\n", "quote.csv.gz line 2: not CSV: a quotation mark is never closed"),
    ],
)  # fmt: skip
def test_a_line_without_end_is_refused(tmp_path: Path, name: str, head: bytes, unit: bytes, said: str) -> None:
    """A hundred megabytes, of which less than a fifth is looked at."""
    path = tmp_path / name
    with gzip.open(path, "wb", 1) if name.endswith(".gz") else path.open("wb") as file:
        file.write(head)
        for _ in range(100):
            file.write(unit * (MIB // len(unit)))
    code, megabytes, printed = scored(path)
    assert code == 2 and said in printed and printed.count("\n") == 1, printed
    assert megabytes < 400


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("header.tsv", b"mt\tref" + b"\tx" * 20_000 + b"\n", "header.tsv line 1: more than 16,384 columns"),
        ("row.tsv", b"mt\tref\na\tb" + b"\tx" * 2_000_000 + b"\n", "row.tsv line 2: 16,385 columns, but the header has 2"),
        ("open.csv", b'mt,ref\na,b\n"c\nd",e,"f\ng,h\n', "open.csv line 4: not CSV: a quotation mark is never closed"),
    ],
)  # fmt: skip
def test_a_row_without_end_is_named(tmp_path: Path, name: str, text: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(text)
    code, megabytes, printed = scored(path)
    assert code == 2 and said in printed, printed
    assert megabytes < 400


def test_lines_up_to_the_limit_are_read(tmp_path: Path) -> None:
    path = tmp_path / "line.txt"
    path.write_bytes(b"a b " * (3 * MIB) + b"\nb\n")
    code, _, printed = scored(path)
    assert (code, printed) == (0, "")


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_workbook_packed_in_another_way_and_damaged(method: int, tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w", method) as out:
        out.writestr("xl/workbook.xml", "<workbook/>" * 100)
    data = path.read_bytes()
    for at in range(46, len(data) - 150, 3):
        path.write_bytes(data[:at] + b"\xff\x80\xff" + data[at + 3 :])
        with pytest.raises(InputError):
            open_table(path)


def test_a_workbook_with_a_name_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("xl/wörkbook.xml", "x")
    path.write_bytes(path.read_bytes().replace("wörk".encode(), b"w\xff\xffrk"))
    with pytest.raises(InputError, match="cannot be read as a workbook"):
        open_table(path)
