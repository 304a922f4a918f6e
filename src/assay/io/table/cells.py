"""Conversion of polars columns to Python values, with dates beyond Python's range as text.

Parquet and Arrow dates may be millions of years away. Python's dates end in the year 9999, and polars panics on others, so
the range is checked before polars converts a column.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from assay.core.errors import InputError

_EPOCH = date(1970, 1, 1).toordinal()
_DAYS = (date.min.toordinal() - _EPOCH, date.max.toordinal() - _EPOCH)
"""Python's first and last day, counted from 1970."""
_PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}


def is_plain(kind: object) -> bool:
    """Return whether a polars type contains no dates."""
    return not str(kind).startswith(("Date", "Duration", "List", "Array", "Struct"))


def cells(series: Any, where: str = "") -> list[Any]:
    """Return the values of a column; if one date is beyond Python's range, all dates in these rows become text (ISO 8601)."""
    kind = str(series.dtype)
    if is_plain(kind):
        return list(series.to_list())
    try:
        if _in_range(series):
            return list(series.to_list())
    except (OverflowError, ValueError):  # a time zone may shift a date out of the range
        pass
    if kind.startswith("Date"):
        return _dates(series)
    name = f"{where}: column {series.name!r}" if where else f"column {series.name!r}"
    raise InputError(f"{name} has a date or duration beyond Python's range. Remove the column, or convert it to text.")


def _in_range(series: Any) -> bool:
    """Return whether Python can represent every date and duration in a column, also inside lists and objects."""
    kind = str(series.dtype)
    if kind.startswith(("List", "Array")):
        return _in_range(series.explode())
    if kind.startswith("Struct"):
        return all(_in_range(field) for field in series.struct.unnest())
    if is_plain(kind) or not series.count():
        return True
    numbers = series.to_physical()
    if kind == "Date":
        first, last = _DAYS
    else:
        second = _PER_SECOND[series.dtype.time_unit]
        last = timedelta.max.days * 86_400 * second
        first = -last
        if kind.startswith("Datetime"):
            first, last = _DAYS[0] * 86_400 * second, (_DAYS[1] + 1) * 86_400 * second - 1
    return bool(first <= numbers.min() and numbers.max() <= last)


def _dates(series: Any) -> list[str | None]:
    """Return dates and times as text, using numpy, whose years are unlimited."""
    import numpy as np

    unit = "D" if str(series.dtype) == "Date" else series.dtype.time_unit
    zone = "+00:00" if getattr(series.dtype, "time_zone", None) else ""
    numbers = series.to_physical().to_list()
    times = np.array([0 if number is None else number for number in numbers], f"datetime64[{unit}]")
    texts = np.datetime_as_string(times).tolist()
    return [None if number is None else text + zone for number, text in zip(numbers, texts, strict=True)]
