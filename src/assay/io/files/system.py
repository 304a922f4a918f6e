"""What systems do differently with files: POSIX and Windows behind the same names.

Windows locks by its own call, neither moves nor removes a file that is open, has no owners in numbers, and changes line ends
unless it is told not to.
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
"""Whether a file can be renamed or removed while it is open."""
NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
"""For os.open: fail at a link. Windows lets only administrators make links."""
NO_WAIT: int = getattr(os, "O_NONBLOCK", 0)
"""For os.open: do not wait for the other end of a pipe."""
PLAIN: int = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0) | getattr(os, "O_BINARY", 0)
"""For os.open: bytes as they are, and for this process alone."""
_BEYOND = 0x7FFFFFFE
"""Windows locks bytes, which nobody else can read then: the last one that its call can name."""


def lock(descriptor: int, *, wait: bool = True) -> None:
    """Lock a file against other processes until it is closed; without waiting, BlockingIOError where another has it."""
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
                    raise BlockingIOError(error.errno, "another process has it") from error
                time.sleep(0.05)
    finally:
        os.lseek(descriptor, at, os.SEEK_SET)


def has_owners() -> bool:
    """Whether files say in numbers who owns them and who may write: on Windows a user's folders are guarded otherwise."""
    return hasattr(os, "geteuid")
