"""A cache folder that another user prepared: no link is followed, nothing is emptied, no planted score is believed."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from assay.engine.progress_file import ProgressFile, prune, usage
from assay.engine.store import Store
from assay.io.files.paths import Untrusted, check_folder, open_own

DAEMON = 1
"""A user other than whoever runs the tests."""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can prepare files of another user")


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    file = tmp_path / "precious"
    file.write_text("precious")
    return file


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A cache folder that everybody may write to, sticky as /tmp is."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


def by_another_user(folder: Path, links: dict[str, Path]) -> None:
    """A folder that another user made, open to all, with links in it."""
    folder.mkdir(parents=True)
    for name, target in links.items():
        (folder / name).symlink_to(target)
    for path in (folder, *folder.iterdir()):
        os.lchown(path, DAEMON, DAEMON)
    folder.chmod(0o777)


@pytest.mark.parametrize("name", ["lock", "scores-1.sqlite", "scores-1.sqlite-wal", "scores-1.sqlite-journal"])
def test_the_store_follows_no_link(tmp_path: Path, victim: Path, name: str) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / name).symlink_to(victim)
    store = Store(folder)
    assert not store.put_many([(b"k" * 16, b"v")]) and store.get_many([b"k" * 16]) == {}
    assert len(store.notices) == 1 and "is not a regular file." in store.notices[0]
    assert victim.read_text() == "precious" and (folder / name).is_symlink()


def test_a_lock_is_not_emptied(tmp_path: Path, victim: Path) -> None:
    os.close(open_own(victim))
    assert victim.read_text() == "precious"
    (tmp_path / "link").symlink_to(tmp_path / "made")
    with pytest.raises(Untrusted):
        open_own(tmp_path / "link")
    assert not (tmp_path / "made").exists()


@as_root
@pytest.mark.parametrize("name", ["lock", "scores-1.sqlite"])
def test_the_store_leaves_another_users_folder_alone(shared: Path, victim: Path, name: str) -> None:
    by_another_user(shared / "store", {name: victim})
    store = Store(shared / "store")
    assert not store.put_many([(b"k" * 16, b"v")])
    assert store.notices == [
        f"scores are not stored: {shared / 'store'} belongs to another user. "
        "Set ASSAY_CACHE_DIR to a folder of your own."
    ]
    assert victim.read_text() == "precious" and sorted(path.name for path in (shared / "store").iterdir()) == [name]


@as_root
def test_a_planted_store_is_not_believed(shared: Path, tmp_path: Path) -> None:
    theirs = Store(tmp_path / "theirs")
    assert theirs.put_many([(b"k" * 16, b"planted")])
    theirs.close()
    (tmp_path / "theirs").rename(shared / "store")
    for path in (shared / "store", *(shared / "store").iterdir()):
        os.chown(path, DAEMON, DAEMON)
    assert Store(shared / "store").get_many([b"k" * 16]) == {}
    os.chown(shared / "store", 0, 0)  # the folder is ours, the file in it still is not
    assert Store(shared / "store").get_many([b"k" * 16]) == {}


def test_a_folder_open_to_all_is_not_used(tmp_path: Path, shared: Path) -> None:
    for folder in (tmp_path / "open" / "store", tmp_path / "store"):
        folder.mkdir(parents=True)
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "store").chmod(0o1777)
    for folder, told in ((tmp_path / "open" / "store", tmp_path / "open"), (tmp_path / "store", tmp_path / "store")):
        store = Store(folder)
        assert not store.put_many([(b"k" * 16, b"v")])
        assert f"{told} can be written by every user (fix: chmod o-w {told})" in store.notices[0]
        assert list(folder.iterdir()) == []
    assert Store(shared / "store").put_many([(b"k" * 16, b"v")])  # as /tmp: ours, in a sticky folder


def test_folders_are_made_for_their_owner_whatever_the_mask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        assert Store(tmp_path / "cache" / "store").put_many([(b"k" * 16, b"v")])
        ProgressFile.open("key", tmp_path / "cache" / "spool").close()
    finally:
        os.umask(before)
    again = Store(tmp_path / "cache" / "store")
    assert again.get_many([b"k" * 16]) == {b"k" * 16: b"v"} and again.notices == []
    for folder in (tmp_path / "cache", *(tmp_path / "cache").iterdir()):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_link_of_ones_own_may_lead_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "large disk").mkdir()
    (tmp_path / "cache").symlink_to("large disk")
    store = Store(tmp_path / "cache" / "store")
    assert store.put_many([(b"k" * 16, b"v")]) and (tmp_path / "large disk" / "store").is_dir()


def test_a_part_that_is_a_link_is_not_written_to(tmp_path: Path, victim: Path) -> None:
    with ProgressFile.open("key", tmp_path / "spool") as spool:
        (spool.folder / "00000000.part").symlink_to(victim)
        spool.put(0, b"h", {"a": np.zeros(3)})
        found = spool.get(0, b"h")
        assert found is not None and found["a"].tolist() == [0, 0, 0]
    assert victim.read_text() == "precious"


@as_root
def test_the_spool_leaves_another_users_folder_alone(
    shared: Path, victim: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    ours = ProgressFile.open("key", tmp_path / "spool")
    ours.close()
    by_another_user(shared / "spool", {})
    by_another_user(shared / "spool" / ours.folder.name, {"00000000.part": victim, "lock": victim})
    with ProgressFile.open("key", shared / "spool") as spool:
        assert spool.notice == (
            f"{shared / 'spool'} belongs to another user, so this run cannot be resumed. "
            "Set ASSAY_CACHE_DIR to a folder of your own."
        )
        spool.put(0, b"h", {"a": np.zeros(3)})
        assert spool.folder.parent == tmp_path / "temporary" and spool.get(0, b"h") is not None
        spool.finish()
    assert victim.read_text() == "precious"
    assert usage(shared / "spool") == (0, 0) and prune(shared / "spool", days=0) == 0
    assert (shared / "spool" / ours.folder.name / "lock").is_symlink()


def test_a_link_among_the_spools_is_no_spool(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    ProgressFile.open("key", tmp_path / "spool").close()
    (tmp_path / "spool" / "link").symlink_to(tmp_path / "mine")
    assert usage(tmp_path / "spool")[0] == 1 and prune(tmp_path / "spool", days=0) == 1
    assert list((tmp_path / "mine").iterdir()) == []


@as_root
def test_a_run_goes_on_without_a_cache(shared: Path, tmp_path: Path) -> None:
    by_another_user(shared / "spool", {})
    rows = 30_000  # more than one chunk, so that a spool is wanted
    for name in ("mt", "ref"):
        (tmp_path / name).write_text("a b c\n" * rows)
    command = [sys.executable, "-m", "assay", "score", "-m", "chrf", "--mt", "mt", "--ref", "ref"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "ASSAY_CACHE_DIR": str(shared)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "100.0" in done.stdout and "belongs to another user, so this run cannot be resumed" in done.stderr


def test_checking_needs_a_folder(tmp_path: Path) -> None:
    check_folder(tmp_path)
    with pytest.raises(FileNotFoundError):
        check_folder(tmp_path / "absent")


@as_root
def test_another_users_spool_in_a_sticky_folder(shared: Path, victim: Path, tmp_path: Path) -> None:
    ours = ProgressFile.open("key", shared)
    ours.finish()
    by_another_user(ours.folder, {"00000000.part": victim, "lock": victim})
    with ProgressFile.open("key", shared) as spool:
        assert "belongs to another user" in (spool.notice or "") and spool.folder != ours.folder
        spool.put(0, b"h", {"a": np.zeros(3)})
        spool.finish()
    assert prune(shared, days=0) == 0 and victim.read_text() == "precious"
