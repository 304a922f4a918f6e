"""Where assay keeps what it makes and fetches."""

from __future__ import annotations

import os
from pathlib import Path


def cache_dir() -> Path:
    """``$ASSAY_CACHE_DIR``, else ``$XDG_CACHE_HOME/assay``, else ``~/.cache/assay``; not created here."""
    own = os.environ.get("ASSAY_CACHE_DIR")
    if own:
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "assay"
