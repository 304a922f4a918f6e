"""Rows as columns by name, before anybody says which library they are for; frames of polars come with an extra."""

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
    """polars, for `what`; a plain install is without it, since it is larger than all the rest together."""
    try:
        import polars
    except ImportError as error:
        raise MissingPart(f"{what} needs the extra 'parquet': pip install 'mt-assay[parquet]'") from error
    return polars


def polars_frame(columns: Columns, what: str = "to_polars()") -> polars.DataFrame:
    """The columns as a frame of polars; a column of mixed types is no fault."""
    frame: polars.DataFrame = import_polars(what).DataFrame(dict(columns), strict=False)
    return frame


def by_column(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Rows with named values as columns; None where a row lacks a name."""
    listed = list(rows)
    return {name: [row.get(name) for row in listed] for name in dict.fromkeys(name for row in listed for name in row)}


def joined(parts: Sequence[Columns]) -> dict[str, Any]:
    """Columns below one another; None where a part lacks one."""
    import numpy as np

    lengths = [len(next(iter(part.values()), ())) for part in parts]
    whole: dict[str, Any] = {}
    for name in dict.fromkeys(name for part in parts for name in part):
        found: list[Any] = [part.get(name) for part in parts]
        if all(isinstance(column, np.ndarray) for column in found):
            whole[name] = np.concatenate(found)
        else:
            whole[name] = [
                value
                for column, length in zip(found, lengths, strict=True)
                for value in ([None] * length if column is None else plain_list(column))
            ]
    return whole


def plain(value: Any) -> Any:
    """Return a value that JSON can hold: numpy's numbers as Python's, NaN and infinities as null, dates and bytes as text."""
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
    """A column as a list of Python's own values."""
    listed: list[Any] = column.tolist() if hasattr(column, "tolist") else list(column)
    return listed
