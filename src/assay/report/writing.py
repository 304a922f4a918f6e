"""Rendered results on their way out: to the screen, or to a file that appears only when whole."""

from __future__ import annotations

import sys
from collections.abc import Iterable


def write(text: str, out: str | None) -> None:
    """Text to stdout (also for ``-``), or atomically to a file."""
    write_pieces([text], out)


def write_pieces(pieces: Iterable[str], out: str | None) -> None:
    """The same for a text that comes in pieces, each written when it comes."""
    if not out or out == "-":
        for piece in pieces:
            sys.stdout.write(piece)
        sys.stdout.flush()
        return
    from assay.io.files.atomic import atomic_write

    with atomic_write(out, "w") as stream:
        for piece in pieces:
            stream.write(piece)
