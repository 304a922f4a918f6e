"""Arrays in files, beside the safetensors library: what one writes the other reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.io.files.tensors import TYPES, map_file, read_tensors, write_tensors

theirs = pytest.importorskip("safetensors.numpy")


def arrays() -> dict[str, np.ndarray]:
    draw = np.random.default_rng(3)
    made = {kind: (100 * draw.standard_normal((3, 5))).astype(dtype) for kind, dtype in TYPES.items()}
    made |= {"empty": np.zeros((0, 4), np.float32), "one": np.float32([7]), "plain": np.array(7, np.int32)}
    return made | {"naïve": np.uint8([1, 2, 3])}


def equal(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> None:
    assert found.keys() == wanted.keys()
    for name, array in wanted.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array, strict=True)


def test_the_library_reads_what_we_write(tmp_path: Path) -> None:
    write_tensors(tmp_path / "a.safetensors", arrays())
    equal(theirs.load_file(tmp_path / "a.safetensors"), arrays())


def test_we_read_what_the_library_writes(tmp_path: Path) -> None:
    theirs.save_file(arrays(), tmp_path / "a.safetensors", metadata={"format": "np"})
    equal(read_tensors(tmp_path / "a.safetensors"), arrays())


def test_the_same_arrays_are_the_same_bytes_and_lie_on_their_sizes(tmp_path: Path) -> None:
    write_tensors(tmp_path / "a", arrays())
    write_tensors(tmp_path / "b", dict(reversed(arrays().items())))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert all(array.flags.aligned for array in read_tensors(tmp_path / "a").values())


def test_what_is_read_cannot_be_written_to(tmp_path: Path) -> None:
    write_tensors(tmp_path / "a", arrays())
    found = read_tensors(tmp_path / "a")
    with pytest.raises(ValueError, match="read-only"):
        found["one"][0] = 1
    assert len(map_file(tmp_path / "a")) == (tmp_path / "a").stat().st_size


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="absent cannot be read: No such file or directory"):
        read_tensors(tmp_path / "absent")
