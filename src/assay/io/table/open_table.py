"""What every form of table gives: the names of its columns, then pieces of the wanted ones, in bounded memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import IO, Any, Literal, NamedTuple

from assay.core.errors import InputError, listing, unknown
from assay.core.rows import SCORES
from assay.io.table.bad_rows import BadRows

Quoting = Literal["auto", "csv", "none"]
"""What quotation marks at the beginning of a cell mean: see `assay.io.table.quoting`."""

ROWS = 64
"""Rows in a piece, for readers that take one row after the other: few, so that long texts do not pile up."""


class Piece(NamedTuple):
    """Some rows: one list for each wanted column, and the number of each row in its file."""

    columns: Sequence[Sequence[Any]]
    numbers: Sequence[int]
    noun: str = "line"

    def where(self, row: int) -> str:
        """Where a row stands, for messages: ``line 7``."""
        return f"{self.noun} {self.numbers[row]}"


class Opened(NamedTuple):
    """An open file whose first bytes (`head`) were read, and how to read the rest."""

    file: IO[bytes]
    path: str
    head: bytes
    bad: BadRows
    quoting: Quoting


def inside(value: Any, keys: Sequence[str]) -> Any:
    """What is under the keys, one inside the other; None where there is nothing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def score_place(table: OpenTable, name: str) -> int:
    """Return the place of a column of scores, which JSON may hold inside ``scores``; an unknown one is an InputError."""
    if name not in table.names and SCORES in table.names:
        table.look_inside(name, (SCORES, name))
    if name not in table.names:
        raise unknown(f"column in {table.name}", name, table.names)
    return table.names.index(name)


class OpenTable(ABC):
    """A table under the reader's eyes; a context manager that closes its file."""

    name = "the table"
    """What messages call it."""
    form = ""
    """Its form, by the name it has in `assay.io.table.forms`; a frame has none."""
    names: list[str]
    """Its columns; none where a JSON file has no row."""
    kinds: Mapping[str, Any] | None = None
    """The kinds of the columns, as polars calls them, where the form knows them."""
    inner: Mapping[str, Sequence[str]] = MappingProxyType({})
    """The columns that look inside objects, with the keys on the way there."""
    repeated_headers = 0
    stray_fields = 0
    """Rows with empty fields beyond the last column: the fields are dropped."""

    @property
    def quoted(self) -> bool:
        """Whether one level of quotation marks was taken off the cells."""
        return False

    @property
    def unquoted_rows(self) -> int:
        """Rows of a TSV, the header included, that had quoted cells."""
        return 0

    @property
    def notes(self) -> list[str]:
        """Sentences about choices the reader made that a person may want otherwise; complete when the last row is out."""
        return []

    @abstractmethod
    def pieces(self, wanted: Sequence[int], chunk: int) -> Iterator[Piece]:
        """The columns at the `wanted` places, at most `chunk` rows at a time."""

    def rows(self) -> Iterator[tuple[int, list[Any]]]:
        """Numbered rows with a value for every column; a bad row is reported when its turn comes."""
        for piece in self.pieces(range(len(self.names)), ROWS):
            for number, row in zip(piece.numbers, zip(*piece.columns, strict=True), strict=True):
                yield number, list(row)

    def without_header(self) -> None:
        """Take the line that names the columns for a row; the columns are called 1, 2, 3 … then."""
        raise InputError(f"{self.name} names its columns: choose by name. It has {listing(map(repr, self.names))}.")

    def look_inside(self, column: str, keys: Sequence[str] = ()) -> bool:
        """Add a column of what is inside the objects of another (``translation.de``); False where a form has no objects.

        `keys` are those on the way there, where the parts of the name are not.
        """
        return False

    @abstractmethod
    def close(self) -> None:
        """Let go of the file."""

    def __enter__(self) -> OpenTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
