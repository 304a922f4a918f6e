"""The table formats: each gives its column names, then pieces of the columns somebody wants, in bounded memory."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from assay.core.errors import InputError, count
from assay.io.files.compression import SUFFIXES
from assay.io.files.text import file_name, read_blocks, split_lines

LONGEST_FIELD = 1 << 26
"""Characters. A longer CSV field is a quote that nobody closed."""


class Piece(NamedTuple):
    """Some rows: one list for each wanted column, and where a row stands (``line 7``), for messages."""

    columns: Sequence[Sequence[Any]]
    where: Callable[[int], str]


def _numbers(noun: str, numbers: Sequence[int]) -> Callable[[int], str]:
    return lambda i: f"{noun} {numbers[i]}"


class Source(ABC):
    """An open table."""

    names: list[str]

    @abstractmethod
    def pieces(self, wanted: Sequence[str], chunk: int) -> Iterator[Piece]:
        """The wanted columns, `chunk` rows at a time."""


class Tsv(Source):
    """Tab-separated lines under a header. A quotation mark is a character like any other."""

    def __init__(self, file: io.BufferedReader, path: str, head: bytes) -> None:
        self._name = file_name(path)
        self._pieces = split_lines(read_blocks(file, path, head))
        self._lines = (line for piece in self._pieces for line in piece)
        self.names = next(self._lines, "").split("\t")

    def pieces(self, wanted: Sequence[str], chunk: int) -> Iterator[Piece]:
        """See `Source`. Lines without any character are no rows, unless the table has a single column."""
        numbered = enumerate(self._lines, 2)
        rows = ((n, line.split("\t")) for n, line in numbered if line or len(self.names) == 1)
        yield from _checked(rows, self.names, wanted, chunk, self._name)


class Csv(Source):
    """Comma-separated values with the usual quoting; a field may hold line ends."""

    def __init__(self, file: io.BufferedReader, path: str, head: bytes) -> None:
        import csv

        self._name, self._csv = file_name(path), csv
        lines = (line for text in read_blocks(file, path, head) for line in io.StringIO(text, newline="\n"))
        self._reader = csv.reader(lines, strict=True)
        self.names = next(iter(self._take(1)), (1, []))[1]

    def _take(self, size: int) -> list[tuple[int, list[str]]]:
        """The next rows with their last line's number. The csv module's limit is global: it is raised here and put back."""
        old = self._csv.field_size_limit(LONGEST_FIELD)
        try:
            return [(self._reader.line_num, row) for row in islice(self._reader, size)]
        except self._csv.Error as error:
            said = str(error)
            if "field limit" in said or "unexpected end" in said:
                said = "a quotation mark is opened and never closed"
            elif "new-line" in said:
                said = "a carriage return stands outside quotation marks"
            raise InputError(f"{self._name} line {self._reader.line_num} is not CSV: {said}.") from error
        finally:
            self._csv.field_size_limit(old)

    def pieces(self, wanted: Sequence[str], chunk: int) -> Iterator[Piece]:
        """See `Source`. Blank lines are no rows, unless the table has a single column."""
        single = len(self.names) == 1

        def rows() -> Iterator[tuple[int, list[str]]]:
            while taken := self._take(chunk):
                yield from ((n, row or [""]) for n, row in taken if row or single)

        yield from _checked(rows(), self.names, wanted, chunk, self._name)


def _checked(
    rows: Iterator[tuple[int, list[str]]], names: Sequence[str], wanted: Sequence[str], chunk: int, name: str
) -> Iterator[Piece]:
    places = [names.index(column) for column in wanted]
    while taken := list(islice(rows, chunk)):
        for number, row in taken:
            if len(row) != len(names):
                raise InputError(f"{name} line {number} has {count(len(row), 'field')}, its header has {len(names)}.")
        columns = [[row[place] for _, row in taken] for place in places]
        yield Piece(columns, _numbers("line", [number for number, _ in taken]))


class JsonLines(Source):
    """One JSON object a line. The first one says which columns there are; blank lines are no rows."""

    def __init__(self, file: io.BufferedReader, path: str, head: bytes) -> None:
        self._name = file_name(path)
        self._rows = self._parse(line for piece in split_lines(read_blocks(file, path, head)) for line in piece)
        self._first = next(self._rows, None)
        self.names = list(self._first[1]) if self._first else []

    def _parse(self, lines: Iterator[str]) -> Iterator[tuple[int, dict[str, Any]]]:
        import json

        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(f"{self._name} line {number} is not JSON: {error}.") from error
            if not isinstance(row, dict):
                hint = f" Try: jq -c '.[]' {self._name}" if isinstance(row, list) else ""
                raise InputError(f"{self._name} line {number} is no JSON object, but must be one a line.{hint}")
            yield number, row

    def pieces(self, wanted: Sequence[str], chunk: int) -> Iterator[Piece]:
        """See `Source`. A key that a row lacks is null there."""

        def rows() -> Iterator[tuple[int, dict[str, Any]]]:
            if self._first:
                yield self._first
            yield from self._rows

        remaining = rows()
        while taken := list(islice(remaining, chunk)):
            columns = [[row.get(name) for _, row in taken] for name in wanted]
            yield Piece(columns, _numbers("line", [number for number, _ in taken]))


class Parquet(Source):
    """A Parquet file through polars, a slice at a time."""

    def __init__(self, path: str) -> None:
        import polars as pl

        self._name, self._path, self._pl = path, path, pl
        with self._speaking():
            self._frame = pl.scan_parquet(path, glob=False)
            self._schema = self._frame.collect_schema()
            self._rows = int(self._frame.select(pl.len()).collect().item())
        self.names = self._schema.names()

    def _speaking(self) -> _Speaking:
        return _Speaking(self._name, self._pl.exceptions.PolarsError)

    def pieces(self, wanted: Sequence[str], chunk: int) -> Iterator[Piece]:
        """See `Source`. Categories are read as their text."""
        pl = self._pl
        as_text = [pl.col(n).cast(pl.String) if self._schema[n] == pl.Categorical else pl.col(n) for n in wanted]
        # A slice costs a new look at the file, so each one feeds several pieces.
        size = max(1, 65_536 // chunk) * chunk
        for start in range(0, self._rows, size):
            with self._speaking():
                part = self._frame.select(as_text).slice(start, size).collect(engine="streaming")
            for at in range(0, len(part), chunk):
                rows = part.slice(at, chunk)
                yield Piece(
                    [rows[name].to_list() for name in wanted], _numbers("row", range(start + at + 1, self._rows + 1))
                )


class _Speaking:
    """Turns the reader's errors into InputErrors that name the file."""

    def __init__(self, name: str, kind: type[Exception]) -> None:
        self._name, self._kind = name, kind

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (self._kind, OSError)):
            said = str(error).strip().splitlines()[0]
            raise InputError(f"{self._name} cannot be read as Parquet: {said}. Make it again.") from error


def format_of(path: str, head: bytes) -> str:
    """The format that the name's ending says (a .gz, .xz or .zst set aside), or the first bytes when it says nothing."""
    endings = [ending for ending in Path(path.lower()).suffixes if ending not in SUFFIXES]
    ending = endings[-1] if endings else ""
    by_name = {".tsv": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}.get(ending)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"PAR1"):
        return "parquet"
    if by_name:
        return by_name
    if start.startswith((b"{", b"[")):
        return "jsonl"
    return "tsv" if b"\t" in head else "csv"
