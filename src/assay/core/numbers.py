"""Parser for numbers in files: which cells and JSON values count as numbers."""

from __future__ import annotations


def to_number(value: object) -> float | None:
    """Return a cell or JSON value as a number, including infinity and NaN; None for any other value.

    Text must be ASCII decimal notation with an optional exponent, ``nan`` or ``inf``. Other notations that ``float`` accepts
    (``1_000``, digits of other scripts) are not numbers, because they usually have a different meaning. Integers too large
    for a float are not numbers either, and true and false are not 1 and 0.
    """
    if type(value) is float:
        return value
    if type(value) is str:
        if "_" in value or not value.isascii():
            return None
    elif isinstance(value, bool) or not hasattr(value, "__float__"):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def to_whole(value: object) -> int | None:
    """Return a cell (``12``) or JSON value (12, 12.0) as an integer; None for any other value."""
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    text = value.strip() if isinstance(value, str) else ""
    digits = text.removeprefix("-")
    return int(text) if len(digits) < 20 and digits.isascii() and digits.isdecimal() else None
