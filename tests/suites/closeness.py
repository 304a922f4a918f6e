"""How close two sentences are, for checks on minimal pairs."""

from __future__ import annotations

import difflib


def share_kept(good: str, incorrect: str) -> float:
    """Share of characters that an alignment keeps, from 0 to 1."""
    return difflib.SequenceMatcher(None, good, incorrect, autojunk=False).ratio()
