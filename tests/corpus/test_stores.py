"""A corpus in an object store, into an object store: the bytes of a run on disks, and every trouble in one line."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.core.errors import AssayError, InputError, OutputError
from assay.io.files import remote
from assay.io.files.folders import open_folder, owner
from assay.verbs.score import score
from tests.corpus.corpora import contents, corpus
from tests.corpus.store_server import Trouble, store_server

pytest.importorskip("s3fs", reason="needs the extra s3")
pytest.importorskip("moto", reason="moto is not installed")


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, Trouble]]:
    with store_server() as found:
        yield found


@pytest.fixture
def store(server: tuple[str, Trouble], monkeypatch: pytest.MonkeyPatch) -> Iterator[Trouble]:
    """A server without trouble yet, and the settings that s3fs reads."""
    import s3fs

    address, trouble = server
    for name, value in {
        "AWS_ACCESS_KEY_ID": "me", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_ENDPOINT_URL": address,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_MAX_ATTEMPTS": "1", "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(remote, "FIRST_WAIT", 0.01)
    monkeypatch.setattr("s3fs.core.S3FileSystem.retries", 1)
    s3fs.S3FileSystem.clear_instance_cache()
    remote._store.cache_clear()
    yield trouble
    trouble.failing, trouble.refusing, trouble.full, trouble.waiting = 0, False, False, 0.0
    remote._store.cache_clear()


def put(folder: Path, bucket: str) -> None:
    files = remote._store("s3")
    files.mkdir(bucket)
    for path in folder.iterdir():
        files.put_file(str(path), f"{bucket}/corpus/{path.name}")


def test_the_bytes_are_those_of_a_run_on_disks(store: Trouble, tmp_path: Path) -> None:
    corpus(tmp_path / "in", 8)
    put(tmp_path / "in", "one")
    score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], dedup="pair", engine="inline")
    store.failing = 3
    result = score(data="s3://one/corpus/", out="s3://one/scored/", metrics=["chrf"], dedup="pair", workers=2)
    assert store.failing == 0, "no request failed on the way"
    remote._store("s3").get("one/scored", str(tmp_path / "got"), recursive=True)
    wanted, got = contents(tmp_path / "out"), contents(tmp_path / "got")
    assert sorted(got) == sorted(wanted)
    told = {
        name: json.loads(found.pop("_manifest.json"))["scores"] for name, found in (("disk", wanted), ("store", got))
    }
    assert got == wanted and told["disk"] == told["store"]
    noted = [note for shard in result.corpus.shards.values() for note in shard.record.notes]
    assert noted and all("s3://one/corpus/part-" in note for note in noted), "a file that nobody knows is named"
    again = score(data="s3://one/corpus/*", out="s3://one/scored/", metrics=["chrf"], dedup="pair", workers=1)
    assert again.reused == 8 and again.counts == result.counts


def test_a_slow_store_is_waited_for(store: Trouble, tmp_path: Path) -> None:
    corpus(tmp_path / "in", 1)
    put(tmp_path / "in", "slow")
    store.waiting = 0.2
    assert score(data="s3://slow/corpus/", out=tmp_path / "out", metrics=["chrf"], engine="inline").counts["rows"] == 8


def test_trouble_in_one_line(store: Trouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus(tmp_path / "in", 2)
    put(tmp_path / "in", "two")
    folder = open_folder("s3://two/scored")
    store.failing = 100
    with pytest.raises(
        InputError, match=r"s3://two/corpus/ cannot be read: the store failed 5 times .*Try again later"
    ):
        remote.list_objects("s3://two/corpus/")
    with pytest.raises(OutputError, match=r"s3://two/scored/a cannot be written: the store failed 5 times"):
        folder.write("a", b"x")
    store.failing, store.refusing = 0, True
    before = store.seen
    with pytest.raises(InputError, match=r"access is denied\. Check the credentials"):
        remote.list_objects("s3://two/corpus/")
    assert store.seen - before < 4, "a refusal is not asked again and again"
    store.refusing, store.full = False, True
    with pytest.raises(OutputError, match="the store has no space left"):
        score(data="s3://two/corpus/", out="s3://two/scored/", metrics=["chrf"], engine="inline")
    store.full = False
    with pytest.raises(AssayError, match=r"s3://nothing/here/ .*(the bucket does not exist|contains no objects)"):
        score(data="s3://nothing/here/", out=tmp_path / "out", metrics=["chrf"])
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    remote._store.cache_clear()
    with pytest.raises(AssayError, match="credentials are missing"):
        remote.list_objects("s3://two/corpus/")


def test_a_lock_in_the_store(store: Trouble, monkeypatch: pytest.MonkeyPatch) -> None:
    remote._store("s3").mkdir("locks")
    mine, other = open_folder("s3://locks/out"), open_folder("s3://locks/out")
    with (
        mine.locked("_lock", json.dumps(owner())),
        pytest.raises(OutputError, match="is being written by process"),
        other.locked("_lock", json.dumps(owner())),
    ):
        pass
    assert mine.sizes() == {}
    monkeypatch.setattr(remote, "STALE", 3.0)
    monkeypatch.setattr(remote, "LOOK", 0.2)
    mine.write("_lock", json.dumps({**owner(), "beat": 0}).encode())  # of a run that died long ago
    with other.locked("_lock", json.dumps(owner())):
        assert json.loads(other.read("_lock") or b"")["beat"] > 0


@pytest.mark.parametrize("skew", [-180.0, 3600.0], ids=["behind", "ahead"])
def test_a_lock_whose_clock_differs(store: Trouble, monkeypatch: pytest.MonkeyPatch, skew: float) -> None:
    """A lock that is renewed is held, whatever its clock says; one that is not is nobody's, even if it is of tomorrow."""
    remote._store("s3").mkdir(f"skewed{int(skew > 0)}")
    monkeypatch.setattr(remote, "STALE", 3.0)
    monkeypatch.setattr(remote, "LOOK", 0.2)
    mine, other = (open_folder(f"s3://skewed{int(skew > 0)}/out") for _ in range(2))
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(1.0):
            mine.write("_lock", json.dumps({**owner(), "beat": time.time() + skew}).encode())

    mine.write("_lock", json.dumps({**owner(), "beat": time.time() + skew}).encode())
    owning = threading.Thread(target=renew)
    owning.start()
    try:
        with (
            pytest.raises(OutputError, match="is being written by process"),
            other.locked("_lock", json.dumps(owner())),
        ):
            pass
    finally:
        ended.set()
        owning.join()
    with other.locked("_lock", json.dumps(owner())):
        pass


def test_without_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import sys

    from assay.core.errors import MissingPart

    remote._store.cache_clear()
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(MissingPart, match="gs:// needs gcsfs: pip install gcsfs"):
        score(data="gs://bucket/corpus/", out=tmp_path / "out", metrics=["chrf"])
    with pytest.raises(InputError, match="fsspec does not support zz://"):
        score(data="zz://bucket/corpus/", out=tmp_path / "out", metrics=["chrf"])
