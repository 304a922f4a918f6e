"""Writing that is whole or not at all.

The new content goes to a hidden file beside the target and takes the target's name when everything is on the disk. A crash,
a full disk or an error in between leaves whatever stood under that name before.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, TextIO, overload

from assay.core.errors import OutputError
from assay.io.files.system import MOVES_OPEN_FILES, NO_LINK, NO_WAIT, PLAIN, lock

_DESCRIPTOR = re.compile(r"/dev/(?:fd/(?P<fd>\d+)|(?P<name>stdout|stderr))|/proc/self/fd/(?P<proc>\d+)")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@overload
def atomic_write(
    path: str | os.PathLike[str], mode: Literal["wb"] = "wb", *, typed: bool = False
) -> AbstractContextManager[BinaryIO]: ...
@overload
def atomic_write(
    path: str | os.PathLike[str], mode: Literal["w"], *, typed: bool = False
) -> AbstractContextManager[TextIO]: ...
def atomic_write(
    path: str | os.PathLike[str], mode: Literal["wb", "w"] = "wb", *, typed: bool = False
) -> AbstractContextManager[Any]:
    """A file to write into, bytes (``"wb"``) or UTF-8 text (``"w"``), that becomes `path` when the block ends well.

    An existing file keeps its permissions and is replaced only then. If `path` is a link, the new file takes its place: the
    folder may come from somebody else, and the link may lead to any file of the user. A device or a pipe is refused. Only a path
    that the user `typed` keeps its link, and is written straight through if it is a pipe, a terminal or ``/dev/stdout``. A lone
    surrogate, which UTF-8 cannot hold, is written as the escape ``\\udXXX`` that JSON knows.
    """
    return _atomic_write(os.fspath(path), mode, typed)


@contextmanager
def _atomic_write(path: str, mode: Literal["wb", "w"], typed: bool) -> Iterator[IO[Any]]:
    try:
        target, descriptor = _follow(path) if typed else (Path(path).absolute(), None)
        if descriptor is None and _special(target):
            if not typed:
                raise OSError(errno.EINVAL, "it is not an ordinary file", str(target))
            descriptor = os.open(target, os.O_WRONLY)
    except OSError as error:
        raise _output_error(path, error) from error
    if descriptor is not None:
        with _speaking(path), _open(descriptor, mode) as file:
            yield file
        return
    temporary: Path | None = None
    try:
        with _speaking(path, every=True):
            descriptor, temporary = _temporary(target)
        with _speaking(path), _open(descriptor, mode) as file:
            _keep_permissions(target, descriptor)
            yield file
            file.flush()
            os.fsync(descriptor)
            # Renamed before the descriptor (and its lock) is let go, where that can be done: see _temporary.
            if MOVES_OPEN_FILES:
                temporary.replace(target)
                temporary = None
        if temporary is not None:
            with _speaking(path, every=True):
                temporary.replace(target)
            temporary = None
        _sync_folder(target)
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()


def open_locked(path: Path, *, mode: int = 0o666) -> int:
    """Open a file whose name assay chose, and lock it without waiting; a link under that name is removed first.

    Raises:
        BlockingIOError: another process has the lock.
        OSError: the file cannot be opened, or is a device or a pipe.
    """
    if path.is_symlink():
        path.unlink()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK | NO_WAIT | PLAIN, mode)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not an ordinary file", str(path))
        lock(descriptor, wait=False)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def make_output_folder(path: Path) -> None:
    """Make a folder whose name assay chose, in one that may have come from somebody else: a link in its place is refused."""
    if path.is_symlink():
        raise OutputError(f"cannot write in {path}: it is a link. Remove it, or give another output folder.")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _output_error(str(path), error) from error


def _open(descriptor: int, mode: Literal["wb", "w"]) -> IO[Any]:
    if mode == "w":
        return open(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n")
    return open(descriptor, "wb")


def _follow(path: str) -> tuple[Path, int | None]:
    """The file behind `path`, links followed; or an open descriptor when it names one of this process's own."""
    target = Path(path).absolute()
    for _ in range(40):
        if own := _DESCRIPTOR.fullmatch(str(target)):
            number = {"stdout": 1, "stderr": 2}.get(own["name"] or "") or int(own["fd"] or own["proc"])
            return target, os.dup(number)
        if not target.is_symlink():
            break
        target = target.parent / target.readlink()
    return target, None


def _special(target: Path) -> bool:
    """True for pipes and devices; a directory is an error."""
    try:
        mode = target.lstat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "is a directory", str(target))
    return not (stat.S_ISREG(mode) or stat.S_ISLNK(mode))


def _temporary(target: Path) -> tuple[int, Path]:
    """A locked hidden file beside the target.

    Its name follows from the target's, so that the next run removes what a killed one left and nothing piles up. The lock
    says that its writer lives; a second run with the same target takes a name of its own.
    """
    name = os.fsencode(target.name)
    short = target.name if len(name) < 200 else hashlib.blake2b(name, digest_size=16).hexdigest()
    shared = target.parent / f".{short}.assay-part"
    _remove_abandoned(shared)
    with suppress(FileExistsError):
        descriptor = os.open(shared, os.O_WRONLY | os.O_CREAT | os.O_EXCL | PLAIN, 0o666)
        if _lock(descriptor, shared):
            return descriptor, shared
        os.close(descriptor)
    private = target.parent / f".{short}.{secrets.token_hex(6)}.assay-part"
    return os.open(private, os.O_WRONLY | os.O_CREAT | os.O_EXCL | PLAIN, 0o666), private


def _remove_abandoned(path: Path) -> None:
    with suppress(OSError):
        descriptor = os.open(path, os.O_WRONLY | NO_LINK | PLAIN)
        try:
            abandoned = _lock(descriptor, path)
            if abandoned and MOVES_OPEN_FILES:
                path.unlink()
        finally:
            os.close(descriptor)
        if abandoned and not MOVES_OPEN_FILES:
            path.unlink()


def _lock(descriptor: int, path: Path) -> bool:
    """True when the lock is ours and the file still has its name (its last owner may have renamed or removed it)."""
    try:
        lock(descriptor, wait=False)
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def _keep_permissions(target: Path, descriptor: int) -> None:
    try:
        old = target.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(old.st_mode):
        return
    if not hasattr(os, "fchown"):  # Windows: a new file has what its folder says
        return
    with suppress(OSError):
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _sync_folder(target: Path) -> None:
    with suppress(OSError):  # Windows opens no folders
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def _speaking(path: str, every: bool = False) -> Iterator[None]:
    """Turn the system's errors of writing (`every` error of the block, or a full or failing disk) into OutputErrors."""
    try:
        yield
    except OutputError:
        raise
    except Exception as error:
        said = _system_error(error)
        if said is None or not (every or said.errno in (*_FULL, errno.EIO, errno.EROFS)):
            raise
        raise _output_error(path, said) from error


@contextmanager
def scratch_errors() -> Iterator[None]:
    """In a block that writes temporary files on the way to an output: a full disk is theirs, not the output's."""
    try:
        yield
    except Exception as error:
        said = _system_error(error)
        if said is None or said.errno not in _FULL:
            raise
        raise OutputError(
            f"there is no room for temporary files in {tempfile.gettempdir()}. Free some space there, or set TMPDIR to a folder "
            "on another disk; nothing was left half-written."
        ) from error


def _system_error(error: Exception) -> OSError | None:
    """The system's error, also where polars speaks of it."""
    if isinstance(error, OSError):
        return error
    return OSError(errno.ENOSPC, "No space left on device") if "os error 28" in str(error) else None


def _output_error(path: str, error: OSError) -> OutputError:
    folder = Path(path).absolute().parent
    if error.errno in _FULL:
        said = (
            f"cannot write {path}: the disk is full. Free some space or write elsewhere; nothing was left half-written."
        )
    elif isinstance(error, IsADirectoryError):
        said = f"cannot write {path}: it is a folder. Give a file name, such as {Path(path) / 'scores.json'}."
    elif isinstance(error, (FileNotFoundError, NotADirectoryError)) and not folder.is_dir():
        said = f"cannot write {path}: there is no folder {folder}. Make it first: mkdir -p {folder}"
    elif isinstance(error, PermissionError) or error.errno == errno.EROFS:
        said = f"cannot write {path}: no permission to write in {folder}. Choose another folder."
    else:
        said = f"cannot write {path}: {error.strerror or error}. Try another place."
    return OutputError(said)
