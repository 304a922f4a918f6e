"""Damaged Parquet: one sentence, and nothing of the library's own report on the terminal."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars
import pytest

from assay.core.errors import InputError
from assay.io.table.tables import read_table


def whole(rows: int = 200) -> bytes:
    out = io.BytesIO()
    columns = {"mt": [f"text {i}" for i in range(rows)], "ref": [f"other {i % 7}" for i in range(rows)]}
    polars.DataFrame(columns).write_parquet(out, row_group_size=50)
    return out.getvalue()


def damaged() -> Iterator[bytes]:
    data = whole()
    for size in (4, 5, 12, len(data) // 2, len(data) - 9, len(data) - 4, len(data) - 1):
        yield data[:size]
    footer = int.from_bytes(data[-8:-4], "little")
    yield data[: -8 - footer] + bytes(footer) + data[-8:]
    yield data[: -8 - footer] + b"\xff" * footer + data[-8:]
    yield data[:-8] + (2**31 - 1).to_bytes(4, "little") + data[-4:]
    draw = random.Random(1)
    for _ in range(150):
        flipped = bytearray(data)
        for _ in range(draw.choice((1, 2, 8))):
            low = len(data) - 8 - footer if draw.random() < 0.7 else 4
            flipped[draw.randrange(low, len(data))] ^= 1 << draw.randrange(8)
        yield bytes(flipped)


def test_every_damage_is_read_or_refused_in_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path, refused = tmp_path / "a.parquet", 0
    for data in damaged():
        path.write_bytes(data)
        try:
            for _ in read_table(path, chunk=50):
                pass
        except InputError as error:
            refused += 1
            assert str(path) in str(error) and "\n" not in str(error)
    assert refused > 60
    assert capfd.readouterr() == ("", "")


def panicking(path: Path) -> bool:
    """Write a file over which polars itself panics, a bit of its footer being wrong; whether there is one."""
    data = whole()
    footer = int.from_bytes(data[-8:-4], "little")
    for place in range(len(data) - 8 - footer + 64, len(data) - 8):
        for bit in (0, 6):
            flipped = bytearray(data)
            flipped[place] ^= 1 << bit
            path.write_bytes(flipped)
            try:
                polars.scan_parquet(path).collect()
            except Exception:
                continue
            except BaseException:
                return True
    return False


def test_a_panic_is_one_line_and_exit_2(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.parquet"
    if not panicking(path):
        pytest.skip("this polars panics over no single bit")
    command = [sys.executable, "-m", "assay", "score", "-m", "chrf", "--data", str(path)]
    environment = {**os.environ, "RUST_BACKTRACE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"assay: {path} cannot be read as Parquet: its content is inconsistent.")


def test_standard_error_that_is_closed_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(whole(3))
    code = "import sys; from assay.io.table.tables import read_table; print(sum(map(len, read_table(sys.argv[1]))))"
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=100, check=False)
    assert done.stdout == "3\n"
