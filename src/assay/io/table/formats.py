"""The forms of table, and the one door to them: a path or a frame in, an open table out.

A further form is one file with a function from `Opened` to `OpenTable`, and one line in `FORMATS`; a table in several files is
the affair of `folder`.
"""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple

from assay.core.errors import InputError, unknown
from assay.io.files.compression import SUFFIXES
from assay.io.files.text import BLOCK, BoundedFile, file_name, open_utf8
from assay.io.table.bad_rows import BadRows
from assay.io.table.delimited import Cells, Fields, comma_cells, tab_cells
from assay.io.table.folder import ShardedTable, shards_of
from assay.io.table.objects import numbered_objects
from assay.io.table.open_table import ROWS, Numbered, Opened, OpenTable, Quoting

HEAD = 1 << 20
"""Bytes of the first line that may be looked at."""


def _never(head: bytes) -> bool:
    return False


def _begins(*starts: str) -> Callable[[bytes], bool]:
    return lambda head: head[:32].lower().startswith(tuple(start.encode() for start in starts))


class TableFormat(NamedTuple):
    """How a form of table is known and opened: by the endings of names, else by the first bytes without their blanks."""

    endings: tuple[str, ...]
    looks: Callable[[bytes], bool]
    open: str
    """The module and the function, `Opened` to `OpenTable`; imported when such a file comes."""
    marks: tuple[bytes, ...] = ()
    """First bytes that no other form has: they are believed before the name."""


_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_XML = (".xml", ".tmx", ".xlf", ".xliff", ".sdlxliff", ".mxliff", ".mqxliff", ".txlf")
FORMATS: dict[str, TableFormat] = {
    "parquet": TableFormat((".parquet",), _never, "column_files:read_parquet", (b"PAR1",)),
    "arrow": TableFormat(
        (".arrow", ".feather", ".ipc"), _never, "column_files:read_arrow", (b"ARROW1", b"\xff\xff\xff\xff", b"FEA1")
    ),
    "xlsx": TableFormat((".xlsx", ".xlsm"), _never, "xlsx:read_xlsx", (b"PK\x03\x04",)),
    "xls": TableFormat((".xls",), _never, "xlsx:refuse_old", (_OLE,)),
    "sgml": TableFormat((".sgm", ".sgml"), _begins("<srcset", "<refset", "<tstset"), "xml_table:read_sgml"),
    "xml": TableFormat(_XML, _begins("<"), "xml_table:read_xml"),
    "jsonl": TableFormat((".jsonl", ".ndjson"), _begins("{", "["), "objects:JsonTable"),
    "tsv": TableFormat((".tsv",), lambda head: b"\t" in head, "delimited:read_tsv"),
    "csv": TableFormat((".csv",), lambda head: True, "delimited:read_csv"),
}
"""By name, in the order in which first bytes are asked."""


def format_of(path: str | os.PathLike[str], head: bytes) -> str:
    """The form that the name's ending says (a .gz, .xz or .zst set aside), or the first bytes when it says nothing."""
    for name, form in FORMATS.items():
        if head.startswith(form.marks):
            return name
    start = head.removeprefix(codecs.BOM_UTF8).lstrip(b" \r\n")
    return format_named(path) or next(name for name, form in FORMATS.items() if form.looks(start))


def format_named(path: str | os.PathLike[str]) -> str | None:
    """The form that the name's ending says (a .gz, .xz or .zst set aside); None if it says nothing."""
    endings = [ending for ending in Path(os.fspath(path).lower()).suffixes if ending not in SUFFIXES]
    ending = endings[-1] if endings else ""
    return next((name for name, form in FORMATS.items() if ending in form.endings), None)


def open_table(
    source: Any,
    bad: BadRows | None = None,
    *,
    quoting: Quoting = "auto",
    form: str | None = None,
    most: int | None = None,
) -> OpenTable:
    """The table in a file (``-`` is standard input), plain or compressed, or in a frame.

    `bad` decides about rows that cannot be used, and stops at the first one when not given; `quoting` about quotation marks
    in delimited text; `form` is told from the name or the first bytes when not given. A file of more than `most` bytes,
    unpacked, is refused as soon as so many are read.
    """
    if not isinstance(source, str | os.PathLike):
        from assay.io.table.frames import open_frame

        return open_frame(source)
    if form is not None and form not in FORMATS:
        raise unknown("form of table", form, FORMATS)
    if (shards := shards_of(os.fspath(source))) is not None:
        return ShardedTable(
            os.fspath(source), shards, lambda path: open_table(path, bad, quoting=quoting, form=form, most=most)
        )
    return table_in(_opened(source, bad or BadRows(remedy=""), quoting, most), form)


def table_in(opened: Opened, form: str | None = None) -> OpenTable:
    """The table in a file that is open already, or in a part of one; `form` as in `open_table`."""
    try:
        known = form or format_of(opened.path, opened.head)
        module, _, function = FORMATS[known].open.partition(":")
        opener: Callable[[Opened], OpenTable] = getattr(import_module(f"assay.io.table.{module}"), function)
        table = opener(opened)
        table.form = known
        return table
    except BaseException:
        opened.file.close()
        raise


def objects(path: str | os.PathLike[str], bad: BadRows) -> Iterator[Numbered]:
    """The objects of a JSON-lines file or a JSON array, by the line each begins on."""
    opened = _opened(path, bad, "auto")
    with opened.file:
        yield from numbered_objects(opened)


def read_fields(
    path: str | os.PathLike[str], bad: BadRows, *, quoting: Quoting = "auto", blank: bool = False
) -> Iterator[Fields]:
    """Numbered rows of delimited text as they stand, of whatever width, with or without a header; blank ones are left out, those
    after the first row that is not unless `blank`."""
    opened = _opened(path, bad, quoting)
    with opened.file:
        cells = _cells(format_of(path, opened.head), opened)
        first = cells.first()
        if first is None:
            return
        yield first
        for numbers, rows in cells.chunks(ROWS):
            yield from (
                (n, row) for n, row in zip(numbers, rows, strict=True) if blank or any(cell.strip() for cell in row)
            )


def _cells(form: str, opened: Opened) -> Cells:
    if form == "xlsx":
        from assay.io.table.xlsx import SheetCells

        return SheetCells(opened)
    if FORMATS[form].marks or form in ("xml", "sgml"):
        raise InputError(
            f"{file_name(opened.path)} is {form}, and must be TSV, CSV or XLSX here. Save it as one of these."
        )
    return comma_cells(opened) if form == "csv" else tab_cells(opened)


def _opened(path: str | os.PathLike[str], bad: BadRows, quoting: Quoting, most: int | None = None) -> Opened:
    if quoting not in ("auto", "csv", "none"):
        raise unknown("quoting", str(quoting), ("auto", "csv", "none"))
    name = os.fspath(path)
    file = open_utf8(name)
    if most is not None:
        file = io.BufferedReader(BoundedFile(file, name, most), BLOCK)
    try:
        return Opened(file, name, _head(file), bad, quoting)
    except BaseException:
        file.close()
        raise


def _head(file: IO[bytes]) -> bytes:
    """The first line that is not blank, and the blank ones before it."""
    head = b""
    while len(head) < HEAD:
        line = file.readline(HEAD)
        head += line
        if not line or line.removeprefix(codecs.BOM_UTF8).strip():
            break
    return head
