"""Reader and writer for arrays in the safetensors format, using only numpy.

A file contains eight bytes with the length of the header, the header (JSON: name to type, shape and position), and the
little-endian values. The reader never executes code from the file, verifies every field before using it, and maps the values
into memory.
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError
from assay.io.documents import decode
from assay.io.files.atomic import atomic_write

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Tensors = Mapping[str, NDArray[Any]]

TYPES = {
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "U32": "<u4",
    "I16": "<i2",
    "U16": "<u2",
    "I8": "|i1",
    "U8": "|u1",
}
"""The format's type names and numpy's types; types that assay does not write are refused."""
MOST_HEADER = 1 << 20
"""Bytes of a header: a hundred per tensor, so ten thousand tensors."""
ALIGNED = 64
METADATA = "__metadata__"


def write_tensors(path: Path, tensors: Tensors) -> None:
    """Write arrays by decreasing item size, which keeps all values aligned, then by name."""
    import numpy as np

    names = {numpy: ours for ours, numpy in TYPES.items()}
    plain = {name: np.ascontiguousarray(array, array.dtype.newbyteorder("<")) for name, array in tensors.items()}
    order = sorted(plain, key=lambda name: (-plain[name].itemsize, name))
    header, at = {}, 0
    for name in order:
        end = at + plain[name].nbytes
        shape = list(tensors[name].shape)
        header[name] = {"dtype": names[plain[name].dtype.str], "shape": shape, "data_offsets": [at, end]}
        at = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % ALIGNED)
    with atomic_write(path) as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in order:
            file.write(plain[name].tobytes())


def map_file(path: Path, kind: str = "a safetensors file") -> mmap.mmap:
    """Map the bytes of a file into memory, read-only."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size < 8:
                raise InputError(f"{path} is not {kind}: it has fewer than eight bytes.")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error


def read_tensors(path: Path, data: mmap.mmap | None = None) -> dict[str, NDArray[Any]]:
    """Return a mapping from names to read-only arrays over the mapped file; reject a malformed file."""
    data = map_file(path) if data is None else data
    try:
        return _tensors(data)
    except ValueError as error:
        raise InputError(f"{path} is not a safetensors file: {' '.join(str(error).split()).rstrip('.')}.") from error


def _tensors(data: mmap.mmap) -> dict[str, NDArray[Any]]:
    import numpy as np

    length = int.from_bytes(data[:8], "little")
    if length > min(MOST_HEADER, len(data) - 8):
        raise ValueError(f"its header has {length:,} bytes")
    header = decode(data[8 : 8 + length].decode("utf-8"))
    if not isinstance(header, dict):
        raise ValueError("its header is not a JSON object")
    header.pop(METADATA, None)
    start = 8 + length
    entries = sorted((_entry(name, fields, start) for name, fields in header.items()), key=lambda entry: entry[1:3])
    expected = 0
    for name, begin, end, *_ in entries:
        if begin != expected:
            raise ValueError(f"{name!r} begins at {begin:,}, expected {expected:,}")
        expected = end
    if expected != len(data) - start:
        raise ValueError(f"its tensors have {expected:,} bytes, the file has {len(data) - start:,} for them")
    return {
        name: np.frombuffer(data, dtype, math.prod(shape), start + begin).reshape(shape)
        for name, begin, _, dtype, shape in entries
    }


def _entry(name: str, fields: Any, start: int) -> tuple[str, int, int, np.dtype[Any], tuple[int, ...]]:
    """Return a tensor's name, start, end, type and shape."""
    import numpy as np

    if not isinstance(fields, dict) or fields.keys() != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"{name[:80]!r} must have exactly dtype, shape and data_offsets")
    kind, shape, offsets = fields["dtype"], fields["shape"], fields["data_offsets"]
    if not isinstance(kind, str) or kind not in TYPES:
        raise ValueError(f"{name[:80]!r} has the type {str(kind)[:20]!r}; supported: {', '.join(TYPES)}")
    if not _whole_numbers(shape) or len(shape) > 8 or not _whole_numbers(offsets) or len(offsets) != 2:
        raise ValueError(f"shape and data_offsets of {name[:80]!r} are not lists of whole numbers")
    dtype = np.dtype(TYPES[kind])
    begin, end = offsets
    if end - begin != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"{name[:80]!r} has {end - begin:,} bytes, which does not fit its type and shape")
    if (start + begin) % dtype.itemsize:
        raise ValueError(f"{name[:80]!r} is not aligned to its type")
    return name, begin, end, dtype, tuple(shape)


def _whole_numbers(value: object) -> bool:
    """Return whether a value is a list of integers that are plausible in a file."""
    return isinstance(value, list) and all(type(one) is int and 0 <= one < 1 << 48 for one in value)
