"""Where assay keeps what it may throw away: the score store and the spools of unfinished runs."""

from __future__ import annotations

import os
from pathlib import Path


def cache_dir() -> Path:
    """``$ASSAY_CACHE_DIR``, else ``$XDG_CACHE_HOME/assay``, else ``~/.cache/assay``. It is not created here."""
    if chosen := os.environ.get("ASSAY_CACHE_DIR"):
        return Path(chosen).expanduser().absolute()
    # The XDG specification has relative paths ignored.
    if (shared := os.environ.get("XDG_CACHE_HOME")) and Path(shared).is_absolute():
        return Path(shared) / "assay"
    return Path("~/.cache/assay").expanduser().absolute()


def store_dir() -> Path:
    """The folder of the score store."""
    return cache_dir() / "store"


def spool_dir() -> Path:
    """The folder under which every run has its spool of finished chunks."""
    return cache_dir() / "spool"
