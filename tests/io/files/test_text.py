from __future__ import annotations

import gzip
import io
import lzma
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.io.files import text
from assay.io.files.text import open_bytes, read_lines, read_parallel

PACK = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}


def write(folder: Path, data: bytes, name: str = "a.txt") -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


def lines_of(path: str, chunk: int = 1000) -> list[str]:
    return [line for piece in read_lines(path, chunk) for line in piece]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\nb\n", ["a", "b"]),
        (b"a\n\nb", ["a", "", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\r\nb\r", ["a\r", "b"]),
        (b"a\rb\n", ["a\rb"]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb", ["a", "\ufeffb"]),
        (b"\xef\xbb\xbf", []),
        (b"a\x00b\n", ["a\x00b"]),
        ("a\x85b\u2028c\x0bd\x1ce\n".encode(), ["a\x85b\u2028c\x0bd\x1ce"]),
        ("שלום\n你好\n".encode(), ["שלום", "你好"]),
    ],
)
def test_what_a_line_is(tmp_path: Path, data: bytes, expected: list[str]) -> None:
    path = write(tmp_path, data)
    assert lines_of(path) == expected
    for suffix, pack in PACK.items():
        assert lines_of(write(tmp_path, pack(data), f"a{suffix}")) == expected


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n")), max_size=30),
    st.integers(1, 9),
    st.integers(1, 12),
    st.booleans(),
)
def test_any_text_at_any_block_size(lines: list[str], chunk: int, block: int, ended: bool) -> None:
    data = "\n".join(lines) + ("\n" if ended and lines else "")
    expected = data.removeprefix("\ufeff").split("\n")
    if not expected[-1]:
        expected.pop()
    expected = [line.removesuffix("\r") for line in expected]
    old, text.BLOCK = text.BLOCK, block
    try:
        pieces = list(text.regroup(text.split_lines(text.read_blocks(io.BytesIO(data.encode()), "x")), chunk))
    finally:
        text.BLOCK = old
    assert [line for piece in pieces for line in piece] == expected
    assert all(len(piece) == chunk for piece in pieces[:-1])


def test_not_utf8_names_byte_line_and_remedy(tmp_path: Path) -> None:
    data = b"good line\n" * 86 + b"caf\xe9\n" + b"x\n" * 1000
    path = write(tmp_path, data, "bad.txt")
    with pytest.raises(InputError) as error:
        lines_of(path)
    # 86 lines of 10 bytes, then the fourth byte of line 87
    assert f"{path} is not valid UTF-8 (byte 863, line 87). Try: iconv -f latin1 -t utf8 {path}" == str(error.value)


@pytest.mark.parametrize("block", [7, 64, 1 << 18])
def test_not_utf8_far_into_the_file(tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "BLOCK", block)
    path = write(tmp_path, b"\xef\xbb\xbf" + "é\n".encode() * 5000 + b"\xff")
    with pytest.raises(InputError, match=r"byte 15,003, line 5001"):
        lines_of(path)


def test_cut_off_character_at_the_end(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"byte 2, line 2"):
        lines_of(write(tmp_path, b"a\n\xe4\xbd"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le"])
def test_utf16_has_its_own_hint(tmp_path: Path, encoding: str) -> None:
    mark = "" if encoding == "utf-16" else "\ufeff"
    with pytest.raises(InputError, match=r"is UTF-16, not UTF-8. Try: iconv -f utf16"):
        lines_of(write(tmp_path, (mark + "hello\n").encode(encoding)))


def test_a_compressed_file_is_known_by_its_bytes(tmp_path: Path) -> None:
    for pack in PACK.values():
        assert lines_of(write(tmp_path, pack(b"a\nb\n"), "no_suffix")) == ["a", "b"]


def test_a_suffix_that_lies(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.gz is not gzip data"):
        lines_of(write(tmp_path, b"plain\n", "a.gz"))
    with pytest.raises(InputError, match=r"a\.zst is not zstd data, despite its name: it is empty"):
        lines_of(write(tmp_path, b"", "a.zst"))


@pytest.mark.parametrize("suffix", PACK)
def test_several_members_one_after_the_other(tmp_path: Path, suffix: str) -> None:
    data = PACK[suffix](b"a\n" * 10) + PACK[suffix](b"b\n") + PACK[suffix](b"")
    assert lines_of(write(tmp_path, data, "a" + suffix)) == ["a"] * 10 + ["b"]


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("keep", [0.3, 0.99])
def test_a_compressed_file_that_breaks_off(tmp_path: Path, suffix: str, keep: float) -> None:
    whole = PACK[suffix](os.urandom(50_000).hex().encode() + b"\n")
    path = write(tmp_path, whole[: int(len(whole) * keep)], "a" + suffix)
    with pytest.raises(InputError, match=r"a\.\w+ (is incomplete|is damaged)"):
        lines_of(path)


@pytest.mark.parametrize("suffix", PACK)
def test_a_damaged_compressed_file(tmp_path: Path, suffix: str) -> None:
    packed = bytearray(PACK[suffix](os.urandom(50_000).hex().encode() + b"\n"))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(InputError, match=r"a\.\w+ (is incomplete|is damaged|is not UTF-8)"):
        lines_of(write(tmp_path, bytes(packed), "a" + suffix))


def test_a_missing_file_suggests_its_neighbours(tmp_path: Path) -> None:
    write(tmp_path, b"", "ref.de")
    with pytest.raises(InputError, match=r"ref\.dee does not exist\. Did you mean .*ref\.de\?"):
        open_bytes(tmp_path / "ref.dee")
    with pytest.raises(InputError, match=r"there is no folder .*nowhere"):
        open_bytes(tmp_path / "nowhere" / "ref.de")
    with pytest.raises(InputError, match="is a folder, not a file"):
        open_bytes(tmp_path)
    with pytest.raises(InputError, match="part of the path is a file"):
        open_bytes(tmp_path / "ref.de" / "x")


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, b"x")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # the superuser may read everything
    with pytest.raises(InputError, match="permission denied"):
        open_bytes(path)


@pytest.mark.parametrize("suffix", ["", *PACK])
def test_pipes(tmp_path: Path, suffix: str) -> None:
    """A named pipe that delivers byte by byte at first, as slow writers do."""
    data = b"first\nsecond\n" * 1000
    packed = PACK[suffix](data) if suffix else data
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def feed() -> None:
        with pipe.open("wb", buffering=0) as out:
            for i in range(4):
                out.write(packed[i : i + 1])
            out.write(packed[4:])

    writer = threading.Thread(target=feed)
    writer.start()
    assert lines_of(str(pipe)) == ["first", "second"] * 1000
    writer.join()


def test_standard_input() -> None:
    code = "from assay.io.files.text import *; print([p for p in read_lines('-', 2)])"
    for data in (b"a\nb\nc", gzip.compress(b"a\nb\nc")):
        done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
        assert done.stdout == b"[['a', 'b'], ['c']]\n"


def test_chunks_are_full(tmp_path: Path) -> None:
    path = write(tmp_path, b"".join(b"%d\n" % i for i in range(100_000)))
    pieces = list(read_lines(path, 999))
    assert [len(piece) for piece in pieces] == [999] * 100 + [100]
    assert [line for piece in pieces for line in piece] == [str(i) for i in range(100_000)]
    with pytest.raises(InputError, match="at least one line"):
        next(read_lines(path, 0))


def test_a_line_of_a_megabyte(tmp_path: Path) -> None:
    assert [len(line) for line in lines_of(write(tmp_path, b"x" * 3_000_000 + b"\ny"))] == [3_000_000, 1]


def test_parallel_files_walk_in_step(tmp_path: Path) -> None:
    paths = [write(tmp_path, b"".join(b"%d%d\n" % (k, i) for i in range(7)), f"f{k}") for k in range(3)]
    pieces = list(read_parallel(paths, 3))
    assert [tuple(map(len, piece)) for piece in pieces] == [(3, 3, 3), (3, 3, 3), (1, 1, 1)]
    assert pieces[2] == (["06"], ["16"], ["26"])
    assert list(read_parallel([], 3)) == []


@pytest.mark.parametrize("chunk", [1, 100, 499, 500, 1996, 5000])
def test_files_of_different_length(tmp_path: Path, chunk: int) -> None:
    ours = write(tmp_path, b"x\n" * 1997, "ours.de")
    ref = write(tmp_path, b"x\n" * 1996, "ref.de")
    expected = f"{ref} has 1,996 lines but {ours} has 1,997; they must match. First unmatched line: 1997."
    for order in ([ours, ref], [ref, ours]):
        with pytest.raises(InputError) as error:
            list(read_parallel(order, chunk))
        assert str(error.value) == expected


def test_an_empty_file_beside_a_full_one(tmp_path: Path) -> None:
    paths = [write(tmp_path, b"x\n" * 5, "a"), write(tmp_path, b"", "b"), write(tmp_path, b"x\n" * 7, "c")]
    with pytest.raises(InputError) as error:
        list(read_parallel(paths, 2))
    assert str(error.value) == (
        f"{paths[1]} has 0 lines but {paths[0]} has 5 and {paths[2]} has 7; they must match. First unmatched line: 1."
    )


def test_standard_input_twice() -> None:
    with pytest.raises(InputError, match="only one file can be standard input"):
        next(read_parallel(["-", "-"], 2))


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    line = "Ein Satz von mittlerer Länge, wie er in jedem Text steht.\n".encode() * 10_000
    code = (
        "import re, sys; from assay.io.files.text import read_lines\n"
        "n = sum(map(len, read_lines(sys.argv[1], 8192)))\n"
        "print(n, re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])"
    )
    peaks = []
    for times in (20, 340):
        with (tmp_path / "big.txt").open("wb") as out:
            for _ in range(times):
                out.write(line)
        done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "big.txt")], capture_output=True, check=True)
        lines, peak = map(int, done.stdout.split())
        assert lines == times * 10_000
        peaks.append(peak)
    assert (tmp_path / "big.txt").stat().st_size > 190_000_000
    assert peaks[1] - peaks[0] < 10_000  # kilobytes, for 185 MB more


def test_dense_zstd_is_unpacked_in_small_bites(tmp_path: Path) -> None:
    import tracemalloc

    path = write(tmp_path, zstandard.ZstdCompressor().compress(b"the same line again and again\n" * 2_000_000), "a.zst")
    tracemalloc.start()
    try:
        assert sum(map(len, read_lines(path, 8192))) == 2_000_000
        assert tracemalloc.get_traced_memory()[1] < 25_000_000  # of 60 MB
    finally:
        tracemalloc.stop()
