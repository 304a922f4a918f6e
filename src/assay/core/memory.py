"""Wishes that no memory could hold are refused by arithmetic, before anything is made."""

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
