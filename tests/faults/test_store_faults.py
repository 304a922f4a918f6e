"""Kills, full disks, damaged files and crowds: the store and the spool lose nothing that was acknowledged."""

from __future__ import annotations

import errno
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.core.errors import OutputError
from assay.engine.progress_file import ProgressFile
from assay.engine.store import Store
from assay.io.files.atomic import atomic_write

WRITER = """
import sys
from assay.engine.store import Store
store, who, start = Store(sys.argv[1]), sys.argv[2], int(sys.argv[3])
end = int(sys.argv[4])
for n in range(start, end):
    assert store.put_many([(f"{who}-{n}-{i}".encode(), f"{n * i}".encode() * 20) for i in range(50)]), store.notices
    print(n, flush=True)
"""


def start_writer(folder: Path, who: str, start: int, end: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", WRITER, str(folder), who, str(start), str(end)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def kill_after(writer: subprocess.Popen[bytes], puts: int, pause: float) -> int:
    """Kill a writer in the midst of the work that follows so many acknowledged puts; the first number not acknowledged."""
    assert writer.stdout is not None
    said = [writer.stdout.readline() for _ in range(puts)]
    time.sleep(pause)  # only varies the moment
    writer.send_signal(signal.SIGKILL)
    said += writer.stdout.readlines()
    writer.communicate()
    return int(said[-1]) + 1


def expected(who: str, numbers: range) -> dict[bytes, bytes]:
    return {f"{who}-{n}-{i}".encode(): f"{n * i}".encode() * 20 for n in numbers for i in range(50)}


def check_integrity(folder: Path) -> None:
    for path in folder.glob("scores-*.sqlite"):
        connection = sqlite3.connect(path)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()


@contextmanager
def small_disk(folder: Path, size: str = "256k") -> Iterator[Path]:
    """A file system of that size; a skip where mounting is not allowed (the simulated tests still run)."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a tmpfs is not allowed here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_twenty_kills_at_random_moments(tmp_path: Path) -> None:
    moments = random.Random(20260)
    done = 0
    for _ in range(20):
        writer = start_writer(tmp_path, "w", done, done + 100_000)
        acknowledged = kill_after(writer, moments.randrange(1, 8), moments.uniform(0, 0.005))
        store = Store(tmp_path)
        wanted = expected("w", range(done, acknowledged))
        assert store.get_many(list(wanted)) == wanted
        # The put under way at the kill is there as a whole or not at all.
        assert len(store.get_many(list(expected("w", range(acknowledged, acknowledged + 1))))) in (0, 50)
        assert store.notices == []
        store.close()
        done = acknowledged
    check_integrity(tmp_path)
    store = Store(tmp_path)
    wanted = expected("w", range(done))
    assert store.get_many(list(wanted)) == wanted
    assert done > 40  # the writers got something done between the kills


def test_four_processes_at_once(tmp_path: Path) -> None:
    """All four begin with no store at all, and write in small transactions."""
    writers = [start_writer(tmp_path, f"w{k}", 0, 60) for k in range(4)]
    for writer in writers:
        out, _ = writer.communicate()
        assert writer.returncode == 0
        assert len(out.split()) == 60
    store = Store(tmp_path)
    for k in range(4):
        wanted = expected(f"w{k}", range(60))
        assert store.get_many(list(wanted)) == wanted
    assert store.info().entries == 4 * 60 * 50
    check_integrity(tmp_path)


def test_a_full_disk_keeps_what_was_stored(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        store = Store(disk / "store")
        kept: dict[bytes, bytes] = {}
        for n in range(200):
            items = {f"{n}-{i}".encode(): os.urandom(60) for i in range(20)}
            if not store.put_many(items.items()):
                break
            kept.update(items)
        assert 20 < len(kept) < 4000
        assert len(store.notices) == 1 and "the disk is full" in store.notices[0]
        assert not store.put_many([(b"x", b"y")]) and len(store.notices) == 1
        assert store.get_many(list(kept)) == kept
        store.close()
        again = Store(disk / "store")
        assert again.get_many(list(kept)) == kept or not again.readable  # may need a little room to open
        again.close()
        subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
        later = Store(disk / "store")
        assert later.get_many(list(kept)) == kept
        assert later.put_many([(b"x", b"y")])
        check_integrity(disk / "store")
        later.close()


def test_a_disk_full_from_the_start(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "16k") as disk:
        with pytest.raises(OSError, match="No space left"):
            (disk / "filler").write_bytes(bytes(100_000))
        store = Store(disk / "store")
        assert not store.put_many([(b"x", b"y")])
        assert store.get_many([b"x"]) == {}
        assert len(store.notices) == 1 and "the disk is full" in store.notices[0]
        with pytest.raises(OutputError, match="is full"):
            ProgressFile.open("a", disk / "spool").put(0, b"", {"values": np.ones(1000)})


def test_no_space_simulated(tmp_path: Path) -> None:
    """A file-size limit stands in for the full disk where nothing can be mounted."""
    code = """
import resource, sys, os
from assay.engine.store import Store
store = Store(sys.argv[1])
assert store.put_many([(b"kept", b"1" * 100)])
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
n = 0
while store.put_many([(f"{n}-{i}".encode(), os.urandom(100)) for i in range(100)]):
    n += 1
    assert n < 1000
assert len(store.notices) == 1, store.notices
assert store.get_many([b"kept", b"0-0"]).keys() == {b"kept", b"0-0"}
print(n)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    store = Store(tmp_path)
    n = int(done.stdout)
    assert n > 0
    assert len(store.get_many([f"{k}-{i}".encode() for k in range(n) for i in range(100)])) == 100 * n
    check_integrity(tmp_path)


@pytest.mark.parametrize("damage", ["head", "middle", "text", "all zero"])
def test_a_damaged_file_is_set_aside(tmp_path: Path, damage: str) -> None:
    store = Store(tmp_path)
    items = expected("w", range(40))
    assert store.put_many(items.items())
    store.close()
    path = tmp_path / "scores-1.sqlite"
    data = bytearray(path.read_bytes())
    if damage == "head":
        data[:100] = os.urandom(100)
    elif damage == "middle":
        data[4096:] = os.urandom(len(data) - 4096)
    elif damage == "text":
        data[:] = b"this is no database at all, it is a letter to my aunt\n" * 200
    else:
        data[:] = bytes(len(data))
    path.write_bytes(bytes(data))
    broken = Store(tmp_path)
    found = broken.get_many(list(items))
    assert all(items[key] == value for key, value in found.items())
    assert broken.put_many([(b"new", b"value")])
    assert broken.get_many([b"new"]) == {b"new": b"value"}
    assert len(broken.notices) == 1 and "damaged-1.sqlite" in broken.notices[0]
    assert (tmp_path / "damaged-1.sqlite").read_bytes() == bytes(data)
    assert broken.info().damaged == 1
    after = Store(tmp_path)
    assert after.get_many([b"new"]) == {b"new": b"value"} and after.notices == []
    after.clear()
    assert after.info().damaged == 0 and after.info().entries == 0


def test_a_flipped_bit_is_never_a_score(tmp_path: Path) -> None:
    store = Store(tmp_path)
    items = {f"k{i}".encode(): b"value" * 30 for i in range(50)}
    store.put_many(items.items())
    store.close()
    path = tmp_path / "scores-1.sqlite"
    data = bytearray(path.read_bytes())
    at = data.rindex(b"valuevalue")
    data[at + 2] ^= 4
    path.write_bytes(bytes(data))
    found = Store(tmp_path).get_many(list(items))
    assert len(found) == 49 and set(found.values()) == {b"value" * 30}


def test_two_processes_meet_a_damaged_file(tmp_path: Path) -> None:
    (tmp_path / "scores-1.sqlite").write_bytes(b"no database" * 1000)
    one, two = Store(tmp_path), Store(tmp_path)
    assert one.put_many([(b"one", b"1")])
    assert two.put_many([(b"two", b"2")])
    assert one.get_many([b"one", b"two"]) == two.get_many([b"one", b"two"]) == {b"one": b"1", b"two": b"2"}
    assert len(one.notices) == 1 and two.notices == []


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file" / "store")
    assert store.get_many([b"x"]) == {}
    assert not store.put_many([(b"x", b"y")])
    assert len(store.notices) == 1 and "cannot be written" in store.notices[0] and "ASSAY_CACHE_DIR" in store.notices[0]


def test_a_read_only_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "4m") as disk:
        first = Store(disk / "store")
        first.put_many([(b"x", b"y")])
        first.close()
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        store = Store(disk / "store")
        assert store.get_many([b"x"]) == {} and not store.put_many([(b"z", b"y")])
        assert len(store.notices) == 1 and "cannot be written" in store.notices[0]
        with pytest.raises(OutputError, match="no permission to write"), atomic_write(disk / "a"):
            pytest.fail("opened")
        with ProgressFile.open("a", disk / "spool") as spool:
            assert "cannot be resumed" in (spool.notice or "")
            spool.finish()


@pytest.mark.parametrize("how", ["at once", "bit by bit", "polars"])
def test_output_on_a_full_disk_leaves_the_old_file(tmp_path: Path, how: str) -> None:
    with small_disk(tmp_path / "disk") as disk:
        target = disk / "scores.json"
        target.write_text("old")
        said = r"cannot write .*scores\.json: the disk is full.*No incomplete file was left"
        with pytest.raises(OutputError, match=said), atomic_write(target) as out:
            if how == "at once":
                out.write(bytes(1_000_000))
            elif how == "polars":
                pl.DataFrame({"x": np.random.default_rng(1).random(200_000)}).write_parquet(out)
            else:
                for _ in range(1000):
                    out.write(bytes(1000))
        assert target.read_text() == "old"
        assert [path.name for path in disk.iterdir()] == ["scores.json"]


def test_output_with_no_space_simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="the disk is full"), atomic_write(tmp_path / "a", "w") as out:
        out.write("new")
    assert (tmp_path / "a").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_spool_on_a_full_disk_keeps_earlier_chunks(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        values = {"values": np.random.default_rng(1).random(5000)}
        with ProgressFile.open("a", disk) as spool:
            kept = 0
            with pytest.raises(OutputError, match=r"is full.*finished chunks are saved"):
                for kept in range(100):
                    spool.put(kept, b"h", values)
            assert kept > 2
        with ProgressFile.open("a", disk) as again:
            for index in range(kept):
                found = again.get(index, b"h")
                assert found is not None
                np.testing.assert_array_equal(found["values"], values["values"])
            assert again.get(kept, b"h") is None


def test_spool_survives_kills(tmp_path: Path) -> None:
    code = """
import sys
import numpy as np
from assay.engine.progress_file import ProgressFile
spool = ProgressFile.open("run", sys.argv[1])
assert spool.notice is None
for n in range(int(sys.argv[2]), 100_000):
    spool.put(n, b"h%d" % n, {"values": np.full(20_000, float(n))})
    print(n, flush=True)
"""
    moments = random.Random(7)
    done = 0
    for _ in range(8):
        writer = subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(done)], stdout=subprocess.PIPE)
        done = kill_after(writer, moments.randrange(1, 8), moments.uniform(0, 0.005))
    with ProgressFile.open("run", tmp_path) as spool:
        assert spool.notice is None  # no lock is left behind
        for n in range(done):
            assert spool.get(n, b"h%d" % n) is not None
        assert [arrays["values"][0] for _, arrays in spool.chunks()] == list(range(done))
        spool.finish()
    assert list(tmp_path.iterdir()) == []
