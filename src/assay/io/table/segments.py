"""Segments one by one out of a table, with further columns of their rows where somebody asks for them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from assay.core.batch import Segment
from assay.io.table.forms import open_table
from assay.io.table.open_table import ROWS, Quoting
from assay.io.table.tables import read_pieces
from assay.io.table.vocabulary import ColumnChoice


def columns_of(source: Any) -> list[str]:
    """The names of a table's columns."""
    with open_table(source) as table:
        return table.names


def read_segments(
    source: Any,
    columns: ColumnChoice | None = None,
    further: Sequence[str] = (),
    *,
    quoting: Quoting = "auto",
) -> Iterator[Segment]:
    """The rows of a table; the values of the `further` columns are in `Segment.meta`."""
    for batch, beside in read_pieces(source, columns, ROWS, [], further, quoting=quoting):
        for row in range(len(batch)):
            segment = batch[row]
            meta = {name: str(column[row]) for name, column in beside.items() if column[row] is not None}
            yield dataclasses.replace(segment, meta=meta) if meta else segment
