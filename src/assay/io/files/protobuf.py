"""Protocol buffers, read field by field without a schema: what sentencepiece models and TensorFlow's indices are written in."""

from __future__ import annotations

from collections.abc import Iterator

_FIXED = {5: 4, 1: 8}
"""Kinds of fields with a fixed number of bytes."""
_LONGEST = 10
"""Bytes of a number of 64 bits."""


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that begins at `at`, seven bits a byte, and where it ends."""
    value = 0
    for i, byte in enumerate(data[at : at + _LONGEST]):
        value |= (byte & 127) << (7 * i)
        if byte < 128:
            return value, at + i + 1
    raise ValueError(f"there is no whole number at byte {at:,}")


def fields(data: bytes) -> Iterator[tuple[int, bytes | int]]:
    """Field numbers and values of one message; what is inside a value of bytes is the reader's to know."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = varint(data, at)
            yield number, value
            continue
        if kind != 2 and kind not in _FIXED:
            raise ValueError(f"field {number} is of a kind ({kind}) that there is not")
        size, at = varint(data, at) if kind == 2 else (_FIXED[kind], at)
        if at + size > len(data):
            raise ValueError("it ends in the middle of a field")
        yield number, data[at : at + size]
        at += size
