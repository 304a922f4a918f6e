"""Output of rendered results to stdout, atomically to a file, or as messages to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from typing import IO, Any, TextIO

from assay.core.errors import InputError


def write(text: str, out: str | None) -> None:
    """Write text to stdout (also for ``-``), or atomically to a file."""
    write_parts([text], out)


def write_parts(pieces: Iterable[str], out: str | None) -> None:
    """Write parts of a text as they arrive, to stdout or atomically to a file."""
    if not out or out == "-":
        for piece in pieces:
            sys.stdout.write(piece)
        sys.stdout.flush()
        return
    with output_file(out) as stream:
        for piece in pieces:
            stream.write(piece)


def write_bytes(write_to: Callable[[IO[bytes]], None], out: str | None, format: str) -> None:
    """Write the output of `write_to` to stdout or atomically to a file; refuse a terminal."""
    if out and out != "-":
        with output_file(out, binary=True) as stream:
            write_to(stream)
        return
    if sys.stdout.isatty():
        raise InputError(f"{format} cannot be shown on a terminal. Use --out FILE, or a pipe.")
    write_to(sys.stdout.buffer)
    sys.stdout.flush()


def output_file(out: str, *, binary: bool = False) -> AbstractContextManager[IO[Any]]:
    """Return a stream to a file that appears under its name only when the block ends without an error."""
    from assay.io.files.atomic import atomic_write

    return atomic_write(out, "wb" if binary else "w", typed=True)


def write_stderr(text: str) -> None:
    """Write text to stderr at once; ignore a closed or full stderr, so that the work continues."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        silence(sys.stderr)


def silence(stream: TextIO) -> None:
    """Redirect a failed stream to the null device, so that Python's last flush cannot fail again."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
