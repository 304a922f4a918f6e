"""Rows under a header as TSV, CSV, JSON, JSON lines or Parquet, written part by part so that memory stays flat."""

from __future__ import annotations

import csv
import io
import json
import math
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from assay.core.errors import InputError, count, listing
from assay.report.data import inert, plain

FORMATS = {
    "tsv": (".tsv",),
    "csv": (".csv",),
    "jsonl": (".jsonl", ".ndjson"),
    "json": (".json",),
    "parquet": (".parquet",),
}
"""Formats of rows with the endings of their files."""
Columns = Sequence[Sequence[Any]]
Objects = Sequence[Mapping[str, Any]]


def format_of(out: str, asked: str | None = None) -> str:
    """The format that the name of a file says, which must not contradict the one that was `asked` for."""
    ending = Path(out).suffix.lower()
    named = next((format for format, endings in FORMATS.items() if ending in endings), None)
    if asked and named and asked != named:
        raise InputError(f"--out {out} says {named}, and --format says {asked}: leave one out, or make them agree.")
    if not asked and named is None:
        endings = ", ".join(endings[0] for endings in FORMATS.values())
        raise InputError(f"the name {out} says no format: end it in {endings}, or say --format tsv.")
    return asked or str(named)


class RowWriter(ABC):
    """Rows with the columns `names` on their way into a stream. `part` for each part, then `end`."""

    binary = False

    def __init__(
        self,
        stream: IO[Any],
        names: Sequence[str],
        *,
        spreadsheet_safe: bool = False,
        kinds: Mapping[str, Any] | None = None,
    ) -> None:
        self.stream, self.names, self._safe, self.kinds = stream, list(names), spreadsheet_safe, kinds
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
        """The header."""
        names = [inert(name) for name in self.names] if self._safe else self.names
        self.stream.write("\t".join(map(self._quoted, names)) + "\n")

    def part(self, columns: Columns, objects: Objects | None = None) -> None:
        """See `RowWriter`."""
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
        """The header."""
        self._write([[inert(name) for name in self.names] if self._safe else self.names])

    def part(self, columns: Columns, objects: Objects | None = None) -> None:
        """See `RowWriter`."""
        self._write(zip(*self._cells(columns), strict=True))

    def _write(self, rows: Any) -> None:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(rows)
        self.stream.write(out.getvalue())


class JsonLines(RowWriter):
    """An object a line; rows that were JSON stay what they were."""

    def part(self, columns: Columns, objects: Objects | None = None) -> None:
        """See `RowWriter`."""
        self.stream.write("".join([f"{line}\n" for line in self.lines(columns, objects)]))

    def lines(self, columns: Columns, objects: Objects | None) -> list[str]:
        """Each row as JSON; NaN and infinities are null."""
        if objects is None:
            objects = [dict(zip(self.names, row, strict=True)) for row in zip(*columns, strict=True)]
        try:
            return [json.dumps(row, ensure_ascii=False, allow_nan=False) for row in objects]
        except (TypeError, ValueError):
            return [json.dumps(plain(row), ensure_ascii=False, allow_nan=False, default=str) for row in objects]


class JsonArray(JsonLines):
    """The same objects in an array."""

    def begin(self) -> None:
        """The bracket."""
        self._separator = "[\n"

    def part(self, columns: Columns, objects: Objects | None = None) -> None:
        """See `RowWriter`."""
        if lines := self.lines(columns, objects):
            self.stream.write(self._separator + ",\n".join(lines))
            self._separator = ",\n"

    def end(self) -> None:
        """The other bracket."""
        self.stream.write("[]\n" if self._separator == "[\n" else "\n]\n")


class ParquetRows(RowWriter):
    """Parquet, a file for each part, joined at the end. The kinds of the columns are the first part's where nobody gives them."""

    binary = True

    def begin(self) -> None:
        """A folder for the parts."""
        from assay.io.files.atomic import blaming_scratch

        twice = [name for i, name in enumerate(self.names) if name in self.names[:i]]
        if twice:
            raise InputError(f"two columns are called {twice[0]!r}, which Parquet does not allow: rename one.")
        self._parts: list[Path] = []
        with blaming_scratch():
            self._folder = tempfile.TemporaryDirectory(prefix="assay-")

    def part(self, columns: Columns, objects: Objects | None = None) -> None:
        """See `RowWriter`."""
        import polars

        from assay.io.files.atomic import blaming_scratch

        if self.kinds is None:
            self.kinds = {name: _kind(column) for name, column in zip(self.names, columns, strict=True)}
        try:
            data = {name: _fitting(column, self.kinds[name]) for name, column in zip(self.names, columns, strict=True)}
            frame = polars.DataFrame(data, schema=dict(self.kinds), strict=True)
        except (TypeError, OverflowError, polars.exceptions.PolarsError) as error:
            said = listing([str(error).splitlines()[0][:120]])
            raise InputError(
                f"the rows have columns of mixed kinds, which Parquet does not allow ({said}): write .jsonl."
            ) from error
        self._parts.append(Path(self._folder.name) / f"{len(self._parts):06}.parquet")
        with blaming_scratch():
            frame.write_parquet(self._parts[-1])

    def end(self) -> None:
        """Join the parts."""
        import shutil

        import polars

        from assay.io.files.atomic import blaming_scratch

        with self._folder as folder:
            whole = Path(folder) / "whole.parquet"
            with blaming_scratch():
                if self._parts:
                    polars.scan_parquet(self._parts).sink_parquet(whole)
                else:
                    polars.DataFrame(schema=dict(self.kinds or dict.fromkeys(self.names, polars.String))).write_parquet(
                        whole
                    )
            with whole.open("rb") as source:
                shutil.copyfileobj(source, self.stream)


WRITERS: Mapping[str, type[RowWriter]] = {
    "tsv": TsvRows, "csv": CsvRows, "jsonl": JsonLines, "json": JsonArray, "parquet": ParquetRows
}  # fmt: skip


def _texts(name: str, column: Sequence[Any]) -> list[str]:
    """A column as cells: nothing for a missing value; flags between commas, any other list or object as JSON."""
    if set(map(type, column)) == {str}:
        return column if isinstance(column, list) else list(column)
    return [value if isinstance(value, str) else _text(name, value) for value in column]


def _text(name: str, value: Any) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if name == "flags" and isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (bool, list, tuple, dict)):
        return json.dumps(plain(value), ensure_ascii=False)
    return str(value)


def _kind(column: Sequence[Any]) -> Any:
    """The kind of Parquet column that holds the values; objects and mixed lists are JSON text."""
    import polars

    kinds = {type(value) for value in column if value is not None}
    if kinds and kinds <= {int, float}:
        return polars.Int64 if kinds == {int} else polars.Float64
    if kinds == {bool}:
        return polars.Boolean
    if kinds == {list} and all(isinstance(item, str) for value in column if value is not None for item in value):
        return polars.List(polars.String)
    return polars.String


def _fitting(column: Sequence[Any], kind: Any) -> Sequence[Any]:
    import polars

    if kind != polars.String:
        return column
    return [value if value is None or isinstance(value, str) else _text("", value) for value in column]
