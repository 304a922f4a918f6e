"""Where a review shows its cards."""

from __future__ import annotations

import sys


def show(text: str) -> None:
    """Print at once: a prompt has no line end that would make a terminal show it."""
    sys.stdout.write(text)
    sys.stdout.flush()
