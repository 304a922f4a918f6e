"""Registry of table formats, and `open_table`, the entry point for all of them.

A new format needs one file with a function from `Opened` to `OpenTable`, and one line in `FORMATS`. `folder` handles tables
in several files.
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
"""Bytes of the first line that may be examined."""


def _no_match(head: bytes) -> bool:
    return False


def _begins_with(*starts: str) -> Callable[[bytes], bool]:
    return lambda head: head[:32].lower().startswith(tuple(start.encode() for start in starts))


class TableFormat(NamedTuple):
    """Table format: its file extensions, its first bytes without whitespace, and its reader."""

    endings: tuple[str, ...]
    looks: Callable[[bytes], bool]
    open: str
    """Module and function, from `Opened` to `OpenTable`; imported on use."""
    marks: tuple[bytes, ...] = ()
    """Unique first bytes, which take precedence over the name."""


_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_XML = (".xml", ".tmx", ".xlf", ".xliff", ".sdlxliff", ".mxliff", ".mqxliff", ".txlf")
FORMATS: dict[str, TableFormat] = {
    "parquet": TableFormat((".parquet",), _no_match, "column_files:read_parquet", (b"PAR1",)),
    "arrow": TableFormat(
        (".arrow", ".feather", ".ipc"), _no_match, "column_files:read_arrow", (b"ARROW1", b"\xff\xff\xff\xff", b"FEA1")
    ),
    "xlsx": TableFormat((".xlsx", ".xlsm"), _no_match, "xlsx:read_xlsx", (b"PK\x03\x04",)),
    "xls": TableFormat((".xls",), _no_match, "xlsx:refuse_old", (_OLE,)),
    "sgml": TableFormat((".sgm", ".sgml"), _begins_with("<srcset", "<refset", "<tstset"), "xml_table:read_sgml"),
    "xml": TableFormat(_XML, _begins_with("<"), "xml_table:read_xml"),
    "jsonl": TableFormat((".jsonl", ".ndjson"), _begins_with("{", "["), "objects:JsonTable"),
    "tsv": TableFormat((".tsv",), lambda head: b"\t" in head, "delimited:read_tsv"),
    "csv": TableFormat((".csv",), lambda head: True, "delimited:read_csv"),
}
"""Table formats by name, in the order in which first bytes are compared."""


def format_of(path: str | os.PathLike[str], head: bytes) -> str:
    """Return the format that the extension (before .gz, .xz or .zst) indicates, or else the first bytes."""
    for name, form in FORMATS.items():
        if head.startswith(form.marks):
            return name
    start = head.removeprefix(codecs.BOM_UTF8).lstrip(b" \r\n")
    return format_named(path) or next(name for name, form in FORMATS.items() if form.looks(start))


def format_named(path: str | os.PathLike[str]) -> str | None:
    """Return the format that the extension (before .gz, .xz or .zst) indicates; None if it is unknown."""
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
    """Open the table in a file (``-`` is standard input), plain or compressed, or in a frame.

    Args:
        source: A path or a frame.
        bad: The policy for unusable rows; by default, the first one is an error.
        quoting: The meaning of quotation marks in delimited text.
        form: The format; by default, it is detected from the name or the first bytes.
        most: The maximum size of the unpacked file in bytes; a larger one is rejected.
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
    return table_in(_open(source, bad or BadRows(remedy=""), quoting, most), form)


def table_in(opened: Opened, form: str | None = None) -> OpenTable:
    """Return the table in all or part of an open file; `form` is the same as in `open_table`."""
    try:
        name = form or format_of(opened.path, opened.head)
        module, _, function = FORMATS[name].open.partition(":")
        opener: Callable[[Opened], OpenTable] = getattr(import_module(f"assay.io.table.{module}"), function)
        table = opener(opened)
        table.form = name
        return table
    except BaseException:
        opened.file.close()
        raise


def objects(path: str | os.PathLike[str], bad: BadRows) -> Iterator[Numbered]:
    """Yield the objects in a JSON Lines file or a JSON array, each with the line on which it begins."""
    opened = _open(path, bad, "auto")
    with opened.file:
        yield from numbered_objects(opened)


def read_fields(
    path: str | os.PathLike[str], bad: BadRows, *, quoting: Quoting = "auto", blank: bool = False
) -> Iterator[Fields]:
    """Yield numbered rows of delimited text of any width, with or without a header.

    Blank rows are skipped; with `blank`, only those before the first non-blank row.
    """
    opened = _open(path, bad, quoting)
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
            f"{file_name(opened.path)} is {form}, but TSV, CSV or XLSX is required. Save it in one of these formats."
        )
    return comma_cells(opened) if form == "csv" else tab_cells(opened)


def _open(path: str | os.PathLike[str], bad: BadRows, quoting: Quoting, most: int | None = None) -> Opened:
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
    """Return the first non-blank line, and the blank ones before it."""
    head = b""
    while len(head) < HEAD:
        line = file.readline(HEAD)
        head += line
        if not line or line.removeprefix(codecs.BOM_UTF8).strip():
            break
    return head
