"""Reader for delimited text (TSV, CSV): cells, and tables with a header line.

Real files contain repeated headers, stray empty fields at the ends of lines, and blank lines, all of which are handled. A
row with too few fields or with text beyond the last column is a bad row.
"""

from __future__ import annotations

import io
import operator
import re
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Protocol

from assay.core.errors import InputError, count
from assay.io.files.text import file_name, read_blocks, regroup, split_lines
from assay.io.table.open_table import ROWS, Opened, OpenTable, Piece
from assay.io.table.quoting import Quotes, long_fields, unquote_cell

MOST_COLUMNS = 16_384
"""As many columns as a spreadsheet has."""

Fields = tuple[int, list[str]]
Chunk = tuple[Sequence[int], list[list[str]]]


class Cells(Protocol):
    """Reader for the cells in an open file, including blank lines."""

    notes: list[str]
    unquoted_rows: int
    """How many rows of a TSV had quoted cells."""

    @property
    def quoted(self) -> bool:
        """Whether quotation marks around cells were removed."""

    def first(self) -> Fields | None:
        """Return the number and cells of the first non-blank row."""

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Yield the remaining rows."""


class TabCells:
    """Lines split at tabs, with quotation marks interpreted according to `assay.io.table.quoting`."""

    def __init__(self, opened: Opened) -> None:
        quotes = self._quotes = Quotes(opened.path, opened.quoting)
        self.notes, self._opened = quotes.notes, opened
        self._lines = split_lines(quotes.watched(_blocks(opened)))
        self._done = self.unquoted_rows = 0
        self._across: QuotedCells | None = None

    @property
    def quoted(self) -> bool:
        return self._quotes.on

    def first(self) -> Fields | None:
        for lines in self._lines:
            for at, line in enumerate(lines, 1):
                if line.strip() and self._quotes.across:
                    return self._read_across_lines(chain([lines[at - 1 :]], self._lines), self._done + at - 1).first()
                if line.strip():
                    self._lines = chain([lines[at:]], self._lines)
                    self._done += at
                    return self._done, self._split([line])[0]
            self._done += len(lines)
        return None

    def chunks(self, size: int) -> Iterator[Chunk]:
        groups = regroup(self._lines, size)
        for lines in groups if self._across is None else ():
            if self._quotes.across:
                self._read_across_lines(chain([lines], groups), self._done)
                break
            start, self._done = self._done + 1, self._done + len(lines)
            yield range(start, self._done + 1), self._split(lines)

        if self._across is not None:
            yield from self._across.chunks(size)

    def _read_across_lines(self, rest: Iterator[list[str]], done: int) -> QuotedCells:
        """Read the remaining rows, whose cells may contain line breaks and tabs."""
        self._across = QuotedCells(self._opened, "\t", ("\n".join(part) + "\n" for part in rest), done)
        return self._across

    def _split(self, lines: list[str]) -> list[list[str]]:
        rows = [line.split("\t", MOST_COLUMNS) for line in lines]
        if self._quotes.on:
            before, rows = rows, [[unquote_cell(cell) if cell[:1] == '"' else cell for cell in row] for row in rows]
            self.unquoted_rows += sum(map(operator.ne, before, rows))
        return rows


class QuotedCells:
    """Rows as in RFC 4180: a quoted cell may contain delimiters and line breaks.

    If the file is not read from its beginning, `blocks` is the text and `done` the number of lines before it.
    """

    def __init__(self, opened: Opened, delimiter: str, blocks: Iterator[str] | None = None, done: int = 0) -> None:
        import csv

        self.notes: list[str] = []
        self.quoted, self.unquoted_rows = opened.quoting != "none", 0
        self._path, self._bad, self._csv = opened.path, opened.bad, csv
        self._ended = False
        self._delimiter, self._begun, self._before = delimiter, done + 1, done
        self._held: deque[tuple[int, str]] = deque()
        lines = self._lines(_blocks(opened) if blocks is None else blocks)
        if self.quoted:
            self._reader = csv.reader(lines, delimiter=delimiter)
        else:
            self._reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)

    def _lines(self, blocks: Iterator[str]) -> Iterator[str]:
        """Yield the lines of the file; keep the blocks since the start of the row, to report where a quotation mark was opened."""
        number = self._begun
        for text in blocks:
            while len(self._held) > 1 and self._held[1][0] <= self._begun:
                self._held.popleft()
            self._held.append((number, text))
            number += text.count("\n")
            yield from io.StringIO(text, newline="\n")
        self._ended = True

    def _open_mark_line(self) -> int:
        """Return the number of the line with the unclosed quotation mark in the current row."""
        row = "".join(text for _, text in self._held).split("\n", self._begun - self._held[0][0])[-1]
        return self._begun + row.count("\n", 0, unclosed(row, self._delimiter))

    def first(self) -> Fields | None:
        while taken := self._next_rows(1):
            numbers, rows = taken
            if rows and any(cell.strip() for cell in rows[0]):
                return numbers[0], rows[0]
        return None

    def chunks(self, size: int) -> Iterator[Chunk]:
        while taken := self._next_rows(size):
            yield taken

    def _next_rows(self, size: int) -> Chunk | None:
        """Return the next rows, each with the line on which it begins."""
        numbers: list[int] = []
        rows: list[list[str]] = []
        with long_fields():
            while len(rows) < size:
                number = self._begun = self._before + self._reader.line_num + 1
                try:
                    row = next(self._reader)
                except StopIteration:
                    return (numbers, rows) if rows else None
                except self._csv.Error as error:
                    if "field limit" in str(error):
                        raise InputError(f"{file_name(self._path)} line {self._open_mark_line()}: {_OPEN}") from None
                    self._bad(self._path, number, f"not CSV: {_csv_problem(error)}.")
                    continue
                if self._ended:
                    self._bad(self._path, self._open_mark_line(), _OPEN)
                    continue
                numbers.append(number)
                rows.append(row or [""])
        return numbers, rows


_OPEN = "not CSV: a quotation mark is never closed."


def unclosed(row: str, delimiter: str) -> int:
    """Return the position of the quotation mark that a row opens and does not close."""
    end = f"[^{delimiter}\n]*(?:{delimiter}|\n)"
    cell = re.compile(rf'(?:"[^"]*+(?:""[^"]*+)*+"|(?!")){end}')
    at = 0
    while match := cell.match(row, at):
        at = match.end()
    return at


def _csv_problem(error: Exception) -> str:
    return "a carriage return is outside quotation marks" if "new-line" in str(error) else str(error)


def _blocks(opened: Opened) -> Iterator[str]:
    def spoiled(line: int, byte: int) -> None:
        opened.bad(opened.path, line, f"not UTF-8 at byte {byte} of the line.")

    return read_blocks(opened.file, opened.path, opened.head, spoiled if opened.bad.skip else None)


def tab_cells(opened: Opened) -> Cells:
    """Return the cells of a tab-separated file."""
    return QuotedCells(opened, "\t") if opened.quoting == "csv" else TabCells(opened)


def comma_cells(opened: Opened) -> Cells:
    """Return the cells of a CSV file; the first line determines the delimiter."""
    first = opened.head.decode(errors="replace").removeprefix("\ufeff")
    if declared := re.fullmatch(r"\s*sep=(.)\s*", first):  # Excel's declaration of the delimiter
        return QuotedCells(opened._replace(head=b"\n" * first.count("\n")), declared[1])
    return QuotedCells(opened, delimiter_of(first))


def delimiter_of(header: str) -> str:
    """Return comma, semicolon or tab, whichever is most frequent outside quotation marks in a header; comma if tied."""
    bare = re.sub(r'"[^"]*"', "", header)
    return max((",", ";", "\t"), key=bare.count)


class DelimitedTable(OpenTable):
    """Table of delimited rows under a header."""

    def __init__(self, opened: Opened, cells: Cells) -> None:
        self.name, self._path, self._bad = file_name(opened.path), opened.path, opened.bad
        self._file, self._cells = opened.file, cells
        first = cells.first()
        if first is None:
            raise InputError(
                f"{self.name} is empty. The first line must be a header with column names, such as src, mt, ref."
            )
        if len(first[1]) > MOST_COLUMNS:
            raise InputError(
                f"{self.name} line {first[0]}: more than {MOST_COLUMNS:,} columns. Check that the file is a table."
            )
        self._header: list[str] | None = first[1]
        self.names = [name.strip() for name in first[1]]
        self._first, self._pushed = first, False

    def without_header(self) -> None:
        self._header, self._pushed = None, True
        self.names = [str(number) for number in range(1, len(self.names) + 1)]

    def _chunks(self, size: int) -> Iterator[Chunk]:
        if self._pushed:
            yield [self._first[0]], [self._first[1]]
        yield from self._cells.chunks(size)

    @property
    def quoted(self) -> bool:
        return self._cells.quoted

    @property
    def notes(self) -> list[str]:
        return self._cells.notes

    @property
    def unquoted_rows(self) -> int:
        return self._cells.unquoted_rows

    def pieces(self, wanted: Sequence[int], chunk: int) -> Iterator[Piece]:
        """Yield the columns at the `wanted` positions; skip blank lines unless the table has a single column."""
        width = len(self.names)
        for numbers, rows in self._chunks(chunk):
            if set(map(len, rows)) != {width} or (width > 1 and self._header in rows):
                numbers, rows = self._valid_rows(numbers, rows)
            if rows:
                columns = list(zip(*rows, strict=True))
                yield Piece([list(columns[index]) for index in wanted], numbers)

    def rows(self) -> Iterator[Fields]:
        """Yield numbered rows, without rows of blank cells."""
        width = len(self.names)
        for numbers, rows in self._chunks(ROWS):
            for number, row in zip(numbers, rows, strict=True):
                whole = [row] if len(row) == width and row != self._header else self._valid_rows([number], [row])[1]
                if whole and any(cell.strip() for cell in whole[0]):
                    yield number, whole[0]

    def _valid_rows(self, numbers: Sequence[int], rows: Sequence[list[str]]) -> tuple[list[int], list[list[str]]]:
        """Return the valid rows, each as wide as the header."""
        width = len(self.names)
        valid: list[Fields] = []
        for number, row in zip(numbers, rows, strict=True):
            if row == self._header and width > 1:
                self.repeated_headers += 1
            elif len(row) == width:
                valid.append((number, row))
            elif len(row) > width and not any(cell.strip() for cell in row[width:]):
                self.stray_fields += 1
                valid.append((number, row[:width]))
            elif len(row) > 1 or row[0].strip():
                lacking = f"column {self.names[len(row)]!r} is missing" if len(row) < width else ""
                fault = lacking or f"column {width + 1} has no name"
                self._bad(self._path, number, f"{count(len(row), 'column')}, but the header has {width}: {fault}.")
        return [number for number, _ in valid], [row for _, row in valid]

    def close(self) -> None:
        self._file.close()


def read_tsv(opened: Opened) -> OpenTable:
    """Open a tab-separated file."""
    return DelimitedTable(opened, tab_cells(opened))


def read_csv(opened: Opened) -> OpenTable:
    """Open a comma-separated file."""
    return DelimitedTable(opened, comma_cells(opened))
