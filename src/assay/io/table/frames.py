"""Tables from Python objects: polars, pandas and Arrow frames, mappings of columns, and rows in lists or iterators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from assay.core.columns import import_polars
from assay.core.errors import InputError, count
from assay.io.table.cells import cells
from assay.io.table.open_table import MappingTable, OpenTable, Piece, inside


class FrameTable(OpenTable):
    """Named columns of equal length; a missing value is None in every kind of frame."""

    nested = True

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.names = [str(name) for name in columns]
        self._columns = list(columns.values())
        lengths = {name: len(column) for name, column in zip(self.names, self._columns, strict=True)}
        self._rows = max(lengths.values(), default=0)
        short = next((name for name, length in lengths.items() if length != self._rows), None)
        if short is not None:
            raise InputError(
                f"the table's column {short!r} has {count(lengths[short], 'row')}, but others have {self._rows:,}; "
                "they must match."
            )

    def pieces(self, wanted: Sequence[int], chunk: int) -> Iterator[Piece]:
        for start in range(0, self._rows, chunk):
            stop = min(start + chunk, self._rows)
            columns = [self._column(index, start, stop) for index in wanted]
            yield Piece(columns, range(start + 1, stop + 1), "row")

    def _column(self, index: int, start: int, stop: int) -> list[Any]:
        if index < len(self._columns):
            return _values(self._columns[index], start, stop)
        first, *keys = self.inner[self.names[index]]
        held = self._columns[self.names.index(first)]
        return [inside(value, keys) for value in _values(held, start, stop)]

    def close(self) -> None: ...


class IteratedTable(MappingTable):
    """Rows that come one by one, from a generator or a database; the first one determines the columns."""

    nested, noun = True, "row"

    def __init__(self, rows: Iterator[Any]) -> None:
        mappings = map(_mapping, rows)
        first = list(islice(mappings, 1))
        super().__init__(enumerate(chain(first, mappings), 1), (str(name) for row in first for name in row))


def _mapping(row: Any) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise InputError(f"the rows of a table must be dictionaries, not {type(row).__name__}.")
    return dict(row)


def open_frame(source: Any) -> OpenTable:
    """Return a frame, a mapping of columns, or a list or an iterator of mappings as a table."""
    if isinstance(source, Mapping):
        return FrameTable(source)
    if isinstance(source, Sequence) and not isinstance(source, str | bytes):
        if not all(isinstance(row, Mapping) for row in source):
            raise InputError("a table passed as a list must have one dictionary per row.")
        names = list(source[0]) if source else []
        return FrameTable({name: [row.get(name) for row in source] for name in names})
    if isinstance(source, Iterator):
        return IteratedTable(source)
    if hasattr(source, "collect_schema") and hasattr(source, "collect"):
        source = source.collect()
    if hasattr(source, "iloc"):
        return FrameTable({name: source.iloc[:, index] for index, name in enumerate(source.columns)})
    if hasattr(source, "__arrow_c_stream__"):
        polars = import_polars("an Arrow table")
        frame = source if isinstance(source, polars.DataFrame) else polars.DataFrame(source)
        texts = [
            polars.col(name).cast(polars.String) for name, kind in frame.schema.items() if kind == polars.Categorical
        ]
        return FrameTable(frame.with_columns(texts).to_dict())
    raise InputError(
        "a table must be a path, a polars, pandas or Arrow data frame, a dictionary of columns, or one dictionary per "
        f"row, not {type(source).__name__}."
    )


def _values(column: Any, start: int, stop: int) -> list[Any]:
    if hasattr(column, "iloc"):  # pandas has several missing values, none of which equals itself
        part = column.iloc[start:stop]
        return [None if lost else value for value, lost in zip(part.to_list(), part.isna().to_list(), strict=True)]
    part = column[start:stop]
    if hasattr(part, "to_physical"):
        return cells(part)
    if hasattr(part, "to_list"):
        return list(part.to_list())
    return list(part.tolist() if hasattr(part, "tolist") else part)
