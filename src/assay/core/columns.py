"""Named columns that do not depend on a data frame library, and their conversion to plain values and to polars."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from assay.core.errors import MissingPart

if TYPE_CHECKING:
    import polars

Columns = Mapping[str, Any]
"""Columns of equal length by name: lists, ranges or arrays."""


def import_polars(what: str) -> ModuleType:
    """Import polars, an optional dependency that is larger than all others combined; `what` requires it."""
    try:
        import polars
    except ImportError as error:
        raise MissingPart(f"{what} needs the extra 'parquet': pip install 'mt-assay[parquet]'") from error
    return polars


def polars_frame(columns: Columns, what: str = "to_polars()") -> polars.DataFrame:
    """Return the columns as a polars frame; columns of mixed types are allowed."""
    frame: polars.DataFrame = import_polars(what).DataFrame(dict(columns), strict=False)
    return frame


def by_column(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return rows as columns, with None for values that a row lacks."""
    listed = list(rows)
    return {name: [row.get(name) for row in listed] for name in dict.fromkeys(name for row in listed for name in row)}


def joined(parts: Sequence[Columns]) -> dict[str, Any]:
    """Concatenate columns by name, with None for columns that a part lacks."""
    import numpy as np

    lengths = [len(next(iter(part.values()), ())) for part in parts]
    result: dict[str, Any] = {}
    for name in dict.fromkeys(name for part in parts for name in part):
        columns: list[Any] = [part.get(name) for part in parts]
        if all(isinstance(column, np.ndarray) for column in columns):
            result[name] = np.concatenate(columns)
        else:
            result[name] = [
                value
                for column, length in zip(columns, lengths, strict=True)
                for value in ([None] * length if column is None else plain_list(column))
            ]
    return result


def plain(value: Any) -> Any:
    """Convert a value for JSON: numpy numbers become Python numbers, NaN and infinity null, dates and bytes text."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def plain_list(column: Sequence[Any]) -> list[Any]:
    """Return a column as a list of Python values."""
    values: list[Any] = column.tolist() if hasattr(column, "tolist") else list(column)
    return values
