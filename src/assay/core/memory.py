"""How much memory there is, and how much is left; wishes that no memory could hold are refused by arithmetic."""

from __future__ import annotations

import functools
import os
from contextlib import suppress
from pathlib import Path

from assay.core.errors import InputError

SHARE = 4
"""Draws may take one part in so many of the memory."""
UNKNOWN = 8 << 30
"""What a machine is taken to have that does not tell."""


def refuse_beyond_memory(option: str, asked: int, bytes_each: int) -> None:
    """Refuse so many draws, `bytes_each` large, where together they would take more than a quarter of the memory."""
    most = memory() // SHARE // max(bytes_each, 1)
    if asked > most:
        raise InputError(
            f"{option} {asked:,} would take {asked * bytes_each / 1e9:,.1f} GB of memory. A quarter of what this machine has is "
            f"enough for {most:,}."
        )


@functools.cache
def memory() -> int:
    """Bytes of memory that this process may use: what the machine has, or what its container or its user was given."""
    try:
        import resource
    except ImportError:  # Windows does not say it in one call
        return UNKNOWN
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    with suppress(OSError, ValueError):  # "max", or another kind of machine
        limits.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    if (given := resource.getrlimit(resource.RLIMIT_AS)[0]) != resource.RLIM_INFINITY:
        limits.append(given)
    return min(limits)


def available() -> int:
    """Bytes of memory that this process could still take; 0 where nobody says."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    told = _numbers("/proc/meminfo")
    if "MemAvailable" not in told:  # macOS says what there is, and what this process had at most
        return max(0, memory() // 2 - resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    left = [1024 * told["MemAvailable"]]
    with suppress(OSError, ValueError):
        most, used = (int(Path(f"/sys/fs/cgroup/memory.{name}").read_text()) for name in ("max", "current"))
        left.append(most - used + _numbers("/sys/fs/cgroup/memory.stat").get("inactive_file", 0))
    if (given := resource.getrlimit(resource.RLIMIT_AS)[0]) != resource.RLIM_INFINITY:
        left.append(given - 1024 * _numbers("/proc/self/status").get("VmSize", 0))
    return max(0, min(left))


def _numbers(path: str) -> dict[str, int]:
    """The lines of a name and a whole number in a file of the kernel's; none where there is no such file."""
    found = {}
    with suppress(OSError):
        for line in Path(path).read_text(encoding="utf-8", errors="replace").splitlines():
            words = line.replace(":", " ").split()
            if len(words) > 1 and words[1].isdecimal():
                found[words[0]] = int(words[1])
    return found
