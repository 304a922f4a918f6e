"""Plain arrays on disk in the safetensors format: an 8-byte length, a JSON header, raw little-endian data; mapped, not loaded."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.io.documents import decode
from assay.io.files.atomic import atomic_write

_DTYPES = {
    "U8": "|u1",
    "I8": "|i1",
    "U16": "<u2",
    "I16": "<i2",
    "F16": "<f2",
    "U32": "<u4",
    "I32": "<i4",
    "F32": "<f4",
    "I64": "<i8",
    "F64": "<f8",
}
_CODES = {np.dtype(dtype): code for code, dtype in _DTYPES.items()}
Arrays = dict[str, NDArray[Any]]


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]], note: str = "") -> None:
    """Write arrays under their names, the widest types first so that each lies at a multiple of its size."""
    header: dict[str, Any] = {"__metadata__": {"note": note}} if note else {}
    ordered = sorted(arrays.items(), key=lambda pair: (-pair[1].dtype.itemsize, pair[0]))
    at = 0
    for name, array in ordered:
        header[name] = {
            "dtype": _CODES[array.dtype.newbyteorder("<")],
            "shape": list(array.shape),
            "data_offsets": [at, at + array.nbytes],
        }
        at += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as out:
        out.write(len(text).to_bytes(8, "little") + text)
        for _, array in ordered:
            out.write(memoryview(np.ascontiguousarray(array)).cast("B") if array.size else b"")


def map_arrays(path: Path) -> Arrays:
    """The arrays of a file, mapped into memory; a header that does not fit the file is refused."""
    return read_arrays(path)[0]


def read_arrays(path: Path) -> tuple[Arrays, str]:
    """The arrays of a file, mapped, and the note in its header."""
    try:
        data = np.memmap(path, np.uint8, "r")
        size = int.from_bytes(data[:8].tobytes(), "little")
        header = decode(data[8 : 8 + size].tobytes().decode())
        note = str(header.pop("__metadata__", {}).get("note", ""))
        return {name: _array(data, 8 + size, **entry) for name, entry in header.items()}, note
    except FileNotFoundError:
        raise InputError(f"there is no {path}.") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{path} is damaged ({str(error).rstrip('.')}). Remove it and make it again.") from error


def _array(
    data: NDArray[np.uint8], base: int, *, dtype: str, shape: list[int], data_offsets: tuple[int, int]
) -> NDArray[Any]:
    start, end = data_offsets
    kind = np.dtype(_DTYPES[dtype])
    if not (0 <= start <= end <= len(data) - base and end - start == kind.itemsize * math.prod(shape)):
        raise ValueError("a tensor lies outside the file")
    return data[base + start : base + end].view(kind).reshape(shape)
