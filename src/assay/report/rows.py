"""Row writers: one class per text format (TSV, CSV, JSON Lines), fed with columns part by part to keep memory use constant."""

from __future__ import annotations

import csv
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from json.encoder import encode_basestring
from types import NoneType, SimpleNamespace
from typing import IO, Any

from assay.core.columns import Columns, plain, plain_list
from assay.core.errors import count
from assay.core.rows import SCORES, split_columns
from assay.report.data import inert
from assay.report.text import cell_text

Objects = Sequence[Mapping[str, Any]]
ROWS = ("jsonl", "tsv", "csv", "parquet", "xlsx")
"""The formats with one row per segment."""


class RowWriter(ABC):
    """Text format for rows with the columns `names`: a header line, then one line per row.

    `scores` are the columns that JSON nests in an object. With `spreadsheet_safe`, cells that a spreadsheet would evaluate
    as formulas are quoted.
    """

    head = ""
    """The line before the rows, with its end."""

    def __init__(self, names: Sequence[str], *, scores: Collection[str] = (), spreadsheet_safe: bool = False) -> None:
        self.names, self.scores, self._safe = list(names), scores, spreadsheet_safe

    @abstractmethod
    def lines(self, columns: Sequence[Sequence[Any]], objects: Objects | None = None) -> list[str]:
        """Return one line per row, with its line ending; `objects` are the same rows as JSON, if they were read as JSON."""

    @property
    def notes(self) -> list[str]:
        """Return warnings about the file; complete after the last row."""
        return []


class _Delimited(RowWriter):
    def _cells(self, columns: Sequence[Sequence[Any]]) -> list[list[str]]:
        cells = [_texts(name, column) for name, column in zip(self.names, columns, strict=True)]
        if not self._safe:
            return cells
        return [
            [
                text if isinstance(value, (int, float)) else inert(text)
                for value, text in zip(column, texts, strict=True)
            ]
            for column, texts in zip(columns, cells, strict=True)
        ]

    def _heading(self) -> list[str]:
        return [inert(name) for name in self.names] if self._safe else self.names


class TsvRows(_Delimited):
    """Tab-separated cells. A cell that begins with a quotation mark, or contains a tab or a line break, is quoted as in CSV."""

    _odd = 0

    def __init__(self, names: Sequence[str], **how: Any) -> None:
        super().__init__(names, **how)
        self.head = "\t".join(map(self._quoted, self._heading())) + "\n"

    def lines(self, columns: Sequence[Sequence[Any]], objects: Objects | None = None) -> list[str]:
        cells = self._cells(columns)
        lines = ["\t".join(row) + "\n" for row in zip(*cells, strict=True)]
        text = "".join(lines)
        rows = len(lines)
        if '"' in text or "\r" in text or text.count("\t") != rows * (len(cells) - 1) or text.count("\n") != rows:
            quoted = [[self._quoted(cell) for cell in column] for column in cells]
            lines = ["\t".join(row) + "\n" for row in zip(*quoted, strict=True)]
        return lines

    def _quoted(self, cell: str) -> str:
        odd = "\t" in cell or "\n" in cell or "\r" in cell
        self._odd += odd
        return '"' + cell.replace('"', '""') + '"' if odd or cell[:1] == '"' else cell

    @property
    def notes(self) -> list[str]:
        if not self._odd:
            return []
        cells = count(self._odd, "cell with a tab or a line end is", "cells with a tab or a line end are")
        return [f"{cells} in quotation marks. Read the file with --quoting csv, or write .csv, .jsonl or .parquet"]


class CsvRows(_Delimited):
    """Comma-separated cells, quoted if necessary."""

    def __init__(self, names: Sequence[str], **how: Any) -> None:
        super().__init__(names, **how)
        (self.head,) = self._lines([self._heading()])

    def lines(self, columns: Sequence[Sequence[Any]], objects: Objects | None = None) -> list[str]:
        return self._lines(zip(*self._cells(columns), strict=True))

    def _lines(self, rows: Iterable[Sequence[str]]) -> list[str]:
        lines: list[str] = []
        csv.writer(SimpleNamespace(write=lines.append), lineterminator="\n").writerows(rows)
        return lines


class JsonLines(RowWriter):
    """One JSON object per line, the scores nested in an object (`assay.core.rows`). NaN and infinities are null.

    Rows that were read as JSON keep their values.
    """

    def __init__(self, names: Sequence[str], **how: Any) -> None:
        super().__init__(names, **how)
        before, inside, after = split_columns(list(dict.fromkeys(self.names)), self.scores)
        nested = [f'"{SCORES}": {{{", ".join(map(_member, inside))}}}'] if inside else []
        places = {name: index for index, name in enumerate(self.names)}
        self._order = [places[name] for name in (*before, *inside, *after)]
        self._form = "{" + ", ".join([*map(_member, before), *nested, *map(_member, after)]) + "}\n"

    def lines(self, columns: Sequence[Sequence[Any]], objects: Objects | None = None) -> list[str]:
        if objects is not None:
            return [json_line(row) for row in objects]
        return [self._form % row for row in zip(*(json_cells(columns[at]) for at in self._order), strict=True)]


WRITERS: Mapping[str, type[RowWriter]] = {"tsv": TsvRows, "csv": CsvRows, "jsonl": JsonLines}


def write_rows(
    parts: Iterable[Columns],
    format: str,
    stream: IO[Any],
    *,
    scores: Collection[str] = (),
    spreadsheet_safe: bool = False,
) -> list[str]:
    """Write parts of rows, as columns by name, in one of the formats `ROWS`; return warnings about the file.

    `scores` are the columns that JSON nests in an object; they are numeric even if all values are missing.
    """
    if format not in WRITERS:
        from assay.report.binary_rows import write_parts

        write_parts(iter(parts), format, stream, numbers=scores)
        return []
    writer: RowWriter | None = None
    for columns in parts:
        if writer is None:
            writer = WRITERS[format](list(columns), scores=scores, spreadsheet_safe=spreadsheet_safe)
            stream.write(writer.head)
        stream.write("".join(writer.lines([plain_list(column) for column in columns.values()])))
    return [] if writer is None else writer.notes


def json_document(lines: Iterable[Sequence[str]], head: str = "", tail: Callable[[], str] = str) -> Iterator[str]:
    """Yield a JSON document with the lines of rows as a list between `head` and `tail`, which is called after the last row."""
    between = f"{head}[\n"
    for part in lines:
        if part:
            yield between + "".join(part)[:-1].replace("\n", ",\n")
            between = ",\n"
    yield f"\n]{tail()}\n" if between == ",\n" else f"{between}]{tail()}\n"


def row_lines(parts: Iterable[Columns], scores: Collection[str] = ()) -> Iterator[list[str]]:
    """Yield the JSON lines of parts of rows."""
    for columns in parts:
        yield JsonLines(list(columns), scores=scores).lines(list(columns.values()))


def json_line(row: Any) -> str:
    """Return a value as a line of JSON; NaN and infinities are null, and values that JSON lacks become text."""
    try:
        return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"
    except (TypeError, ValueError):
        return json.dumps(plain(row), ensure_ascii=False, allow_nan=False, default=str) + "\n"


def _member(name: str) -> str:
    """Return the key of a JSON object with a place for its value."""
    return f"{json.dumps(name, ensure_ascii=False)}: ".replace("%", "%%") + "%s"


def json_cells(column: Sequence[Any]) -> list[str]:
    """Return each value as JSON, with a fast path for the most common types, text and numbers."""
    values = plain_list(column)
    kinds = set(map(type, values))
    if kinds == {str}:
        return list(map(encode_basestring, values))
    if kinds <= {str, NoneType}:
        return ["null" if value is None else encode_basestring(value) for value in values]
    if kinds == {int}:
        return list(map(str, values))
    if kinds == {list} and not any(values):
        return ["[]"] * len(values)
    if kinds <= {float, NoneType}:
        return [repr(value) if value is not None and math.isfinite(value) else "null" for value in values]
    return [json.dumps(plain(value), ensure_ascii=False, allow_nan=False) for value in values]


def _texts(name: str, column: Sequence[Any]) -> list[str]:
    """Return a column as cells; see `cell_text`."""
    kinds = set(map(type, column))
    if kinds == {str}:
        return column if isinstance(column, list) else list(column)
    if kinds == {float}:
        return [repr(value) if math.isfinite(value) else "" for value in column]
    if kinds == {int}:
        return list(map(str, column))
    return [value if isinstance(value, str) else cell_text(name, value) for value in column]
