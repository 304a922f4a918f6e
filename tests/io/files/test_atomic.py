from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from assay.core.errors import InputError, OutputError
from assay.io.files.atomic import atomic_write


def left_over(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if "assay-part" in path.name)


def test_text_and_bytes(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "a.txt", "w") as out:
        out.write("你好\r\nx\n\ud800")
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").read_bytes() == "你好\r\nx\n".encode() + rb"\ud800"
    with atomic_write(str(tmp_path / "a.txt")) as raw:
        raw.write(b"\x00\xff")
    assert (tmp_path / "a.txt").read_bytes() == b"\x00\xff"
    assert left_over(tmp_path) == []


@pytest.mark.parametrize("error", [InputError("bad"), KeyboardInterrupt(), OSError(errno.ECONNRESET, "else")])
def test_an_error_inside_leaves_the_old_file(tmp_path: Path, error: BaseException) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(type(error)) as raised, atomic_write(tmp_path / "a", "w") as out:
        out.write("new")
        raise error
    assert raised.value is error
    assert (tmp_path / "a").read_text() == "old"
    assert left_over(tmp_path) == []


def test_permissions(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("x")
    (tmp_path / "old").chmod(0o640)
    mask = os.umask(0o027)
    try:
        for name in ("old", "new"):
            with atomic_write(tmp_path / name, "w") as out:
                out.write("y")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640  # 0o666 less the mask


def test_a_typed_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "dangling").symlink_to("later")
    for name in ("link", "dangling"):
        with atomic_write(tmp_path / name, "w", typed=True) as out:
            out.write("new")
        assert (tmp_path / name).is_symlink()
    assert (tmp_path / "real").read_text() == (tmp_path / "later").read_text() == "new"


def test_a_link_under_a_name_that_assay_chose_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "dangling").symlink_to("later")
    for name in ("link", "dangling"):
        with atomic_write(tmp_path / name, "w") as out:
            out.write("new")
        assert not (tmp_path / name).is_symlink()
        assert (tmp_path / name).read_text() == "new"
    assert (tmp_path / "real").read_text() == "old"
    assert not (tmp_path / "later").exists()


def test_a_pipe_under_a_name_that_assay_chose_is_refused_and_stays(tmp_path: Path) -> None:
    """Never replaced: as root, that would replace a device such as /dev/null."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="not a regular file"), atomic_write(tmp_path / "pipe", "w"):
        pytest.fail("opened")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_what_a_killed_run_left_is_removed(tmp_path: Path) -> None:
    code = (
        "import sys, time; from assay.io.files.atomic import atomic_write\n"
        "with atomic_write(sys.argv[1], 'w') as out:\n"
        "    out.write('half'); out.flush(); print('ready', flush=True); time.sleep(60)"
    )
    target = tmp_path / "scores.json"
    for _ in range(3):
        writer = subprocess.Popen([sys.executable, "-c", code, str(target)], stdout=subprocess.PIPE)
        assert writer.stdout is not None and writer.stdout.readline() == b"ready\n"
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
    assert left_over(tmp_path) == [".scores.json.assay-part"]
    assert not target.exists()
    with atomic_write(target, "w") as out:
        out.write("whole")
    assert target.read_text() == "whole"
    assert left_over(tmp_path) == []


def test_two_writers_of_one_file(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "a", "w") as first:
        with atomic_write(tmp_path / "a", "w") as second:
            first.write("first" * 1000)
            second.write("second")
            assert len(left_over(tmp_path)) == 2
        assert (tmp_path / "a").read_text() == "second"
    assert (tmp_path / "a").read_text() == "first" * 1000
    assert left_over(tmp_path) == []


def test_many_writers_of_one_file(tmp_path: Path) -> None:
    def write(who: int) -> None:
        for _ in range(30):
            with atomic_write(tmp_path / "a", "w") as out:
                out.write(f"{who}" * 5000)

    threads = [threading.Thread(target=write, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if (tmp_path / "a").exists():
            text = (tmp_path / "a").read_text()
            assert len(text) == 5000 and len(set(text)) == 1
        time.sleep(0.001)
    assert left_over(tmp_path) == []


def test_impossible_targets(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    cases = {
        "missing/deep/a": r"the folder .*missing/deep does not exist\. Create it: mkdir -p .*missing/deep",
        "folder": r"it is a folder. Use a file name",
        "file/a": r"the folder .*file does not exist",
        "x" * 300: r"cannot write .*xxx: File name too long",
    }
    for name, said in cases.items():
        with pytest.raises(OutputError, match=said), atomic_write(tmp_path / name):
            pytest.fail("opened")


def test_an_unwritable_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def refuse(path: os.PathLike[str], flags: int, *rest: int) -> int:
        if flags & os.O_CREAT:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, flags, *rest)

    monkeypatch.setattr(os, "open", refuse)  # the superuser may write everywhere
    said = r"cannot write .*/a: no permission to write in .*Choose another folder"
    with pytest.raises(OutputError, match=said), atomic_write(tmp_path / "a"):
        pytest.fail("opened")


def test_devices_and_pipes_are_written_straight(tmp_path: Path) -> None:
    with atomic_write("/dev/null", "w", typed=True) as out:
        out.write("x")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    with atomic_write(pipe, typed=True) as raw:
        raw.write(b"through")
    reader.join()
    assert got == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("target", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_standard_output_by_name(tmp_path: Path, target: str) -> None:
    """Also when it is a file opened for appending, and through a link: what stood there stays."""
    if target == "link":
        (tmp_path / "link").symlink_to("/dev/stdout")
    code = (
        "import sys; from assay.io.files.atomic import atomic_write\n"
        "with atomic_write(sys.argv[1], 'w', typed=True) as f: f.write('new')"
    )
    (tmp_path / "log").write_text("old ")
    with (tmp_path / "log").open("a") as log:
        subprocess.run([sys.executable, "-c", code, target], stdout=log, check=True, cwd=tmp_path)
    assert (tmp_path / "log").read_text() == "old new"
    assert Path("/dev/stdout").is_symlink()
    done = subprocess.run([sys.executable, "-c", code, target], capture_output=True, check=True, cwd=tmp_path)
    assert done.stdout == b"new"
