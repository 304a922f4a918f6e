"""Where results go: the screen, or a file that appears only when whole."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
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
    if not out or out == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    from assay.io.atomic import atomic_write

    with atomic_write(out, "w") as stream:
        stream.write(text)


def run_folder(args: argparse.Namespace, name: str) -> str | None:
    """Where to keep a run: where --run-dir says, or under runs/ when a person is looking."""
    if args.run_dir is None and args.format == "table" and not args.out and sys.stdout.isatty():
        return f"runs/{time.strftime('%Y-%m-%dT%H-%M-%S')}-{name}"
    folder: str | None = args.run_dir
    return folder


def keep(write_to: Callable[[str], Path], folder: str, seconds: float, *, asked: bool) -> str:
    """Write a run directory, and the sentence that says so; one that nobody asked for may fail."""
    try:
        written = write_to(folder)
    except OSError as error:
        if asked:
            raise
        return f"⚠ the run was not kept in {folder}: {error.strerror or error}. --run-dir DIR keeps it elsewhere."
    files = ", ".join(sorted(path.name for path in written.iterdir() if path.is_file()))
    return f"wrote {written}/ ({files}) · {seconds:.1f} s"


def note(sentence: str, quiet: bool = False) -> None:
    """A remark for people, on stderr."""
    if not quiet:
        from assay.report.terminal import paragraph, width_of

        sys.stderr.write("\n".join(paragraph(sentence, width_of(sys.stderr))) + "\n")
