"""The one reading of numbers that stand in files."""

from __future__ import annotations


def to_number(value: object) -> float | None:
    """The number that a cell or a JSON value is, infinite and NaN ones included; None for anything else.

    Text is ASCII decimal notation, with an exponent or none, and ``nan`` or ``inf`` as Python writes them. What ``float`` takes
    beyond that (``1_000``, digits of other scripts) is no number: a tool that wrote it meant something else. A whole number too
    large for a float is none either, and true and false are not 1 and 0.
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
    """The whole number that a cell (``12``) or a JSON value (12, 12.0) is; None for anything else."""
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    text = value.strip() if isinstance(value, str) else ""
    digits = text.removeprefix("-")
    return int(text) if len(digits) < 20 and digits.isascii() and digits.isdecimal() else None
