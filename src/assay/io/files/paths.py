"""Where assay keeps what it may throw away (the score store, the progress files of unfinished runs), and whether it is ours alone.

A cache folder may lie in a place that others can write to. What another user put there, links above all, is neither followed
nor read nor written.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from assay.io.files.system import NO_LINK, PLAIN, has_owners


class Untrusted(OSError):
    """A folder or file of the cache that another user owns or could change; `strerror` says which and why."""


def cache_dir() -> Path:
    """``$ASSAY_CACHE_DIR``, else ``$XDG_CACHE_HOME/assay``, else ``~/.cache/assay``. It is not created here."""
    if chosen := os.environ.get("ASSAY_CACHE_DIR"):
        return Path(chosen).expanduser().absolute()
    # The XDG specification has relative paths ignored.
    if (shared := os.environ.get("XDG_CACHE_HOME")) and Path(shared).is_absolute():
        return Path(shared) / "assay"
    return Path("~/.cache/assay").expanduser().absolute()


def is_own_file(path: Path) -> bool:
    """Return whether a path is a plain file that lies in its folder: a link may lead only to a file of the same folder."""
    return path.is_file() and path.resolve().is_relative_to(path.parent.resolve())


def store_dir() -> Path:
    """The folder of the score store."""
    return cache_dir() / "store"


def progress_dir() -> Path:
    """The folder under which every run has its progress file of finished chunks."""
    return cache_dir() / "spool"


def hashes_dir() -> Path:
    """The folder with the hashes of large files that were computed before."""
    return cache_dir() / "hashes"


def private_folder(folder: Path, *, sticky: bool = False) -> None:
    """Make a folder of the cache for its owner alone, or check that one which is there is ours."""
    folder.parent.parent.mkdir(parents=True, exist_ok=True)
    for place in (folder.parent, folder):
        place.mkdir(mode=0o700, exist_ok=True)
    check_folder(folder, sticky=sticky)


def check_folder(folder: Path, *, sticky: bool = False) -> None:
    """Untrusted where another user owns the folder or the one it lies in, or could put files or links there.

    The outer one (and one that holds nothing but folders, with `sticky`) may be open to all when it is sticky, as ``/tmp`` is:
    then nobody can take away what we made in it.
    """
    for place in (folder.parent, folder):
        for found in (place.lstat(), place.stat()):
            _check_owner(place, found)
        guarded = (sticky or place is not folder) and found.st_mode & stat.S_ISVTX
        if has_owners() and found.st_mode & stat.S_IWOTH and not guarded:
            raise Untrusted(errno.EPERM, f"{place} can be written by every user (chmod o-w {place} mends it)")


def is_trusted(folder: Path) -> bool:
    """Whether what lies in a folder of the cache can be believed, or will be made by us."""
    try:
        check_folder(folder)
    except FileNotFoundError:
        return True
    except Untrusted:
        return False
    return True


def check_file(path: Path) -> None:
    """Untrusted where a file of the cache is a link, another user's, or no ordinary file; one that is missing is well."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    _check_file(path, found)


def open_own(path: Path, mode: int = 0o600, flags: int = 0) -> int:
    """The descriptor of a file of ours, made where it is missing: no link is followed, nothing that exists is emptied."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK | PLAIN | flags, mode)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Untrusted(errno.EPERM, f"{path} is not an ordinary file") from error
        raise
    try:
        _check_file(path, os.fstat(descriptor))
    except Untrusted:
        os.close(descriptor)
        raise
    return descriptor


def _check_file(path: Path, found: os.stat_result) -> None:
    _check_owner(path, found)
    if not stat.S_ISREG(found.st_mode):
        raise Untrusted(errno.EPERM, f"{path} is not an ordinary file")


def _check_owner(path: Path, found: os.stat_result) -> None:
    if has_owners() and found.st_uid not in (os.geteuid(), 0):
        raise Untrusted(errno.EPERM, f"{path} belongs to another user")
