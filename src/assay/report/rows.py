"""Rows under a header as TSV, CSV, JSON or JSON lines, written part by part so that memory stays flat."""

from __future__ import annotations

import csv
import io
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import IO, Any

from assay.core.columns import plain, plain_list
from assay.core.errors import count
from assay.core.rows import row_objects
from assay.report.data import inert, json_lines

Columns = Sequence[Sequence[Any]]
Objects = Sequence[Mapping[str, Any]]


class RowWriter(ABC):
    """Rows with the columns `names` on their way into a stream. `part` for each part, then `end`."""

    def __init__(
        self,
        stream: IO[Any],
        names: Sequence[str],
        *,
        scores: Collection[str] = (),
        spreadsheet_safe: bool = False,
    ) -> None:
        """`scores`: the columns that JSON keeps in an object of their own."""
        self.stream, self.names, self._safe, self._scores = stream, list(names), spreadsheet_safe, scores
        self.notes: list[str] = []
        """What people should hear about the file; complete at the end."""
        self.begin()

    def begin(self) -> None:  # noqa: B027  (JSON lines have nothing there)
        """Write what stands before the rows."""

    @abstractmethod
    def part(self, columns: Columns, objects: Objects | None = None) -> None:
        """Write some rows; `objects` are the same rows as JSON had them, for a writer that can keep them so."""

    def end(self) -> None:  # noqa: B027
        """Write what stands after them."""


class _Delimited(RowWriter):
    def _cells(self, columns: Columns) -> list[list[str]]:
        cells = [_texts(name, column) for name, column in zip(self.names, columns, strict=True)]
        return [list(map(inert, column)) for column in cells] if self._safe else cells


class TsvRows(_Delimited):
    """Cells between tabs. One that begins with a quotation mark, or holds a tab or a line end, is quoted as CSV has it."""

    _odd = 0

    def begin(self) -> None:
        names = [inert(name) for name in self.names] if self._safe else self.names
        self.stream.write("\t".join(map(self._quoted, names)) + "\n")

    def part(self, columns: Columns, objects: Objects | None = None) -> None:
        cells = self._cells(columns)
        text = "".join(["\t".join(row) + "\n" for row in zip(*cells, strict=True)])
        rows = len(cells[0]) if cells else 0
        if '"' in text or "\r" in text or text.count("\t") != rows * (len(cells) - 1) or text.count("\n") != rows:
            quoted = [[self._quoted(cell) for cell in column] for column in cells]
            text = "".join(["\t".join(row) + "\n" for row in zip(*quoted, strict=True)])
        self.stream.write(text)

    def _quoted(self, cell: str) -> str:
        odd = "\t" in cell or "\n" in cell or "\r" in cell
        self._odd += odd
        return '"' + cell.replace('"', '""') + '"' if odd or cell[:1] == '"' else cell

    def end(self) -> None:
        """Say where the file needs a careful reader."""
        if self._odd:
            cells = count(self._odd, "cell holds a tab or a line end", "cells hold a tab or a line end")
            self.notes.append(
                f"{cells}, in quotation marks: read the file with --quoting csv, or write .csv, .jsonl or .parquet"
            )


class CsvRows(_Delimited):
    """Cells between commas, quoted where they must be."""

    def begin(self) -> None:
        self._write([[inert(name) for name in self.names] if self._safe else self.names])

    def part(self, columns: Columns, objects: Objects | None = None) -> None:
        self._write(zip(*self._cells(columns), strict=True))

    def _write(self, rows: Any) -> None:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(rows)
        self.stream.write(out.getvalue())


class JsonLines(RowWriter):
    """An object a line; rows that were JSON stay what they were."""

    def part(self, columns: Columns, objects: Objects | None = None) -> None:
        if objects is None:
            self.stream.write(json_lines(dict(zip(self.names, columns, strict=True)), self._scores))
        else:
            self.stream.write("".join([f"{line}\n" for line in self.lines(objects)]))

    def lines(self, objects: Objects) -> list[str]:
        """Each row as JSON; NaN and infinities are null."""
        try:
            return [json.dumps(row, ensure_ascii=False, allow_nan=False) for row in objects]
        except (TypeError, ValueError):
            return [json.dumps(plain(row), ensure_ascii=False, allow_nan=False, default=str) for row in objects]


class JsonArray(JsonLines):
    """The same objects in an array."""

    def begin(self) -> None:
        self._separator = "[\n"

    def part(self, columns: Columns, objects: Objects | None = None) -> None:
        if objects is None:
            objects = row_objects(dict(zip(self.names, columns, strict=True)), self._scores)
        if lines := self.lines(objects):
            self.stream.write(self._separator + ",\n".join(lines))
            self._separator = ",\n"

    def end(self) -> None:
        self.stream.write("[]\n" if self._separator == "[\n" else "\n]\n")


def write_rows(
    parts: Iterable[Mapping[str, Sequence[Any]]],
    format: str,
    stream: IO[Any],
    *,
    scores: Collection[str] = (),
    spreadsheet_safe: bool = False,
) -> list[str]:
    """Write rows that come in parts, as columns by name, in one of the formats of rows; return what people should hear of it.

    `scores` are the columns that JSON keeps in an object of their own, and that hold numbers though all may be missing.
    """
    if format not in WRITERS:
        from assay.report.frames import write_parts

        write_parts(iter(parts), format, stream, numbers=scores)
        return []
    writer: RowWriter | None = None
    for columns in parts:
        writer = writer or WRITERS[format](stream, list(columns), scores=scores, spreadsheet_safe=spreadsheet_safe)
        writer.part([plain_list(column) for column in columns.values()])
    if writer is None:
        return []
    writer.end()
    return writer.notes


WRITERS: Mapping[str, type[RowWriter]] = {"tsv": TsvRows, "csv": CsvRows, "jsonl": JsonLines, "json": JsonArray}
ROWS = ("jsonl", "tsv", "csv", "parquet", "xlsx")
"""The formats with one row per segment."""


def _texts(name: str, column: Sequence[Any]) -> list[str]:
    """A column as cells: nothing for a missing value; flags between commas, any other list or object as JSON."""
    kinds = set(map(type, column))
    if kinds == {str}:
        return column if isinstance(column, list) else list(column)
    if kinds == {float}:
        return [repr(value) if math.isfinite(value) else "" for value in column]
    if kinds == {int}:
        return list(map(str, column))
    return [value if isinstance(value, str) else cell_text(name, value) for value in column]


def cell_text(name: str, value: Any) -> str:
    """A value as a cell: nothing for a missing one; flags between commas, any other list or object as JSON."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if name == "flags" and isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (bool, list, tuple, dict)):
        return json.dumps(plain(value), ensure_ascii=False)
    return str(value)
