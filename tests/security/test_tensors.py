"""Files of tensors that lie about themselves: one sentence, no large allocation, no number from outside the file."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.io.files.tensors import read_tensors, write_tensors

GOOD = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


def packed(header: Any, data: bytes = bytes(8)) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data


def one(**changed: Any) -> bytes:
    return packed({"a": GOOD | changed})


LIES = {
    "empty": (b"", "fewer than eight bytes"),
    "no header": (b"\x10" + bytes(7), "header has 16 bytes"),
    "a huge header": (b"\xff" * 8 + b"{}", "header has 18,446,744,073,709,551,615 bytes"),
    "a large header": ((1 << 21).to_bytes(8, "little") + b" " * (1 << 21), "header has 2,097,152 bytes"),
    "no JSON": (packed(b"tensors"), "Expecting value"),
    "no UTF-8": (packed(b'{"\xff": 1}'), "can't decode"),
    "too deep": (packed(b"[" * 100_000), "nested more than 100 deep"),
    "a list": (packed([GOOD]), "its header is not a JSON object"),
    "no fields": (packed({"a": {}}), "'a' must have exactly dtype, shape and data_offsets"),
    "more fields": (one(code="import os"), "must have exactly"),
    "an unknown type": (one(dtype="PICKLE"), "'a' has the type 'PICKLE'; supported: F32, "),
    "a type that is a list": (one(dtype=["F32"]), "has the type"),
    "another type": (one(dtype="F16"), "has 8 bytes, which does not fit its type and shape"),
    "a negative shape": (one(shape=[-2]), "not lists of whole numbers"),
    "a broken shape": (one(shape=[2.0]), "not lists of whole numbers"),
    "a shape of truths": (one(shape=[True, 2]), "not lists of whole numbers"),
    "a huge shape": (one(shape=[2**40, 2**40]), "which does not fit its type and shape"),
    "a shape beyond 64 bits": (one(shape=[2**70, 0], data_offsets=[0, 0]), "not lists of whole numbers"),
    "many dimensions": (one(shape=[1] * 40 + [2]), "not lists of whole numbers"),
    "three places": (one(data_offsets=[0, 4, 8]), "not lists of whole numbers"),
    "places turned round": (one(data_offsets=[8, 0]), "which does not fit its type and shape"),
    "a place before the data": (one(data_offsets=[-8, 0]), "not lists of whole numbers"),
    "a place behind the file": (one(data_offsets=[8, 16]), "'a' begins at 8, expected 0"),
    "too short": (packed({"a": GOOD}, bytes(7)), "tensors have 8 bytes, the file has 7"),
    "too long": (packed({"a": GOOD}, bytes(9)), "tensors have 8 bytes, the file has 9"),
    "two in one place": (packed({"a": GOOD, "b": GOOD}), "begins at 0, expected 8"),
    "two that overlap": (packed({"a": GOOD, "b": GOOD | {"data_offsets": [4, 12]}}, bytes(12)), "'b' begins at 4"),
    "a hole": (packed({"a": GOOD, "b": GOOD | {"data_offsets": [12, 20]}}, bytes(20)), "'b' begins at 12"),
    "at an odd place": (
        packed({"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}, "b": GOOD | {"data_offsets": [1, 9]}}, bytes(9)),
        "'b' is not aligned to its type",
    ),
    "a name of many lines": (packed({"a\nassay: all is well": {}}), r"'a\\nassay: all is well' must have exactly"),
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_one_sentence(tmp_path: Path, lie: str) -> None:
    content, told = LIES[lie]
    path = tmp_path / "a.safetensors"
    path.write_bytes(content)
    tracemalloc.start()
    with pytest.raises(InputError, match=told) as caught:
        read_tensors(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    message = str(caught.value)
    assert message.startswith(f"{path} is not a safetensors file: ") and "\n" not in message and len(message) < 400
    assert most < 1 << 24


def test_every_damage_is_refused_in_one_line_or_changes_numbers_only(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    write_tensors(path, {"a": np.arange(6, dtype=np.float32), "b": np.arange(8, dtype=np.int8).reshape(2, 4)})
    whole, draw, refused = path.read_bytes(), random.Random(1), 0
    damaged = [whole[:size] for size in range(0, len(whole), 7)]
    for _ in range(400):
        flipped = bytearray(whole)
        for _ in range(draw.choice((1, 2, 8))):
            flipped[draw.randrange(len(flipped))] ^= 1 << draw.randrange(8)
        damaged.append(bytes(flipped))
    for content in damaged:
        path.write_bytes(content)
        try:
            found = read_tensors(path)
        except InputError as error:
            refused += 1
            assert "\n" not in str(error)
        else:
            assert sum(array.nbytes for array in found.values()) == 32
    assert refused > 200
