"""Complete table rows in chunks, for verbs that write rows back unchanged.

Rows from ``assay score --format jsonl`` nest their scores in an object. Here the scores are columns, and the object stays
unchanged if the row is written as JSON again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from assay.core.errors import InputError
from assay.core.rows import SCORES, flat_row
from assay.io.table.objects import JsonTable
from assay.io.table.open_table import ROWS, Numbered, OpenTable

MOST_ROWS, MOST_CHARACTERS = 16_384, 16_000_000
"""Rows, and characters of text, at which a part ends, so that memory depends on neither."""


class RowPart(NamedTuple):
    """Chunk of rows: one list per column, the number of each row in its file and, for JSON input, the JSON objects."""

    columns: Sequence[Sequence[Any]]
    numbers: Sequence[int]
    noun: str
    objects: Sequence[Mapping[str, Any]] | None = None


class WholeRows:
    """Open table read as complete rows, `most` at a time; `names` are its columns, including those nested in `SCORES`."""

    def __init__(self, table: OpenTable, most: int = MOST_ROWS) -> None:
        self.table, self._most = table, most
        self._first: list[Numbered] = []
        self.scores: tuple[str, ...] = ()
        """The columns nested in `SCORES`."""
        self.names = list(table.names)
        if isinstance(table, JsonTable):
            self._objects = table.objects()
            self._first = list(islice(self._objects, 1))
            inside = [row[SCORES] for _, row in table.ahead if isinstance(row.get(SCORES), dict)]
            if inside:
                at = self.names.index(SCORES)
                scores = dict.fromkeys(name for scores in inside for name in scores)
                self.names[at : at + 1] = [name for name in scores if name not in self.names]
                self.scores = tuple(scores)

    def parts(self) -> Iterator[RowPart]:
        """Yield all rows in chunks of bounded size."""
        return self._json() if isinstance(self.table, JsonTable) else self._columns()

    def _columns(self) -> Iterator[RowPart]:
        held: list[list[Any]] = [[] for _ in self.names]
        numbers: list[int] = []
        size, noun = 0, "line"
        for piece in self.table.pieces(range(len(self.names)), min(ROWS, self._most)):
            noun = piece.noun
            numbers.extend(piece.numbers)
            for column, values in zip(held, piece.columns, strict=True):
                column.extend(values)
                size += _characters(values)
            if len(numbers) >= self._most or size >= MOST_CHARACTERS:
                yield RowPart(held, numbers, noun)
                held, numbers, size = [[] for _ in self.names], [], 0
        if numbers:
            yield RowPart(held, numbers, noun)

    def _json(self) -> Iterator[RowPart]:
        waiting = iter(self._first)
        taken: list[Numbered] = []
        size = 0
        while rows := [*waiting, *islice(self._objects, min(ROWS, self._most))]:
            taken += rows
            size += sum(_characters(row.values()) for _, row in rows)
            if len(taken) >= self._most or size >= MOST_CHARACTERS:
                yield self._part(taken)
                taken, size = [], 0
        if taken:
            yield self._part(taken)

    def _part(self, taken: Sequence[Numbered]) -> RowPart:
        flat = [flat_row(row, f"{self.table.name} line {number}") for number, row in taken]
        columns = [[row.get(name) for row in flat] for name in self.names]
        return RowPart(columns, [number for number, _ in taken], "line", [row for _, row in taken])

    def check_keys(self, part: RowPart) -> None:
        """Reject a JSON row with a key that is not in the first row, if rows are written under a fixed header."""
        for number, row in zip(part.numbers, part.objects or (), strict=False):
            if extra := flat_row(row).keys() - set(self.names):
                raise InputError(
                    f"{self.table.name} {part.noun} {number} has {sorted(extra)[0]!r}, which the first row lacks, so "
                    "it would be lost in the output. Write JSON lines (--format jsonl)."
                )


def _characters(values: Collection[Any]) -> int:
    try:
        return sum(map(len, values))
    except TypeError:
        return sum(len(value) for value in values if isinstance(value, str))
