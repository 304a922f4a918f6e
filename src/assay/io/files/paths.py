"""Cache folders (score store, progress files, hashes), and protection against files that other users put there.

A cache folder may be in a location to which other users can write. Files and links that another user put there are never followed,
read or written.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from assay.io.files.system import NO_LINK, PLAIN, has_owners


class Untrusted(OSError):
    """Cache file or folder that another user owns or could change; `strerror` names it and the reason."""


def cache_dir() -> Path:
    """Return ``$ASSAY_CACHE_DIR``, else ``$XDG_CACHE_HOME/assay``, else ``~/.cache/assay``, without creating it."""
    if chosen := os.environ.get("ASSAY_CACHE_DIR"):
        return Path(chosen).expanduser().absolute()
    # The XDG specification ignores relative paths.
    if (shared := os.environ.get("XDG_CACHE_HOME")) and Path(shared).is_absolute():
        return Path(shared) / "assay"
    return Path("~/.cache/assay").expanduser().absolute()


def is_own_file(path: Path) -> bool:
    """Return whether a path is a regular file in its folder; a link may point only to a file in the same folder."""
    return path.is_file() and path.resolve().is_relative_to(path.parent.resolve())


def store_dir() -> Path:
    """Return the folder of the score store."""
    return cache_dir() / "store"


def progress_dir() -> Path:
    """Return the folder for progress files, which record the finished chunks of every run."""
    return cache_dir() / "spool"


def hashes_dir() -> Path:
    """Return the folder for the recorded hashes of large files."""
    return cache_dir() / "hashes"


def private_folder(folder: Path, *, sticky: bool = False) -> None:
    """Create a cache folder that only its owner can access, or check that an existing one is trusted."""
    folder.parent.parent.mkdir(parents=True, exist_ok=True)
    for location in (folder.parent, folder):
        location.mkdir(mode=0o700, exist_ok=True)
    check_folder(folder, sticky=sticky)


def check_folder(folder: Path, *, sticky: bool = False) -> None:
    """Raise Untrusted if another user owns the folder or its parent, or could put files or links there.

    The parent may be world-writable if it is sticky, like ``/tmp``, because then other users cannot remove the files. With
    `sticky`, the same applies to the folder itself if it contains only folders.
    """
    for location in (folder.parent, folder):
        for status in (location.lstat(), location.stat()):
            _check_owner(location, status)
        guarded = (sticky or location is not folder) and status.st_mode & stat.S_ISVTX
        if has_owners() and status.st_mode & stat.S_IWOTH and not guarded:
            raise Untrusted(errno.EPERM, f"{location} can be written by every user (fix: chmod o-w {location})")


def is_trusted(folder: Path) -> bool:
    """Return whether a cache folder can be trusted, or does not exist yet."""
    try:
        check_folder(folder)
    except FileNotFoundError:
        return True
    except Untrusted:
        return False
    return True


def check_file(path: Path) -> None:
    """Raise Untrusted if a cache file is a link, belongs to another user or is not a regular file; it may be missing."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    _check_file(path, status)


def open_own(path: Path, mode: int = 0o600, flags: int = 0) -> int:
    """Open a file that belongs to this user, creating it if necessary; do not follow links or truncate. Return the descriptor."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK | PLAIN | flags, mode)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Untrusted(errno.EPERM, f"{path} is not a regular file") from error
        raise
    try:
        _check_file(path, os.fstat(descriptor))
    except Untrusted:
        os.close(descriptor)
        raise
    return descriptor


def _check_file(path: Path, status: os.stat_result) -> None:
    _check_owner(path, status)
    if not stat.S_ISREG(status.st_mode):
        raise Untrusted(errno.EPERM, f"{path} is not a regular file")


def _check_owner(path: Path, status: os.stat_result) -> None:
    if has_owners() and status.st_uid not in (os.geteuid(), 0):
        raise Untrusted(errno.EPERM, f"{path} belongs to another user")
