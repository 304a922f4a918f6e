"""A Python that lacks what Windows lacks, for tests: run as ``python -m tests.io.files.windows VERB …`` in place of ``assay``.

The modules and calls that POSIX alone has are gone, locks are Windows' own, and a file that is open is neither moved nor removed.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

MODULES = ("fcntl", "resource", "termios", "tty", "pwd", "grp")
CALLS = (
    *("O_NOFOLLOW", "O_CLOEXEC", "O_DIRECTORY", "fchown", "fchmod", "geteuid", "getuid", "sysconf", "pread", "pwrite"),
    *("sched_getaffinity", "killpg", "statvfs", "fork"),
)


def _locking(descriptor: int, mode: int, size: int) -> None:
    # a lock of POSIX that, as on Windows, belongs to a part of the file that starts where the descriptor stands
    fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, size, 0, os.SEEK_CUR)


def _refusing_open_files(call):
    def guarded(source, *rest, **named):
        wanted = os.path.realpath(source)
        for number in os.listdir("/proc/self/fd"):
            try:
                target = os.readlink(f"/proc/self/fd/{number}")
            except OSError:
                continue
            if target == wanted or target.startswith(wanted + os.sep):
                raise PermissionError(errno.EACCES, "the file is in use", os.fspath(source))
        return call(source, *rest, **named)

    return guarded


def become() -> None:
    """From here on this process knows no more than Windows' Python."""
    import multiprocessing
    import shutil
    import subprocess
    import tempfile  # these choose their ways when they are imported

    assert all((multiprocessing, shutil, subprocess, tempfile))
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    sys.modules["msvcrt"] = SimpleNamespace(LK_NBLCK=2, locking=_locking)  # type: ignore[assignment]
    for name in CALLS:
        delattr(os, name)
    for name in ("setitimer", "ITIMER_PROF", "SIGPROF"):
        delattr(signal, name)
    for name in ("replace", "rename", "unlink"):
        setattr(os, name, _refusing_open_files(getattr(os, name)))
    Path.replace = lambda self, target: os.replace(self, target) or Path(target)  # type: ignore[method-assign]
    Path.rename = lambda self, target: os.rename(self, target) or Path(target)  # type: ignore[method-assign]


if __name__ == "__main__":
    become()
    from assay.cli.main import main

    sys.exit(main(sys.argv[1:]))
