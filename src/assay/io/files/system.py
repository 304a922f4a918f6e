"""File operations that differ between POSIX and Windows, such as locking, under common names.

Windows has its own lock call, cannot move or remove an open file, has no numeric owners, and converts line endings by default.
"""

from __future__ import annotations

import importlib
import os
import time
from typing import Any


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


_posix, _windows = _module("fcntl"), _module("msvcrt")
MOVES_OPEN_FILES = _posix is not None
"""Whether an open file can be renamed or removed."""
NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
"""Flag of os.open: fail at a link. Windows lets only administrators create links."""
NO_WAIT: int = getattr(os, "O_NONBLOCK", 0)
"""Flag of os.open: do not wait for the other end of a pipe."""
PLAIN: int = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0) | getattr(os, "O_BINARY", 0)
"""Flags of os.open: binary mode, and not inherited by child processes."""
_BEYOND = 0x7FFFFFFE
"""The byte that is locked on Windows, where nobody else can read a locked byte: the last one that its call can name."""


def lock(descriptor: int, *, wait: bool = True) -> None:
    """Lock a file against other processes until it is closed; without `wait`, raise BlockingIOError if another process holds
    the lock."""
    if _posix is not None:
        _posix.flock(descriptor, _posix.LOCK_EX if wait else _posix.LOCK_EX | _posix.LOCK_NB)
        return
    at = os.lseek(descriptor, 0, os.SEEK_CUR)
    try:
        while True:
            os.lseek(descriptor, _BEYOND, os.SEEK_SET)
            try:
                _windows.locking(descriptor, _windows.LK_NBLCK, 1)
                return
            except OSError as error:
                if not wait:
                    raise BlockingIOError(error.errno, "another process has the lock") from error
                time.sleep(0.05)
    finally:
        os.lseek(descriptor, at, os.SEEK_SET)


def has_owners() -> bool:
    """Return whether files have numeric owners and permissions; Windows protects user folders by other means."""
    return hasattr(os, "geteuid")
