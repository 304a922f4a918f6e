"""Rule that decides whether quotation marks in tab-separated files are quoting or text.

Both are common: spreadsheets quote their cells, and corpora contain ``"Yes," he said.`` literally. A file is quoted if every
cell that begins with a quotation mark also ends with one and all marks in between are doubled; cells end at tabs and line
endings. It is also quoted, with line breaks and tabs inside cells, if rows have the same width only when parsed according to
RFC 4180 and not line by line. Otherwise quotation marks are text.

The rule concerns every cell, but a stream has only seen some of them. Until a cell begins with a quotation mark, both
readings give the same rows, and each block is searched once for a mark. The first such cell decides: a file is opened a
second time and searched up to the first contradiction or the end. A pipe cannot be read again, so its text is buffered in a
temporary file during the search. The result therefore follows the rule wherever the first mark is, and memory stays bounded.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import IO

from assay.io.files.text import LONGEST_LINE, file_name, open_utf8, read_blocks
from assay.io.table.open_table import Quoting

_BEGINS = re.compile(r'"(?<![^\t\n]")')
"""A quotation mark at the beginning of a cell."""
_BROKEN = re.compile(r'"(?<![^\t\n]")(?!(?:[^"\t\n]++|"")*+"(?:[\t\n]|\r\n|\r?\Z))')
"""A quotation mark at the beginning of a cell that is not a quoted one."""


def begins_quoted(text: str) -> bool:
    """Return whether any cell in these whole lines begins with a quotation mark."""
    return '"' in text and _BEGINS.search(text) is not None


def all_quoted(blocks: Iterable[str]) -> bool:
    """Return whether every cell that begins with a quotation mark is quoted; blocks consist of whole lines."""
    return not any(begins_quoted(text) and _BROKEN.search(text) for text in blocks)


def unquote_cell(cell: str) -> str:
    """Return the content of a quoted cell; other cells are unchanged."""
    return cell[1:-1].replace('""', '"') if cell[:1] == '"' else cell


def quote_cell(cell: str) -> str:
    """Quote a cell for a TSV, if necessary to read it back unchanged."""
    return '"' + cell.replace('"', '""') + '"' if cell[:1] == '"' else cell


def strip_leftover_quotes(cell: str) -> str:
    """Return a cell without one level of leftover CSV quoting: ``"a ""b"" c"`` becomes ``a "b" c``.

    This is for single cells in files that are not quoted as a whole. Only doubled marks inside prove that the outer ones are
    leftovers; ``"No," he said.`` and a plain ``"No."`` are text and stay.
    """
    inner = cell[1:-1]
    if not (len(cell) > 1 and cell[0] == cell[-1] == '"') or '""' not in inner or '"' in inner.replace('""', ""):
        return cell
    return inner.replace('""', '"')


class Quotes:
    """Decision whether quotation marks in one file are quoting, made at the first cell that begins with a mark."""

    def __init__(self, path: str, quoting: Quoting) -> None:
        self.on = self.across = False
        """Whether marks are quoting; and whether a quoted cell may contain tabs and line ends."""
        self.notes: list[str] = []
        self._path, self._open = path, quoting == "auto"

    def watched(self, blocks: Iterator[str]) -> Iterator[str]:
        """Yield the text unchanged; make the decision before yielding a block with such a cell."""
        for text in blocks:
            if not (self._open and begins_quoted(text)):
                yield text
            elif self._path != "-" and os.path.isfile(self._path):
                self._decide(self._whole_file)
                yield text
            else:
                yield from self._searched(chain([text], blocks))

    def _whole_file(self) -> Iterator[str]:
        with open_utf8(self._path) as file:
            yield from read_blocks(file, self._path, spoiled=_ignore)

    def _searched(self, blocks: Iterator[str]) -> Iterator[str]:
        with tempfile.TemporaryFile() as copy:
            rest = chain(_copied_to(blocks, copy))  # `chain` keeps the iterator open if the search ends early

            def again() -> Iterator[str]:
                copy.seek(0)
                yield from read_blocks(copy, self._path)
                yield from rest

            self._decide(again)
            copy.seek(0)
            yield from read_blocks(copy, self._path)
        yield from blocks

    def _decide(self, again: Callable[[], Iterator[str]]) -> None:
        self._open, self.on = False, all_quoted(again())
        if not self.on and rows_across_lines(again()):
            self.on = self.across = True
        if self.across:
            decision = (
                "quotation marks around cells are read as quoting, and cells contain line ends or tabs; otherwise rows "
                "would be incomplete"
            )
            remedy = "--quoting none reads them as text"
        elif self.on:
            decision = (
                "quotation marks around cells are read as quoting, because every cell that begins with one also ends "
                "with one"
            )
            remedy = "--quoting none reads them as text"
        else:
            decision = "quotation marks are read as text, because a cell begins with one and is not quoted as a whole"
            remedy = "--quoting csv reads them as quoting"
        self.notes.append(f"{file_name(self._path)}: {decision} ({remedy}).")


def _copied_to(blocks: Iterator[str], file: IO[bytes]) -> Iterator[str]:
    for text in blocks:
        file.write(text.encode())
        yield text


def rows_across_lines(blocks: Iterator[str]) -> bool:
    """Return whether rows have the same width only if quoted cells may contain line breaks or tabs."""
    import csv

    ragged, width = False, 0

    def lines() -> Iterator[str]:
        nonlocal ragged
        for text in blocks:
            for line in io.StringIO(text, newline="\n"):
                ragged = ragged or (width > 0 and bool(line.strip()) and line.count("\t") != width - 1)
                yield line

    with long_fields():
        try:
            for row in csv.reader(lines(), delimiter="\t", strict=True):
                if len(row) < 2 and not "".join(row).strip():
                    continue
                width = width or len(row)
                if len(row) != width:
                    return False
        except csv.Error:
            return False
    return ragged


def _ignore(line: int, byte: int) -> None:
    """Ignore lines that are not UTF-8, which the reader reports."""


@contextmanager
def long_fields() -> Iterator[None]:
    """Raise the csv module's process-wide field size limit inside the block, and restore it afterwards."""
    import csv

    old = csv.field_size_limit(LONGEST_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(old)
