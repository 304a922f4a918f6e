"""Reader of a table for the page: Python lists for few rows, a polars frame for many if polars is installed.

A run directory records its column types (`assay.core.view_data.ColumnTypes`), so polars reads its JSON lines directly. Any
other table is read by assay's own reader in parts, and a column whose values share one type becomes a column of a frame. A column
of mixed types stays a list, so no value is converted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.rows import SCORES, SPAN, SPANS
from assay.io.files.text import read_bytes
from assay.io.table.cells import cells
from assay.io.table.column_files import SLICE, ScannedTable
from assay.io.table.formats import open_table
from assay.io.table.objects import JsonTable
from assay.io.table.whole_rows import WholeRows
from assay.viewer.row_format import LISTS, names_by_role, page_columns, page_row, sound_columns
from assay.viewer.rows import SHOWN, Rows, cut

MOST_ROWS, MOST_COLUMNS, MOST_CELLS, MOST_BYTES = 5_000_000, 2_000, 100_000_000, 2 << 30
"""Limits of a table: rows, columns, cells and bytes."""
MANY = 10_000
"""Number of rows from which on polars is imported."""
TYPED = ("jsonl", "json", "parquet", "arrow")
"""Formats with typed values. In other formats, a column is numeric if all its texts are numbers."""


def read_rows(path: Path, about: Mapping[str, Any] | None, columns: Mapping[str, Any] | None = None) -> Rows:
    """Read the rows of a file; `about` is their description in view.json, None for a user's own table.

    Columns of such a table are named after their roles; `columns` maps roles to columns with other names.
    """
    many = int((about or {}).get("rows") or 0) >= MANY
    rows = _read_typed(path, about or {}) if many else None
    rows = rows or _read_scanned(path)
    rows = rows if rows is not None else _read_parts(path, (about or {}).get("columns") or ())
    return rows if about is not None else rows.renamed(_roles(rows.names, columns, path))


def _roles(names: Sequence[str], columns: Mapping[str, Any] | None, path: Path) -> dict[str, str]:
    if not names:
        return {}
    try:
        return names_by_role(names, columns, str(path))
    except InputError:
        if columns:
            raise
        return {}


def first_rows(path: Path, names: Sequence[str], count: int) -> list[dict[str, Any]]:
    """Read the first rows of JSON lines without reading the rest."""
    with open_table(str(path)) as table:
        if not isinstance(table, JsonTable):
            return []
        rows = [row for _, row in islice(table.objects(), count)]
    shown = map(page_row, rows)
    return [{"#": i, **{name: cut(row.get(name), SHOWN) for name in names}} for i, row in enumerate(shown)]


def _read_typed(path: Path, about: Mapping[str, Any]) -> Rows | None:
    """Read JSON lines with polars and the types in view.json; return None if that is not exactly possible."""
    types, names = about.get("types"), about.get("columns")
    if not isinstance(types, Mapping) or not isinstance(names, list) or (pl := _polars()) is None:
        return None
    from assay.viewer.frame import FrameRows

    number = {"start": pl.Int64, "end": pl.Int64, "confidence": pl.Float64}
    span = pl.Struct({name: number.get(name, pl.String) for name in SPAN})
    known = {
        "text": pl.String, "integer": pl.Int64, "number": pl.Float64, "truth": pl.Boolean,
        "texts": pl.List(pl.String), "spans": pl.Struct(dict.fromkeys(about.get("spans") or (), pl.List(span))),
    }  # fmt: skip
    _refuse_large(path, int(about["rows"]), len(names))
    scores = [name for name in about.get("scores") or () if name in names]
    try:
        kinds = {name: known[types.get(name, "texts" if name == "flags" else "text")] for name in names}
        schema: dict[str, Any] = {name: kind for name, kind in kinds.items() if name not in scores}
        if scores:
            schema[SCORES] = pl.Struct({name: kinds[name] for name in scores})
        frame = pl.read_ndjson(read_bytes(path, MOST_BYTES), schema=schema)
        frame = frame.unnest(SCORES) if scores else frame
    except (pl.exceptions.PolarsError, OSError, KeyError, TypeError):
        return None
    nested = [name for name, kind in frame.schema.items() if kind.is_nested() and name not in LISTS]
    if nested or len(frame) != about["rows"]:
        return None
    spans = sound_columns(page_columns({SPANS: frame[SPANS].to_list()})) if SPANS in names else {}
    frame = frame.drop(SPANS, strict=False)
    order = [*names, *(name for name in spans if name not in names)]
    return FrameRows(frame=frame, others=spans, order_of_names=order, scores=tuple(scores))


def _read_scanned(path: Path) -> Rows | None:
    """Read Parquet with polars; columns of types without a plain Python value become lists."""
    with path.open("rb") as file:
        if file.read(4) != b"PAR1" or (pl := _polars()) is None:
            return None  # assay's own reader reports the missing extra
    from assay.viewer.frame import FrameRows

    with open_table(str(path)) as table:
        assert isinstance(table, ScannedTable)
        _refuse_large(path, table.rows_in_all, len(table.names))
        parts, size = [], 0
        for part in table.frames(0, table.rows_in_all, SLICE):
            size += part.estimated_size()
            if size > MOST_BYTES:
                raise _too_large(path, f"{MOST_BYTES >> 30} GiB")
            parts.append(part)
        frame = pl.concat(parts) if parts else pl.DataFrame(schema=table.schema)
    texts = [name for name, kind in frame.schema.items() if kind in (pl.Categorical, pl.Enum)]
    frame = frame.with_columns(pl.col(texts).cast(pl.String)) if texts else frame
    if len(frame) < MANY:
        return None
    plain = (pl.String, pl.Boolean)
    others = [
        name
        for name, kind in frame.schema.items()
        if not (
            kind in plain or kind.is_integer() or kind.is_float() or (name == "flags" and kind == pl.List(pl.String))
        )
    ]
    lists = {name: cells(frame[name], path.name) for name in others}
    if frame.schema.get(SPANS) == pl.String:
        lists[SPANS] = frame[SPANS].to_list()
    shown = sound_columns(page_columns(lists))
    order = [*frame.columns, *(name for name in shown if name not in frame.columns)]
    return FrameRows(frame=frame.drop(lists), others=shown, order_of_names=order)


def _read_parts(path: Path, names: Sequence[str]) -> Rows:
    """Read any table with assay's own reader."""
    with open_table(str(path), most=MOST_BYTES) as table:
        _refuse_large(path, 0, len(table.names))
        rows = WholeRows(table)
        if set(rows.names) <= set(names):
            rows.names = list(names)
        builders, count = [ColumnBuilder(table.form in TYPED) for _ in rows.names], 0
        for part in rows.parts():
            count += len(part.numbers)
            _refuse_large(path, count, len(rows.names))
            for column, values in zip(builders, part.columns, strict=True):
                column.add(values)
    columns: dict[str, Any] = page_columns(
        {name: column.whole() for name, column in zip(rows.names, builders, strict=True)}
    )
    if all(isinstance(column, list) for column in columns.values()):
        return Rows(sound_columns(columns), scores=rows.scores)
    from assay.viewer.frame import FrameRows

    pl = _polars()
    plain = {
        name: column
        for name, column in columns.items()
        if not (isinstance(column, list) or (column.dtype.is_nested() and name not in LISTS))
    }
    others = {
        name: column if isinstance(column, list) else column.to_list()
        for name, column in columns.items()
        if name not in plain
    }
    lists, series = sound_columns(others), [column.alias(name) for name, column in plain.items()]
    return FrameRows(frame=pl.DataFrame(series), others=lists, order_of_names=list(columns), scores=rows.scores)


def _refuse_large(path: Path, rows: int, columns: int) -> None:
    """Raise if a table exceeds the limits of the page."""
    if rows > MOST_ROWS:
        raise _too_large(path, f"{MOST_ROWS:,} rows")
    if columns > MOST_COLUMNS:
        raise _too_large(path, f"{MOST_COLUMNS:,} columns")
    if rows * columns > MOST_CELLS:
        raise _too_large(path, f"{MOST_CELLS:,} cells")


def _too_large(path: Path, what: str) -> InputError:
    return InputError(f"{path} has more than {what}, which is the limit of the page. Select rows with assay filter.")


class ColumnBuilder:
    """A column while a table is read. Large parts are converted to polars at once, so that no column is in memory twice."""

    def __init__(self, typed: bool) -> None:
        self._rows = 0
        self._parts: list[Any] = []
        self._numbers: list[Any] | None = None if typed else []

    def add(self, values: Sequence[Any]) -> None:
        self._rows += len(values)
        if self._numbers is not None:
            try:
                self._numbers.append(_packed([None if cell in (None, "") else float(cell) for cell in values]))
            except (TypeError, ValueError):
                self._numbers = None
        self._parts.append(_packed(list(values)))

    def whole(self) -> Any:
        """Return the column: a polars series if there are many rows of one type, otherwise a list."""
        parts = self._parts if self._numbers is None else self._numbers
        if len(parts) == 1:
            return parts[0]
        if self._rows >= MANY and (pl := _polars()) is not None:
            series = [_series(part) for part in parts]
            whole = all(part is not None for part in series)
            kinds = {part.dtype for part in series if whole and part.dtype != pl.Null}
            if whole and (len(kinds) == 1 or kinds == {pl.Int64, pl.Float64}):
                kind = kinds.pop() if len(kinds) == 1 else pl.Float64
                return pl.concat([part.cast(kind) for part in series], rechunk=True)
        return [value for part in parts for value in part]


def _packed(values: list[Any]) -> Any:
    series = _series(values) if len(values) >= MANY else None
    return values if series is None else series


def _series(values: Any) -> Any:
    """Return values of one type as a polars series; None if there are several types or polars has no such type."""
    if not isinstance(values, list):
        return values
    if (pl := _polars()) is None:
        return None
    kinds = set(map(type, values)) - {type(None)}
    if kinds == {list}:
        kinds = {type(item) for value in values if value is not None for item in value}
        if not kinds <= {str}:
            return None
        return _strict(values, pl.List(pl.String))
    known = {str: pl.String, bool: pl.Boolean, int: pl.Int64, float: pl.Float64}
    if not kinds:
        return pl.Series(values, dtype=pl.Null)
    if kinds == {int, float}:
        return _strict(values, pl.Float64)
    return _strict(values, known[kinds.pop()]) if len(kinds) == 1 and kinds <= known.keys() else None


def _strict(values: list[Any], kind: Any) -> Any:
    try:
        return _polars().Series(values, dtype=kind, strict=kind != _polars().Float64)
    except (_polars().exceptions.PolarsError, TypeError, OverflowError, UnicodeEncodeError):
        return None


def _polars() -> Any:
    try:
        import polars
    except ImportError:
        return None
    return polars
