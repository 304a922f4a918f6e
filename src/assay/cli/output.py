"""Where results go: the screen, or a file that appears only when whole."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.core.table import Table


def emit(
    tables: Sequence[Table], args: argparse.Namespace, *, head: Mapping[str, Any] | None = None, title: str = ""
) -> None:
    """Render tables in the wanted format and write them where they are wanted."""
    from assay.report import render, terminal

    to_screen = not args.out
    text = render(
        tables,
        args.format,
        head=head,
        title=title or f"assay {args.verb}",
        width=terminal.width_of() if to_screen else None,
        colour=to_screen and terminal.wants_colour(),
    )
    write(text, args.out)


def write(text: str, out: str | None) -> None:
    """Text to stdout, or atomically to a file."""
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


def note(sentence: str, quiet: bool = False) -> None:
    """A remark for people, on stderr."""
    if not quiet:
        from assay.report.terminal import paragraph, width_of

        sys.stderr.write("\n".join(paragraph(sentence, width_of(sys.stderr))) + "\n")
