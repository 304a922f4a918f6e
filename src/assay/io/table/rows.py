"""Rows of a table file as they stand, one by one: TSV, CSV, JSON lines, Parquet, plain or compressed.

Real challenge files are dirty: repeated headers, stray empty columns, lone quotes, lines that are not UTF-8. The readers
here say exactly where a row is broken and leave it to the caller's `BadRows` whether that ends the reading.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, count
from assay.io.files.text import open_bytes

Numbered = Iterator[tuple[int, list[Any]]]

_COMPRESSED = (".gz", ".xz", ".zst")


class BadRows:
    """What to do with a row that cannot be used: stop with an error, or (`skip`) remember it and go on."""

    def __init__(self, skip: bool = False) -> None:
        self.skip = skip
        self.found: list[str] = []

    def __call__(self, path: Path, line: int, reason: str) -> None:
        """Report one bad row of `path`."""
        if not self.skip:
            raise InputError(f"{path} line {line}: {reason} (--skip-bad leaves such rows out and lists them.)")
        self.found.append(f"{path.name} line {line}: {reason}")

    def sentences(self) -> list[str]:
        """One sentence with the number of rows left out, then one for each."""
        if not self.found:
            return []
        return [f"{count(len(self.found), 'bad row')} left out:", *self.found]


def kind_of(path: Path) -> str:
    """``tsv``, ``csv``, ``jsonl``, ``json`` or ``parquet``, by the name without its compression; TSV where in doubt."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    last = next((suffix for suffix in reversed(suffixes) if suffix not in _COMPRESSED), "")
    known = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".parquet": "parquet"}
    return known.get(last, "tsv")


def read_text(path: Path) -> str:
    """The whole file as text; what is not UTF-8 is reported with its line."""
    with open_bytes(path) as handle:
        raw = handle.read()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path} is not UTF-8 at byte {error.start:,} (line {line}).") from error


def lines(path: Path, bad: BadRows) -> Iterator[tuple[int, str]]:
    """Numbered lines without their end; only a line feed ends a line. One that is not UTF-8 is a bad row."""
    with open_bytes(path) as handle:
        number = 0
        while raw := handle.readline():
            number += 1
            if number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            try:
                yield number, raw.rstrip(b"\r\n").decode("utf-8")
            except UnicodeDecodeError as error:
                bad(path, number, f"not UTF-8 at byte {error.start + 1} of the line.")


def fields(path: Path, bad: BadRows) -> Numbered:
    """Numbered rows of a TSV (quotes mean nothing) or a CSV (quotes as RFC 4180 has them); blank lines are skipped."""
    if kind_of(path) == "csv":
        yield from _csv(path, bad)
        return
    for number, line in lines(path, bad):
        if line.strip():
            yield number, line.split("\t")


def _csv(path: Path, bad: BadRows) -> Numbered:
    last = 0

    def feed() -> Iterator[str]:
        nonlocal last
        for number, line in lines(path, bad):
            last = number
            yield line + "\n"

    csv.field_size_limit(1 << 30)
    reader = csv.reader(feed())
    before = 0
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            bad(path, before + 1, f"not CSV: {error}.")
            continue
        if row:
            yield before + 1, row
        before = last


def objects(path: Path, bad: BadRows) -> Iterator[tuple[int, dict[str, Any]]]:
    """Numbered objects of a JSON-lines file or of a JSON array, by the line they begin on."""
    if kind_of(path) == "json":
        text = read_text(path)
        if text.lstrip().startswith("["):
            yield from _array(path, text, bad)
            return
    for number, line in lines(path, bad):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            bad(path, number, f"not JSON: {error}.")
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            bad(path, number, f"a JSON object was expected, not {type(value).__name__}.")


def _array(path: Path, text: str, bad: BadRows) -> Iterator[tuple[int, dict[str, Any]]]:
    """Item by item, so that each has its line."""
    decode, blank = json.JSONDecoder().raw_decode, re.compile(r"[ \t\r\n]*")
    position, line = text.index("[") + 1, 1 + text.count("\n", 0, text.index("["))
    while True:
        start = _past(blank, text, position)
        if text.startswith("]", start):
            return
        line += text.count("\n", position, start)
        try:
            value, position = decode(text, start)
            end = _past(blank, text, position)
            if text[end : end + 1] not in (",", "]"):
                raise json.JSONDecodeError("Expecting ',' delimiter", text, end)
        except ValueError as error:
            raise InputError(f"{path} is not JSON: {error}.") from error
        if isinstance(value, dict):
            yield line, value
        else:
            bad(path, line, f"a JSON object was expected, not {type(value).__name__}.")
        position = end + (text[end] == ",")
        line += text.count("\n", start, position)


def _past(blank: re.Pattern[str], text: str, position: int) -> int:
    match = blank.match(text, position)
    return match.end() if match else position


class Rows:
    """A table file with named columns: `columns`, then numbered rows, each a list with one value for each column.

    Header rows that come again are skipped (`repeated_headers`); empty fields beyond the last column are dropped
    (`stray_fields` counts such rows). A row that has too few fields, or text beyond the last column, is a bad row.
    """

    def __init__(self, path: Path, bad: BadRows) -> None:
        self.path, self.bad = path, bad
        self.repeated_headers = self.stray_fields = 0
        self.quoted = False
        """True when the header of a TSV is itself in CSV quotes, and so the whole file is."""
        self._rows = self._open()
        first = next(self._rows, None)
        if first is None:
            raise InputError(f"{path} is empty.")
        self.columns: list[str] = [str(name) for name in first[1]]

    def __iter__(self) -> Numbered:
        return self._rows

    def _open(self) -> Numbered:
        kind = kind_of(self.path)
        if kind in ("json", "jsonl"):
            return self._keyed(objects(self.path, self.bad))
        if kind == "parquet":
            return self._parquet()
        return self._headed(fields(self.path, self.bad))

    def _headed(self, rows: Numbered) -> Numbered:
        number, first = next(rows, (0, None))
        if first is None:
            return
        header = [name.strip() for name in first]
        if kind_of(self.path) == "tsv" and all(_wrapped(name) for name in header):
            self.quoted, header = True, [name[1:-1] for name in header]
        yield number, header
        width = len(header)
        for number, row in rows:
            if row == first:
                self.repeated_headers += 1
                continue
            if len(row) > width and not any(field.strip() for field in row[width:]):
                self.stray_fields += 1
                row = row[:width]
            if len(row) == width:
                yield number, [unquoted(field, force=True) for field in row] if self.quoted else row
            elif len(row) < width:
                missing = header[len(row)]
                self.bad(self.path, number, f"{_found(row)}, the header has {width}: column {missing!r} is missing.")
            else:
                self.bad(self.path, number, f"{_found(row)}, the header has {width}: column {width + 1} has no name.")

    def _keyed(self, rows: Iterable[tuple[int, dict[str, Any]]]) -> Numbered:
        header: list[str] = []
        for number, row in rows:
            if not header:
                header = list(row)
                yield number, list(header)
            yield number, [row.get(name) for name in header]

    def _parquet(self) -> Numbered:
        import polars

        if not self.path.is_file():
            raise InputError(f"there is no file {self.path}.")
        try:
            frame = polars.read_parquet(self.path)
        except (polars.exceptions.PolarsError, OSError) as error:
            raise InputError(f"{self.path} is not a Parquet file: {str(error).splitlines()[0]}.") from error
        yield 0, list(frame.columns)
        for number, row in enumerate(frame.iter_rows(), 1):
            yield number, list(row)


def _found(row: Sequence[Any]) -> str:
    return count(len(row), "column")


def _wrapped(field: str) -> bool:
    return len(field) > 1 and field[0] == field[-1] == '"'


def unquoted(field: str, force: bool = False) -> str:
    """The field without one level of leftover CSV quoting: ``"a ""b"" c"`` becomes ``a "b" c``.

    Quotes around a whole field are leftovers only when the quotes inside are doubled; ``"No," he said.`` and a plain
    ``"No."`` are text and stay. `force` undoes the plain wrapping too, for files whose header shows that all is quoted.
    """
    if not _wrapped(field):
        return field
    inner = field[1:-1]
    if '""' in inner:
        return field if '"' in inner.replace('""', "") else inner.replace('""', '"')
    return inner if force and '"' not in inner else field
