"""Interface for open tables: column names, then chunks of the wanted columns in bounded memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import IO, Any, Literal, NamedTuple

from assay.core.errors import InputError, listing, unknown
from assay.core.rows import SCORES
from assay.io.table.bad_rows import BadRows

Quoting = Literal["auto", "csv", "none"]
"""The meaning of quotation marks at the beginning of a cell; see `assay.io.table.quoting`."""

ROWS = 64
"""Rows of a piece for readers that process one row at a time; few, so that long texts need little memory."""


class Piece(NamedTuple):
    """Some rows: one list per wanted column, and the number of each row in its file."""

    columns: Sequence[Sequence[Any]]
    numbers: Sequence[int]
    noun: str = "line"

    def where(self, row: int) -> str:
        """Return the position of a row for messages: ``line 7``."""
        return f"{self.noun} {self.numbers[row]}"


class Opened(NamedTuple):
    """Open file whose first bytes (`head`) have already been read, with options for reading the rest."""

    file: IO[bytes]
    path: str
    head: bytes
    bad: BadRows
    quoting: Quoting


def inside(value: Any, keys: Sequence[str]) -> Any:
    """Return the value under nested keys; None if a key is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def score_place(table: OpenTable, name: str) -> int:
    """Return the index of a score column, which JSON may nest in ``scores``; reject an unknown one."""
    if name not in table.names and SCORES in table.names:
        table.look_inside(name, (SCORES, name))
    if name not in table.names:
        raise unknown(f"column in {table.name}", name, table.names)
    return table.names.index(name)


class OpenTable(ABC):
    """Open table, a context manager that closes its file."""

    name = "the table"
    """The name of the table in messages."""
    form = ""
    """The format, as named in `assay.io.table.formats`; a frame has none."""
    names: list[str]
    """The column names; empty if a JSON file has no row."""
    kinds: Mapping[str, Any] | None = None
    """The polars types of the columns, if the format has types."""
    inner: Mapping[str, Sequence[str]] = MappingProxyType({})
    """The columns of nested values, with the keys that lead to them."""
    nested = False
    """Whether values can be objects, in which `look_inside` finds further columns."""
    repeated_headers = 0
    stray_fields = 0
    """How many rows had empty fields beyond the last column, which were dropped."""

    @property
    def quoted(self) -> bool:
        """Return whether one level of quotation marks was removed from the cells."""
        return False

    @property
    def unquoted_rows(self) -> int:
        """Return the number of rows in a TSV, including the header, with quoted cells."""
        return 0

    @property
    def notes(self) -> list[str]:
        """Return notes about the reader's choices that a user may want to change; complete after the last row."""
        return []

    @abstractmethod
    def pieces(self, wanted: Sequence[int], chunk: int) -> Iterator[Piece]:
        """Yield the columns at the `wanted` positions, at most `chunk` rows at a time."""

    def rows(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield numbered rows with a value for every column; a bad row is reported when it is reached."""
        for piece in self.pieces(range(len(self.names)), ROWS):
            for number, row in zip(piece.numbers, zip(*piece.columns, strict=True), strict=True):
                yield number, list(row)

    def without_header(self) -> None:
        """Read the line with the column names as a row; the columns are then called 1, 2, 3 …"""
        raise InputError(
            f"{self.name} has column names; choose columns by name. It has {listing(map(repr, self.names))}."
        )

    def look_inside(self, column: str, keys: Sequence[str] = ()) -> None:
        """Add a column with values from inside the objects of another one (``translation.de``), if the format supports objects.

        `keys` is the path to the value; by default, the parts of the name.
        """
        if self.nested:
            self.names.append(column)
            self.inner = {**self.inner, column: list(keys) or column.split(".")}

    def paths(self, wanted: Sequence[int]) -> list[Sequence[str]]:
        """Return the key paths of the columns at the `wanted` positions."""
        return [self.inner.get(self.names[index], [self.names[index]]) for index in wanted]

    @abstractmethod
    def close(self) -> None:
        """Close the file."""

    def __enter__(self) -> OpenTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


Numbered = tuple[int, dict[str, Any]]
"""Number of a row in the file, and its values by column."""


class MappingTable(OpenTable):
    """Table whose rows arrive one by one as mappings."""

    noun = "line"
    """The unit of row numbers."""
    file: IO[bytes] | None = None

    def __init__(self, rows: Iterator[Numbered], names: Iterable[str], refusal: str = "") -> None:
        """Initialise with `rows` that have the columns `names`.

        `refusal` is the error message for a row with a ``{key}`` that is not in `names`; without it, such keys are dropped.
        """
        self.names = list(names)
        self._rows = self._checked(rows, refusal) if refusal else rows

    def _checked(self, rows: Iterator[Numbered], refusal: str) -> Iterator[Numbered]:
        columns = frozenset(self.names)
        for number, row in rows:
            if not row.keys() <= columns:
                key = next(key for key in row if key not in columns)
                raise InputError(f"{self.name} {self.noun} {number}: {refusal.format(key=repr(key))}")
            yield number, row

    def pieces(self, wanted: Sequence[int], chunk: int) -> Iterator[Piece]:
        paths = self.paths(wanted)
        while taken := list(islice(self._rows, chunk)):
            columns = [
                [row.get(keys[0]) for _, row in taken] if len(keys) == 1 else [inside(row, keys) for _, row in taken]
                for keys in paths
            ]
            yield Piece(columns, [number for number, _ in taken], self.noun)

    def rows(self) -> Iterator[tuple[int, list[Any]]]:
        paths = self.paths(range(len(self.names)))
        return ((number, [inside(row, keys) for keys in paths]) for number, row in self._rows)

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
