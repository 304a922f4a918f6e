"""TensorFlow's checkpoints: files that TensorFlow wrote, an index compressed by hand, and what is refused."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.io.files.snappy import decompress
from assay.io.files.tensor_bundle import MAGIC, _entries, _masked, crc32c, read_bundle
from tests.models.bleurt_folders import FIXTURES


def varint(number: int) -> bytes:
    out = b""
    while number >= 128:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def block(pairs: list[tuple[bytes, bytes]], *, snappy: bool = False) -> bytes:
    """A block with its kind and checksum; compressed as one literal, which is all that snappy must be."""
    plain = b"".join(b"\0" + varint(len(key)) + varint(len(value)) + key + value for key, value in pairs)
    plain += struct.pack("<II", 0, 1)
    if snappy:
        size = len(plain) - 1
        tag = (
            bytes([size << 2])
            if size < 60
            else bytes([60 << 2, size])
            if size < 256
            else bytes([61 << 2]) + struct.pack("<H", size)
        )
        plain = varint(len(plain)) + tag + plain
    whole = plain + bytes([snappy])
    return whole + struct.pack("<I", _masked(crc32c(whole)))


def index(entries: dict[bytes, bytes], *, snappy: bool = False) -> bytes:
    data = block([(b"", b"\x08\x01"), *sorted(entries.items())], snappy=snappy)
    meta = block([])
    blocks = block([(b"z", varint(0) + varint(len(data) - 5))])
    handles = varint(len(data)) + varint(len(meta) - 5) + varint(len(data) + len(meta)) + varint(len(blocks) - 5)
    return data + meta + blocks + handles.ljust(40, b"\0") + struct.pack("<Q", MAGIC)


def entry(kind: int, shape: list[int], offset: int, size: int, extra: bytes = b"") -> bytes:
    dims = b"".join(b"\x12" + varint(len(varint(n)) + 1) + b"\x08" + varint(n) for n in shape)
    return (
        b"\x08"
        + varint(kind)
        + b"\x12"
        + varint(len(dims))
        + dims
        + b"\x20"
        + varint(offset)
        + b"\x28"
        + varint(size)
        + extra
    )


def written(place: Path, entries: dict[bytes, bytes], data: bytes, *, snappy: bool = False) -> Path:
    (place / "v.index").write_bytes(index(entries, snappy=snappy))
    (place / "v.data-00000-of-00001").write_bytes(data)
    return place / "v"


def test_the_checksum_is_castagnolis() -> None:
    """RFC 3720, B.4: 32 bytes of zeroes, of ones, and 0 to 31."""
    assert (
        crc32c(bytes(32)) == 0x8A9136AA
        and crc32c(b"\xff" * 32) == 0x62A8AB43
        and crc32c(bytes(range(32))) == 0x46DD794E
    )


def test_snappy_copies_what_came_before() -> None:
    """By hand: a literal "abc", a copy of 6 from 3 back (overlapping itself), a copy of 4 from 9 back in two bytes."""
    assert (
        decompress(bytes([13, 2 << 2]) + b"abc" + bytes([1 | 2 << 2, 3]) + bytes([2 | 3 << 2, 9, 0]), 99)
        == b"abcabcabcabca"
    )
    long = b"x" * 300
    assert decompress(varint(300) + bytes([61 << 2]) + struct.pack("<H", 299) + long, 999) == long
    for broken in (b"\x05\x08abc", b"\x05\x08abc\x05\x09", b"\x04\x1cabc", b"\x09\x08abc\x02", b"\x80"):
        with pytest.raises(ValueError, match=r"decompresse|do not exist|before its last byte|middle|whole number"):
            decompress(broken, 99)
    with pytest.raises(ValueError, match=r"its decompressed size is 100 bytes"):
        decompress(bytes([100]), 99)


@pytest.mark.parametrize("snappy", [False, True])
def test_types_and_scalars(snappy: bool, tmp_path: Path) -> None:
    numbers = np.array([1.5, -2.0, 0.25, 8.0], "<f4")
    half = numbers.astype("<f2").tobytes()
    bfloat = (numbers.view("<u4") >> 16).astype("<u2").tobytes()
    data = numbers.tobytes() + half + bfloat + struct.pack("<q", -7) + b"text"
    entries = {
        b"a/kernel": entry(1, [2, 2], 0, 16),
        b"a/half": entry(19, [4], 16, 8),
        b"b": entry(14, [4, 1], 24, 8),
        b"step": entry(9, [], 32, 8),
        b"words": entry(7, [], 40, 4),
    }
    found = read_bundle(written(tmp_path, entries, data, snappy=snappy))
    assert found["a/kernel"].tolist() == [[1.5, -2.0], [0.25, 8.0]] and found["a/half"].tolist() == numbers.tolist()
    assert found["b"].ravel().tolist() == numbers.tolist() and int(found["step"]) == -7 and "words" not in found


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (entry(1, [3], 0, 16), r"a has 16 bytes, which does not fit its type and shape"),
        (entry(1, [4], 8, 16), r"is incomplete: a ends at byte 24, but the file at 16"),
        (entry(1, [4], 0, 16, b"\x18\x07"), r"is in shard 7 of 1"),
        (entry(1, [4], 0, 16, b"\x3a\x00"), r"a is split into slices"),
        (b"\x08\x01\x12\xff", r"is incomplete or is not the index"),
        (entry(1, [1 << 60], 0, 16), r"not a valid number"),
    ],
)
def test_what_an_index_may_not_say(one: bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        read_bundle(written(tmp_path, {b"a": one}, bytes(16)))


def test_damage_in_files_that_tensorflow_wrote(tmp_path: Path) -> None:
    place = Path(shutil.copytree(FIXTURES / "bert" / "variables", tmp_path / "v")) / "variables"
    whole = place.with_suffix(".index").read_bytes()
    assert len(_entries(whole)[1]) == len(read_bundle(place)) == 57
    for at in range(0, len(whole), 97):
        place.with_suffix(".index").write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
        try:
            found = read_bundle(place)
        except InputError as error:
            assert "\n" not in str(error)
        else:  # what lies between the parts counts for nothing
            assert len(found) == 57
    place.with_suffix(".index").write_bytes(whole)
    (place.parent / "variables.data-00000-of-00001").unlink()
    with pytest.raises(InputError, match=r"data-00000-of-00001 cannot be read: No such file"):
        read_bundle(place)
