"""Reader of TensorFlow checkpoints ("tensor bundles"), without TensorFlow.

``variables.index`` is a LevelDB table: blocks of sorted names, each with a small protocol buffer that holds type, shape and
position. A block may be compressed with Snappy, and is followed by its checksum. ``variables.data-00000-of-00001`` contains
the plain values. The reader never executes code from the file, verifies every field before using it, and maps the values
into memory.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError
from assay.io.files.protobuf import fields, varint
from assay.io.files.snappy import decompress

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAGIC = 0xDB4775248B80FB57
FOOTER = 48
MOST = 1 << 26
"""Bytes of an index or of one of its blocks: a hundred per tensor, so more than half a million tensors."""
TYPES = {1: "<f4", 2: "<f8", 3: "<i4", 9: "<i8", 19: "<f2"}
"""TensorFlow's type numbers and numpy's types; bfloat16 (14) is widened."""
BFLOAT16 = 14


@dataclass(frozen=True, slots=True)
class BundleEntry:
    """Position and type of a tensor."""

    kind: int
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    sliced: bool


def read_bundle(prefix: Path) -> dict[str, NDArray[Any]]:
    """Return a mapping from names to read-only arrays for the checkpoint ``PREFIX.index``, skipping string tensors."""
    index = prefix.with_name(prefix.name + ".index")
    try:
        raw = index.read_bytes() if index.stat().st_size <= MOST else b""
    except OSError as error:
        raise InputError(f"{index} cannot be read: {error.strerror or error}.") from error
    try:
        shards, entries = _entries(raw)
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(
            f"{index} is incomplete or is not the index of a TensorFlow checkpoint: {error}. Download it again."
        ) from error
    tensors: dict[str, NDArray[Any]] = {}
    opened: dict[int, NDArray[Any]] = {}
    for name, entry in entries.items():
        if entry.kind not in TYPES and entry.kind != BFLOAT16:
            continue
        if entry.sliced:
            raise InputError(f"{index}: {name} is split into slices, which assay cannot join. Save it without slices.")
        if not 0 <= entry.shard < shards:
            raise InputError(
                f"{index}: {name} is in shard {entry.shard} of {shards}. The index is damaged; download it again."
            )
        path = prefix.with_name(f"{prefix.name}.data-{entry.shard:05d}-of-{shards:05d}")
        if entry.shard not in opened:
            opened[entry.shard] = _map_shard(path)
        tensors[name] = _tensor(name, entry, opened[entry.shard], path)
    return tensors


def _map_shard(path: Path) -> NDArray[Any]:
    import numpy as np

    try:
        return np.memmap(path, np.uint8, "r") if path.stat().st_size else np.empty(0, np.uint8)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error


def _tensor(name: str, entry: BundleEntry, data: NDArray[Any], path: Path) -> NDArray[Any]:
    import numpy as np

    dtype = np.dtype(TYPES.get(entry.kind, "<u2"))
    if entry.size != math.prod(entry.shape) * dtype.itemsize:
        raise InputError(
            f"{path}: {name} has {entry.size:,} bytes, which does not fit its type and shape. Download it again."
        )
    if entry.offset + entry.size > len(data):
        raise InputError(
            f"{path} is incomplete: {name} ends at byte {entry.offset + entry.size:,}, but the file at "
            f"{len(data):,}. Download it again."
        )
    plain = data[entry.offset : entry.offset + entry.size].view(dtype)
    if entry.kind == BFLOAT16:
        plain = (plain.astype(np.uint32) << 16).view(np.float32)
    return plain.reshape(entry.shape)


def _entries(raw: bytes) -> tuple[int, dict[str, BundleEntry]]:
    """Return the number of shards and a mapping from tensor names to entries."""
    if len(raw) < FOOTER or struct.unpack("<Q", raw[-8:])[0] != MAGIC:
        raise ValueError("its last bytes are wrong")
    at = len(raw) - FOOTER
    for _ in range(3):  # the handle of the metaindex block (offset, size), then that of the index block
        offset, at = varint(raw, at)
    size, _ = varint(raw, at)
    shards, entries = 0, {}
    for _, handle in _pairs(_block(raw, offset, size)):
        start, after = varint(handle, 0)
        length, _ = varint(handle, after)
        for key, value in _pairs(_block(raw, start, length)):
            if key:
                entries[key.decode("utf-8")] = _entry(value)
                continue
            header = dict(fields(value))
            if header.get(2, 0):
                raise ValueError("its numbers are big-endian")
            shards = _checked_number(header.get(1, 0))
    if not 0 < shards <= 99_999:
        raise ValueError("it has no valid number of parts")
    return shards, entries


def _block(raw: bytes, offset: int, size: int) -> bytes:
    """Return a block's content, verified by its checksum and decompressed if necessary."""
    end = offset + size
    if end + 5 > len(raw):
        raise ValueError("a block exceeds the file")
    if _masked(crc32c(raw[offset : end + 1])) != struct.unpack("<I", raw[end + 1 : end + 5])[0]:
        raise ValueError("the checksum of a block is wrong")
    if raw[end] > 1:
        raise ValueError(f"a block has an unknown compression ({raw[end]})")
    return decompress(raw[offset:end], MOST) if raw[end] else raw[offset:end]


def _pairs(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the keys and values of a block. A key shares a prefix with the previous one; the restart points at the end are
    skipped."""
    if len(block) < 4:
        raise ValueError("a block is too short")
    end = len(block) - 4 * (1 + struct.unpack("<I", block[-4:])[0])
    if end < 0:
        raise ValueError("a block has more restarts than bytes")
    at, key = 0, b""
    while at < end:
        shared, at = varint(block, at)
        own, at = varint(block, at)
        size, at = varint(block, at)
        if shared > len(key) or at + own + size > end:
            raise ValueError("an entry exceeds its block")
        key = key[:shared] + block[at : at + own]
        yield key, block[at + own : at + own + size]
        at += own + size


def _entry(value: bytes) -> BundleEntry:
    members = list(fields(value))
    plain = dict(members)
    shape = []
    inside = plain.get(2, b"")
    for number, dimension in fields(inside if isinstance(inside, bytes) else b""):
        if number == 2 and isinstance(dimension, bytes):
            shape.append(_checked_number(dict(fields(dimension)).get(1, 0)))
    return BundleEntry(
        _checked_number(plain.get(1, 0)),
        tuple(shape),
        _checked_number(plain.get(3, 0)),
        _checked_number(plain.get(4, 0)),
        _checked_number(plain.get(5, 0)),
        7 in plain,
    )


def _checked_number(value: bytes | int) -> int:
    if not isinstance(value, int) or value >= 1 << 48:
        raise ValueError("a size or position is not a valid number")
    return value


def _masked(checksum: int) -> int:
    """Return a checksum as LevelDB stores it, rotated and offset."""
    return ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _table() -> tuple[int, ...]:
    table = []
    for number in range(256):
        value = number
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return tuple(table)


_CRC = _table()


def crc32c(data: bytes) -> int:
    """Return the Castagnoli checksum, which the standard library lacks."""
    value = 0xFFFFFFFF
    for byte in data:
        value = _CRC[(value ^ byte) & 255] ^ value >> 8
    return value ^ 0xFFFFFFFF
