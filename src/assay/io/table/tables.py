"""Streaming reader for translation tables in any format; it yields batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.core.batch import Batch, EmptyReference, Segment
from assay.core.errors import InputError, listing, unknown
from assay.io.table.formats import open_table
from assay.io.table.open_table import ROWS, OpenTable, Quoting
from assay.io.table.role_columns import RoleColumns, lay_out
from assay.io.table.vocabulary import ColumnChoice, Layout, Wanted, columns_chosen, plain, spelled, spellings

WANTED = Wanted(
    {
        "hypothesis": ("hypothesis", "target"),
        "source": ("source", "source sentence"),
        "reference": ("reference", "reference translation"),
        "references": ("references",),
        "system": ("system",),
        "document": ("document",),
        "langpair": ("langpair",),
        "id": ("id", "segment id"),
    },
    required=("hypothesis",),
    missing="{file} has no column with translations; it has {quoted}. Specify it with --columns mt=COLUMN "
    "(or its number), or rename it to {commas}.",
    once=("hypothesis", "source", "reference", "references"),
    several=("hypothesis",),
)
Further = dict[str, Sequence[Any]]
"""Further columns of a batch, by name."""


class Batches(Iterator[Batch]):
    """Batches from a table; `notes` describes the reader's choices and is complete after the last batch."""

    def __init__(self, pieces: Iterator[tuple[Batch, Further]], notes: list[str]) -> None:
        self.pieces, self.notes = pieces, notes
        """`pieces`: each batch with the further columns."""

    def __next__(self) -> Batch:
        return next(self.pieces)[0]


def read_table(
    source: Any,
    columns: ColumnChoice | None = None,
    chunk: int = 8192,
    *,
    quoting: Quoting = "auto",
    needs: Mapping[str, str] | None = None,
    format: str | None = None,
    by: str | None = None,
    whole: bool = False,
    empty_reference: EmptyReference = "skip",
    further: Sequence[str] = (),
) -> Batches:
    """Read the rows of a table as batches of at most `chunk` segments, all with the same columns.

    References come from ``reference``, ``ref``, ``ref2``, ``ref3`` … or from a list in ``references``. A null or an empty
    cell means that a reference is missing. Each of several translation columns (``{"mt": ["A", "B"]}``) is one system.
    Within a chunk of the table, the rows of one system follow those of the other.

    Args:
        source: A path (``-`` is standard input), a polars, pandas or Arrow frame, a dictionary of columns, or a list or
        iterator of dictionaries, one per row.
        columns: The column for a role, if its name is not in the vocabulary: ``{"hypothesis": "output"}``.
        chunk: The maximum number of rows per batch.
        quoting: The meaning of quotation marks around cells in delimited text.
        needs: Required roles (``reference``, ``source``), each with the metric that requires it.
        format: The format; by default, it is detected from the name or the first bytes.
        by: The column that is used as the batches' `groups`.
        whole: Keep every column (`Batch.rows`).
        empty_reference: How to treat rows without any reference.
        further: Additional columns to return alongside the batches (`Batches.pieces`).
    """
    if chunk < 1:
        raise InputError(f"a chunk must hold at least one row, not {chunk}.")
    notes: list[str] = []

    def pieces() -> Iterator[tuple[Batch, Further]]:
        with open_table(source, quoting=quoting, form=format) as table:
            if not table.names:
                return
            header = list(table.names)
            layout = lay_out(table, WANTED, columns)
            own = len(header) if table.names[: len(header)] == header else len(table.names)
            _check_needs(layout, needs or {}, table)
            doubts = _ambiguity_notes(layout, columns or {}, table)
            if by is not None:
                layout = replace(layout, places={**layout.places, "group": _group_column(by, layout, table)})
            further_indices = [table.names.index(name) for name in further]
            reader = RoleColumns(table, layout, further_indices, empty_reference, own=own if whole else 0)
            for piece in table.pieces(reader.wanted, chunk):
                notes[:] = [*doubts, *table.notes]
                yield reader.batch(piece), dict(zip(further, reader.further(piece), strict=True))
            notes[:] = [*doubts, *table.notes]

    return Batches(pieces(), notes)


def read_segments(
    source: Any, columns: ColumnChoice | None = None, further: Sequence[str] = (), *, quoting: Quoting = "auto"
) -> Iterator[Segment]:
    """Read the rows of a table one by one; the values of the `further` columns are in `Segment.meta`."""
    for batch, values in read_table(source, columns, ROWS, quoting=quoting, further=further).pieces:
        for row in range(len(batch)):
            meta = {name: str(column[row]) for name, column in values.items() if column[row] is not None}
            yield replace(batch[row], meta=meta) if meta else batch[row]


def columns_of(source: Any) -> list[str]:
    """Return a table's column names."""
    with open_table(source) as table:
        return table.names


def _ambiguity_notes(layout: Layout, chosen: ColumnChoice, table: OpenTable) -> list[str]:
    """Return notes about ambiguous columns: ``target`` may be a reference too."""
    name = table.names[layout.places["hypothesis"]]
    if plain(name) not in spellings("target") or any(name in columns for columns in columns_chosen(chosen).values()):
        return []
    return [f"{table.name}: {name!r} is read as the translations (choose another with --columns mt=COLUMN)."]


def _check_needs(layout: Layout, needs: Mapping[str, str], table: OpenTable) -> None:
    for role, metric in needs.items():
        if not (layout.has_reference if role == "reference" else role in layout.places):
            names = spellings(role)
            raise InputError(
                f"{table.name} has no {role} column, which {metric} requires; it has {listing(map(repr, table.names))}. "
                f"Specify it with --columns {names[-1]}=COLUMN, or rename it to {' or '.join(names)}."
            )


def _group_column(by: str, layout: Layout, table: OpenTable) -> int:
    """Return the column that rows are grouped by: a role (``doc``), or a name in the header."""
    role = WANTED.name_of(by)
    if role == "system":
        raise InputError(
            "--by groups segments, and systems are already reported separately. Specify a different column."
        )
    if role is not None and role in layout.places:
        return layout.places[role]
    if by in table.names:
        return table.names.index(by)
    alike = spelled(table.names, "document", "document id") if role == "document" else []
    alike += [name for name in table.names if plain(name) == plain(by)]
    if not alike:
        raise unknown(f"column in {table.name}", by, ["length", *table.names])
    return table.names.index(alike[0])
