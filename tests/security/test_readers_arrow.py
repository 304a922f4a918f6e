"""Damaged Arrow and Parquet: whatever it does to the process that reads it, assay says one line."""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import polars
import pytest

from assay.core.errors import InputError
from assay.io.table.column_files import WORKER
from assay.io.table.formats import open_table
from assay.io.table.tables import read_table

IMPOSSIBLE = Path(__file__).resolve().parents[1] / "fixtures" / "tables" / "impossible.arrow"
FRAME = polars.DataFrame({"mt": [f"text {i}" for i in range(300)], "ref": [f"other {i % 7}" for i in range(300)]})


def written(kind: str) -> bytes:
    out = io.BytesIO()
    {"stream": FRAME.write_ipc_stream, "file": FRAME.write_ipc, "parquet": FRAME.write_parquet}[kind](out)
    return out.getvalue()


def impossible(data: bytes) -> Iterator[bytes]:
    """The file with each of its small 8-byte numbers made one that no memory has: sizes and places of buffers are among them."""
    for at in range(0, len(data) - 8, 4):
        if 0 < int.from_bytes(data[at : at + 8], "little") < 10_000:
            yield data[:at] + (0x76FB_0000_0000_0000).to_bytes(8, "little") + data[at + 8 :]


@pytest.mark.parametrize("kind", ["stream", "file", "parquet"])
def test_sizes_that_nobody_has_are_one_line(kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / ("a.parquet" if kind == "parquet" else "a.arrow")
    for data in impossible(written(kind)):
        path.write_bytes(data)
        try:
            for _ in read_table(path, chunk=50):
                pass
        except InputError as error:
            assert str(path) in str(error) and "\n" not in str(error)
    assert capfd.readouterr() == ("", "")


def test_a_file_that_ends_the_reader_is_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Finding C4: the reader allocates what the file asks for (8.6 EB), and the failing allocation aborts the process."""
    for _ in range(2):
        with pytest.raises(
            InputError, match=r"impossible\.arrow cannot be read as Arrow: its content crashed the worker process"
        ):
            open_table(IMPOSSIBLE)
    assert capfd.readouterr() == ("", "")
    FRAME.write_ipc(tmp_path / "a.arrow")  # and the next file is read
    assert sum(len(chunk) for chunk in read_table(tmp_path / "a.arrow", chunk=50)) == 300


@pytest.mark.parametrize("words", [["score", "-m", "chrf", "--data"], ["filter", "mt == 'x'"], ["view"]])
def test_the_command_line_exits_with_2(words: list[str]) -> None:
    command = [sys.executable, "-m", "assay", *words, IMPOSSIBLE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX")
def test_a_worker_that_is_killed_is_one_line_and_started_again(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    FRAME.write_parquet(path)
    with open_table(path) as table:
        WORKER.get().process.kill()
        WORKER.get().process.wait()
        assert sum(len(piece.numbers) for piece in table.pieces([0, 1], 50)) == 300


def test_a_file_needs_no_more_memory_than_is_allowed(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    FRAME.write_parquet(tmp_path / "small.parquet")
    polars.select(mt=polars.arange(12_000_000)).write_ipc_stream(tmp_path / "large.arrow")
    WORKER.end()
    with open_table(tmp_path / "small.parquet"):
        pid = WORKER.get().process.pid
        used = int(Path(f"/proc/{pid}/statm").read_text().split()[5]) * resource.getpagesize()
        resource.prlimit(pid, resource.RLIMIT_DATA, (used + (20 << 20), resource.RLIM_INFINITY))
        with pytest.raises(InputError, match=r"needed more than \d+ GiB of memory"):
            open_table(tmp_path / "large.arrow")
    with open_table(tmp_path / "large.arrow") as table:
        assert table.names == ["mt"]


def test_threads_and_files_in_step_share_the_worker(tmp_path: Path) -> None:
    found: list[int] = []
    for i in range(4):
        FRAME.head(100 * (i + 1) // 2).write_parquet(tmp_path / f"{i}.parquet")

    def read(i: int) -> None:
        with open_table(tmp_path / f"{i}.parquet") as one, open_table(tmp_path / "0.parquet") as other:
            rows = sum(len(piece.numbers) for piece in one.pieces([0], 7))
            found.append(rows + sum(len(piece.numbers) for piece in other.pieces([0], 7)))

    threads = [threading.Thread(target=read, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [100, 150, 200, 250]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_a_worker_of_its_own(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "a.parquet")
    with open_table(tmp_path / "a.parquet"):
        with multiprocessing.get_context("fork").Pool(1) as pool:
            assert pool.apply(_pids) != WORKER.get().process.pid
        assert WORKER.get().alive


def _pids() -> int:
    return WORKER.get().process.pid


def test_a_date_beyond_pythons_is_a_text(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    far = polars.Series("d", [4_000_000], dtype=polars.Int32).cast(polars.Date)
    polars.DataFrame({"mt": ["a"], "ref": ["a"], "d": far}).write_parquet(path)
    with open_table(path) as table:
        assert [piece.columns for piece in table.pieces([2], 10)] == [[["12921-08-18"]]]
    assert [len(chunk) for chunk in read_table(path, chunk=10)] == [1]
