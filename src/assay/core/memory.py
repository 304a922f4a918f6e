"""Total and available memory for this process, and rejection of requests that cannot fit."""

from __future__ import annotations

import functools
import os
from contextlib import suppress
from pathlib import Path

from assay.core.errors import InputError

SHARE = 4
"""Resampling may use a quarter of the memory."""
UNKNOWN = 8 << 30
"""Assumed memory of a machine that does not report it."""


def refuse_beyond_memory(option: str, number: int, bytes_each: int) -> None:
    """Reject a number of draws that would use more than a quarter of the memory."""
    most = memory() // SHARE // max(bytes_each, 1)
    if number > most:
        raise InputError(
            f"{option} {number:,} would need {number * bytes_each / 1e9:,.1f} GB of memory. At most "
            f"{most:,} fit in a quarter of this machine's memory."
        )


@functools.cache
def memory() -> int:
    """Return the number of bytes that this process may use: the machine's memory, or the limit for its container or user."""
    try:
        import resource
    except ImportError:  # Windows
        return UNKNOWN
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    with suppress(OSError, ValueError):  # the file says "max", or the system has no such file
        limits.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    if (limit := resource.getrlimit(resource.RLIMIT_AS)[0]) != resource.RLIM_INFINITY:
        limits.append(limit)
    return min(limits)


def available() -> int:
    """Return the number of bytes that this process can still allocate; 0 if unknown."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    meminfo = _numbers("/proc/meminfo")
    if "MemAvailable" not in meminfo:  # macOS reports the total, and the peak of this process
        return max(0, memory() // 2 - resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    left = [1024 * meminfo["MemAvailable"]]
    with suppress(OSError, ValueError):
        most, used = (int(Path(f"/sys/fs/cgroup/memory.{name}").read_text()) for name in ("max", "current"))
        left.append(most - used + _numbers("/sys/fs/cgroup/memory.stat").get("inactive_file", 0))
    if (limit := resource.getrlimit(resource.RLIMIT_AS)[0]) != resource.RLIM_INFINITY:
        left.append(limit - 1024 * _numbers("/proc/self/status").get("VmSize", 0))
    return max(0, min(left))


def _numbers(path: str) -> dict[str, int]:
    """Return the numbers in a kernel file by name; empty if the file does not exist."""
    numbers = {}
    with suppress(OSError):
        for line in Path(path).read_text(encoding="utf-8", errors="replace").splitlines():
            words = line.replace(":", " ").split()
            if len(words) > 1 and words[1].isdecimal():
                numbers[words[0]] = int(words[1])
    return numbers
