from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from assay.core.errors import OutputError
from assay.engine.progress_file import ProgressFile, prune, usage

ARRAYS = {
    "values": np.array([1.5, np.nan, -0.0]),
    "stats": np.arange(12, dtype=np.float64).reshape(3, 4)[:, ::2],
    "flags": np.array([True, False, True]),
    "names": np.array(["ä", "bc"]),
    "bytes": np.frombuffer(b'{"spans": []}', dtype=np.uint8),
    "scalar": np.array(7, dtype=np.int32),
    "none": np.empty((0, 5)),
}


def same(a: dict[str, np.ndarray] | None) -> None:
    assert a is not None and list(a) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert a[name].dtype == array.dtype and a[name].shape == array.shape
        np.testing.assert_array_equal(a[name], array)
        assert a[name].flags.writeable


def test_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with ProgressFile.open("score|chrf|a.txt", tmp_path) as spool:
        assert spool.notice is None
        assert spool.get(0, b"h0") is None
        spool.put(0, b"h0", ARRAYS)
        spool.put(2, b"h2", {"values": np.ones(2)})
    with ProgressFile.open("score|chrf|a.txt", tmp_path) as again:
        same(again.get(0, b"h0"))
        assert again.get(1, b"h1") is None
        again.put(1, b"h1", {"values": np.zeros(1)})
        assert [index for index, _ in again.chunks()] == [0, 1]  # 2 was not asked for: the input may be shorter now
        assert again.get(2, b"h2") is not None
        assert [index for index, _ in again.chunks()] == [0, 1, 2]
        same(next(again.chunks())[1])
        assert usage(tmp_path)[0] == 1 and usage(tmp_path)[1] > 300
        again.finish()
    assert list(tmp_path.iterdir()) == []


def test_other_data_and_other_runs_are_not_taken(tmp_path: Path) -> None:
    with ProgressFile.open("a", tmp_path) as spool:
        spool.put(0, b"old data", ARRAYS)
        assert spool.get(0, b"new data") is None
        assert spool.get(0, b"old") is None
        spool.put(0, b"new data", {"values": np.ones(1)})
        (_, arrays), *rest = spool.chunks()
        assert arrays["values"].tolist() == [1.0] and not rest
    with ProgressFile.open("b", tmp_path) as other:
        assert other.get(0, b"new data") is None


def test_a_file_cut_short_or_damaged_counts_as_absent(tmp_path: Path) -> None:
    with ProgressFile.open("a", tmp_path) as spool:
        spool.put(0, b"hash", ARRAYS)
        path = next(spool.folder.glob("*.chunk"))
        whole = path.read_bytes()
        for size in range(0, len(whole), 7):
            path.write_bytes(whole[:size])
            assert spool.get(0, b"hash") is None
        for at in range(0, len(whole), 11):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            assert spool.get(0, b"hash") is None
        path.write_bytes(whole)
        same(spool.get(0, b"hash"))
        path.unlink()
        with pytest.raises(OutputError, match="chunk 0 is missing"):
            list(spool.chunks())


def test_objects_are_refused(tmp_path: Path) -> None:
    with ProgressFile.open("a", tmp_path) as spool, pytest.raises(ValueError, match="Python objects"):
        spool.put(0, b"", {"x": np.array([None])})


def test_a_second_identical_run_works_on_its_own(tmp_path: Path) -> None:
    first = ProgressFile.open("a", tmp_path)
    first.put(0, b"h", ARRAYS)
    second = ProgressFile.open("a", tmp_path)
    assert second.folder != first.folder and "already running" in (second.notice or "")
    assert second.get(0, b"h") is None
    second.put(0, b"h", {"values": np.ones(1)})
    second.finish()
    same(first.get(0, b"h"))
    first.close()
    third = ProgressFile.open("a", tmp_path)
    same(third.get(0, b"h"))
    third.finish()
    assert list(tmp_path.iterdir()) == []


def test_starting_while_another_finishes(tmp_path: Path) -> None:
    """Whoever gets the spool's name gets an empty spool that nobody removes under it."""
    failures: list[str] = []

    def work() -> None:
        for _ in range(60):
            spool = ProgressFile.open("same", tmp_path)
            try:
                if spool.get(0, b"h") is not None:
                    failures.append("found a finished run's chunk")
                spool.put(0, b"h", {"values": np.ones(1)})
                if len(list(spool.chunks())) != 1:
                    failures.append("lost a chunk")
            except OutputError as error:
                failures.append(str(error))
            finally:
                spool.finish()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with ProgressFile.open("a", tmp_path / "file" / "spool") as spool:
        assert "cannot be resumed" in (spool.notice or "")
        spool.put(0, b"h", ARRAYS)
        same(spool.get(0, b"h"))
        spool.finish()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_pruning(tmp_path: Path) -> None:
    for name in ("old", "new", "used"):
        ProgressFile.open(name, tmp_path).close()
    used = ProgressFile.open("used", tmp_path)
    new = ProgressFile.open("new", tmp_path)
    new.close()
    month_ago = time.time() - 31 * 86_400
    for path in tmp_path.iterdir():
        if path != new.folder:
            os.utime(path, (month_ago, month_ago))
    assert prune(tmp_path) == 1
    assert {path.name for path in tmp_path.iterdir()} == {used.folder.name, new.folder.name}
    used.close()
    assert prune(tmp_path, days=0) == 2
    assert prune(tmp_path / "nowhere") == 0
    assert usage(tmp_path) == (0, 0)
