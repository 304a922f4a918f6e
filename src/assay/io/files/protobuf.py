"""Schema-free reader of protocol buffers, the format of sentencepiece models and TensorFlow's indices."""

from __future__ import annotations

from collections.abc import Iterator

_FIXED = {5: 4, 1: 8}
"""Field kinds with a fixed number of bytes."""
_LONGEST = 10
"""Bytes of a 64-bit number."""


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the number that begins at `at` (seven bits per byte) and the position after it."""
    value = 0
    for i, byte in enumerate(data[at : at + _LONGEST]):
        value |= (byte & 127) << (7 * i)
        if byte < 128:
            return value, at + i + 1
    raise ValueError(f"there is no whole number at byte {at:,}")


def fields(data: bytes) -> Iterator[tuple[int, bytes | int]]:
    """Yield the field numbers and values of one message; the caller decodes byte values."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = varint(data, at)
            yield number, value
            continue
        if kind != 2 and kind not in _FIXED:
            raise ValueError(f"field {number} has an unknown kind ({kind})")
        size, at = varint(data, at) if kind == 2 else (_FIXED[kind], at)
        if at + size > len(data):
            raise ValueError("it ends in the middle of a field")
        yield number, data[at : at + size]
        at += size
