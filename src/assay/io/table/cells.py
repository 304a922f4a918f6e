"""Values of a polars column as Python has them, dates beyond its range included.

Parquet and Arrow hold dates of millions of years; Python's dates end in year 9999, and polars panics on others.
"""

from __future__ import annotations

from typing import Any

from assay.core.errors import InputError
from assay.io.files.panics import without_panics


def is_plain(kind: object) -> bool:
    """Return whether a polars type has no dates in it."""
    return not str(kind).startswith(("Date", "Duration", "List", "Array", "Struct"))


def cells(series: Any, where: str = "") -> list[Any]:
    """Return the values of a column; if a date lies beyond Python's range, all dates of these rows as texts (ISO 8601)."""
    kind = str(series.dtype)
    if is_plain(kind):
        return list(series.to_list())
    try:
        with without_panics(InputError):
            return list(series.to_list())
    except (InputError, OverflowError, ValueError) as error:
        if kind.startswith("Date"):
            return _dates(series)
        name = f"{where}: column {series.name!r}" if where else f"column {series.name!r}"
        raise InputError(
            f"{name} has a date or duration beyond Python's range. Leave the column out, or write texts."
        ) from error


def _dates(series: Any) -> list[str | None]:
    """Dates and times as texts, by numpy, whose years have no end."""
    import numpy as np

    unit = "D" if str(series.dtype) == "Date" else series.dtype.time_unit
    zone = "+00:00" if getattr(series.dtype, "time_zone", None) else ""
    numbers = series.to_physical().to_list()
    times = np.array([0 if number is None else number for number in numbers], f"datetime64[{unit}]")
    texts = np.datetime_as_string(times).tolist()
    return [None if number is None else text + zone for number, text in zip(numbers, texts, strict=True)]
