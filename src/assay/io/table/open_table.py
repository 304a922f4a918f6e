"""What every form of table gives: the names of its columns, then pieces of the wanted ones, in bounded memory."""

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
    """Its form, by the name it has in `assay.io.table.formats`; a frame has none."""
    names: list[str]
    """Its columns; none where a JSON file has no row."""
    kinds: Mapping[str, Any] | None = None
    """The kinds of the columns, as polars calls them, where the form knows them."""
    inner: Mapping[str, Sequence[str]] = MappingProxyType({})
    """The columns that look inside objects, with the keys that lead to their values."""
    nested = False
    """Whether values can be objects, in which `look_inside` finds further columns."""
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

    def look_inside(self, column: str, keys: Sequence[str] = ()) -> None:
        """Add a column of the values inside the objects of another one (``translation.de``), if the format has objects.

        `keys` lead to the value; by default they are the parts of the name.
        """
        if self.nested:
            self.names.append(column)
            self.inner = {**self.inner, column: list(keys) or column.split(".")}

    def paths(self, wanted: Sequence[int]) -> list[Sequence[str]]:
        """Return the keys that lead to the values of the columns at the `wanted` places."""
        return [self.inner.get(self.names[place], [self.names[place]]) for place in wanted]

    @abstractmethod
    def close(self) -> None:
        """Let go of the file."""

    def __enter__(self) -> OpenTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


Numbered = tuple[int, dict[str, Any]]
"""A row by column, and its number in the file."""


class MappingTable(OpenTable):
    """Table whose rows come one by one as mappings."""

    noun = "line"
    """What the number of a row counts."""
    file: IO[bytes] | None = None

    def __init__(self, rows: Iterator[Numbered], names: Iterable[str], refusal: str = "") -> None:
        """`refusal` is the message about a row with a ``{key}`` that is not in `names`; without it, such keys are dropped."""
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
