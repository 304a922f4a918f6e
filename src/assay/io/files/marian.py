"""Reader of Marian NMT's binary models, without Marian.

A file starts with a version and the number of tensors. The type of each tensor and the lengths of its name, shape and values
follow. Then come all names, all shapes, a gap and the little-endian values. The settings are one of the tensors: YAML as
bytes. The reader never executes code from the file, verifies every field before using it, and maps the values into memory.
"""

from __future__ import annotations

import math
import mmap
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError
from assay.io.files.tensors import map_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSION, ENCRYPTED = 1, 2
TYPES = {0x404: "<f4", 0x402: "<f2", 0x101: "|i1"}
"""Marian's type numbers and numpy's types; matrices packed for one kind of processor have other numbers."""
SETTINGS = "special:model.yml"
HEADER = struct.Struct("<4Q")
MOST_TENSORS, MOST_NAME, MOST_SHAPE = 100_000, 1000, 8


def read_marian(path: Path) -> tuple[str, dict[str, NDArray[Any]]]:
    """Return the settings and a mapping from names to read-only arrays over the mapped file; reject any other file."""
    import numpy as np

    data = map_file(path, "a binary Marian model")
    try:
        tensors = _tensors(data)
        settings = tensors.pop(SETTINGS).astype(np.uint8).tobytes().rstrip(b"\0").decode("utf-8")
    except (ValueError, KeyError, struct.error) as error:
        reason = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{path} is incomplete or not a binary Marian model: {reason}. Download it again.") from error
    return settings, tensors


def _tensors(data: mmap.mmap) -> dict[str, NDArray[Any]]:
    import numpy as np

    version, count = struct.unpack_from("<2Q", data)
    if version != VERSION:
        raise ValueError("it is encrypted" if version == ENCRYPTED else f"its version is {version}")
    if count > MOST_TENSORS:
        raise ValueError(f"it has {count:,} tensors")
    headers = [HEADER.unpack_from(data, 16 + i * HEADER.size) for i in range(count)]
    at = 16 + count * HEADER.size
    names, shapes = [], []
    for length, _, dimensions, _ in headers:
        if not 0 < length <= MOST_NAME or dimensions > MOST_SHAPE:
            raise ValueError(f"a tensor has a name of {length:,} bytes and {dimensions:,} dimensions")
        names.append(data[at : at + length].rstrip(b"\0").decode("utf-8"))
        at += length
    for _, _, dimensions, _ in headers:
        shapes.append(struct.unpack_from(f"<{dimensions}i", data, at))
        at += 4 * dimensions
    at += 8 + struct.unpack_from("<Q", data, at)[0]
    tensors = {}
    for name, shape, (_, kind, _, size) in zip(names, shapes, headers, strict=True):
        if kind not in TYPES:
            raise ValueError(f"{name} is packed for a specific processor (type {kind:#x})")
        dtype = np.dtype(TYPES[kind])
        if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize > size:
            raise ValueError(f"{name} has {size:,} bytes, too few for its shape {shape}")
        if at + size > len(data):
            raise ValueError(f"{name} ends at byte {at + size:,}, the file at {len(data):,}")
        array = np.frombuffer(data, dtype, math.prod(shape), at).reshape(shape)
        tensors[name] = array if array.flags.aligned else array.copy()
        at += size
    return tensors
