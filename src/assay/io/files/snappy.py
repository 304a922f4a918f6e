"""Decompression of Snappy's raw format, in which TensorFlow used to write the indices of its checkpoints.

The data consists of a length followed by elements: literal bytes, or copies of earlier bytes. An index is only a few
kilobytes long, so plain Python suffices.
"""

from __future__ import annotations

from assay.io.files.protobuf import varint


def decompress(data: bytes, most: int) -> bytes:
    """Return the decompressed bytes; reject inconsistent data and results longer than `most`."""
    length, at = varint(data, 0)
    if length > most:
        raise ValueError(f"its decompressed size is {length:,} bytes")
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            at = _literal(data, at, tag >> 2, out)
            continue
        extra = (0, 1, 2, 4)[tag & 3]
        tail = int.from_bytes(data[at : at + extra], "little")
        short = tag & 3 == 1
        size = 4 + (tag >> 2 & 7) if short else 1 + (tag >> 2)
        back = (tag >> 5) << 8 | tail if short else tail
        at += extra
        if at > len(data) or not 0 < back <= len(out):
            raise ValueError("a copy refers to bytes that do not exist")
        while size:
            piece = out[len(out) - back :][:size]
            out += piece
            size -= len(piece)
        if len(out) > length:
            break
    if len(out) != length:
        raise ValueError(f"it decompresses to {len(out):,} bytes, not {length:,}")
    return bytes(out)


def _literal(data: bytes, at: int, size: int, out: bytearray) -> int:
    """Copy literal bytes. The tag holds lengths up to 60; longer ones follow in one to four bytes."""
    if size >= 60:
        wide = size - 59
        size = int.from_bytes(data[at : at + wide], "little")
        at += wide
    end = at + size + 1
    if end > len(data):
        raise ValueError("it ends before its last byte")
    out += data[at:end]
    return end
