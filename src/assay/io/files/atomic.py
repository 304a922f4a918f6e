"""Atomic writing of files.

The new content is written to a hidden file in the same folder, which is renamed to the target once everything is on disk. A crash,
a full disk or an error leaves the previous file unchanged.
"""

from __future__ import annotations

import errno
import hashlib
import json
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
    """Open a file for bytes (``"wb"``) or UTF-8 text (``"w"``) that becomes `path` when the block ends without an error.

    An existing file is replaced only then, and keeps its permissions. If `path` is a link, the new file replaces the link:
    the folder may come from another user, and the link may point to any of the user's files. A device or a pipe is rejected. If
    the user `typed` the path, a link is followed, and a pipe, a terminal or ``/dev/stdout`` is written directly. A lone
    surrogate, which UTF-8 cannot represent, is written as the escape ``\\udXXX`` that JSON knows.
    """
    return _atomic_write(os.fspath(path), mode, typed)


@contextmanager
def _atomic_write(path: str, mode: Literal["wb", "w"], typed: bool) -> Iterator[IO[Any]]:
    try:
        target, descriptor = _follow(path) if typed else (Path(path).absolute(), None)
        if descriptor is None and _is_special(target):
            if not typed:
                raise OSError(errno.EINVAL, "it is not a regular file", str(target))
            descriptor = os.open(target, os.O_WRONLY)
    except OSError as error:
        raise _output_error(path, error) from error
    if descriptor is not None:
        with _reporting_errors(path), _open(descriptor, mode) as file:
            yield file
        return
    temporary: Path | None = None
    try:
        with _reporting_errors(path, every=True):
            descriptor, temporary = _temporary(target)
        with _reporting_errors(path), _open(descriptor, mode) as file:
            _keep_permissions(target, descriptor)
            yield file
            file.flush()
            os.fsync(descriptor)
            # If possible, rename before the descriptor and its lock are released: see _temporary.
            if MOVES_OPEN_FILES:
                temporary.replace(target)
                temporary = None
        if temporary is not None:
            with _reporting_errors(path, every=True):
                temporary.replace(target)
            temporary = None
        _sync_folder(target)
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()


def open_locked(path: Path, *, mode: int = 0o666) -> int:
    """Open a file whose name assay chose, and lock it without waiting; remove a link of that name first.

    Raises:
        BlockingIOError: Another process has the lock.
        OSError: The file cannot be opened, or is a device or a pipe.
    """
    if path.is_symlink():
        path.unlink()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK | NO_WAIT | PLAIN, mode)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        lock(descriptor, wait=False)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def make_output_folder(path: Path) -> None:
    """Create a folder whose name assay chose inside an output folder; reject a link in its place."""
    if path.is_symlink():
        raise OutputError(f"cannot write in {path}: it is a link. Remove it, or choose a different output folder.")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _output_error(str(path), error) from error


def _open(descriptor: int, mode: Literal["wb", "w"]) -> IO[Any]:
    if mode == "w":
        return open(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n")
    return open(descriptor, "wb")


def _follow(path: str) -> tuple[Path, int | None]:
    """Return the file that `path` leads to, following links, or an open descriptor if it names one of this process."""
    target = Path(path).absolute()
    for _ in range(40):
        if own := _DESCRIPTOR.fullmatch(str(target)):
            number = {"stdout": 1, "stderr": 2}.get(own["name"] or "") or int(own["fd"] or own["proc"])
            return target, os.dup(number)
        if not target.is_symlink():
            break
        target = target.parent / target.readlink()
    return target, None


def _is_special(target: Path) -> bool:
    """Return whether the target is a pipe or a device; raise IsADirectoryError for a folder."""
    try:
        mode = target.lstat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "is a directory", str(target))
    return not (stat.S_ISREG(mode) or stat.S_ISLNK(mode))


def _temporary(target: Path) -> tuple[int, Path]:
    """Return a locked hidden file in the folder of the target.

    Its name is derived from the target's, so the next run removes the file that a killed run left. The lock shows that the
    writer is alive. A second run with the same target uses a different name.
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
    """Return whether the lock was obtained and the file still has its name (its last owner may have renamed or removed it)."""
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
    if not hasattr(os, "fchown"):  # Windows: a new file inherits its permissions from the folder
        return
    with suppress(OSError):
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _sync_folder(target: Path) -> None:
    with suppress(OSError):  # Windows cannot open folders
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def _reporting_errors(path: str, every: bool = False) -> Iterator[None]:
    """Turn the system's write errors into OutputErrors: `every` error in the block, or only a full or failing disk."""
    try:
        yield
    except OutputError:
        raise
    except Exception as error:
        system_error = _system_error(error)
        if system_error is None or not (every or system_error.errno in (*_FULL, errno.EIO, errno.EROFS)):
            raise
        raise _output_error(path, system_error) from error


@contextmanager
def scratch_errors() -> Iterator[None]:
    """Report a full disk in a block that writes temporary files as a problem with the temporary folder."""
    try:
        yield
    except Exception as error:
        system_error = _system_error(error)
        if system_error is None or system_error.errno not in _FULL:
            raise
        raise OutputError(
            f"the disk is full: no space for temporary files in {tempfile.gettempdir()}. Free some space, or set "
            "TMPDIR to a folder on another disk."
        ) from error


def _system_error(error: Exception) -> OSError | None:
    """Return the system error behind an exception, even if polars raised it."""
    if isinstance(error, OSError):
        return error
    return OSError(errno.ENOSPC, "No space left on device") if "os error 28" in str(error) else None


def _output_error(path: str, error: OSError) -> OutputError:
    folder = Path(path).absolute().parent
    if error.errno in _FULL:
        message = (
            f"cannot write {path}: the disk is full. Free some space, or choose another disk. No incomplete file was "
            "left."
        )
    elif isinstance(error, IsADirectoryError):
        message = f"cannot write {path}: it is a folder. Use a file name such as {Path(path) / 'scores.json'}."
    elif isinstance(error, (FileNotFoundError, NotADirectoryError)) and not folder.is_dir():
        message = f"cannot write {path}: the folder {folder} does not exist. Create it: mkdir -p {folder}"
    elif isinstance(error, PermissionError) or error.errno == errno.EROFS:
        message = f"cannot write {path}: no permission to write in {folder}. Choose another folder."
    else:
        message = f"cannot write {path}: {error.strerror or error}. Try another folder."
    return OutputError(message)


def lock_error(path: str, content: bytes) -> OutputError:
    """Return the error for a folder that another run has locked."""
    try:
        who = json.loads(content)
        holder = f"process {who['process']} on {who['machine']}, since {who['since']}"
    except (ValueError, KeyError, TypeError):
        holder = "another process"
    return OutputError(f"{path} is being written by {holder}. Wait for it or stop it, or choose another --out.")
