"""Rendered results on their way out: to the screen, or to a file that appears only when whole; and remarks to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from typing import IO, Any, TextIO

from assay.core.errors import InputError


def write(text: str, out: str | None) -> None:
    """Text to stdout (also for ``-``), or atomically to a file."""
    write_parts([text], out)


def write_parts(pieces: Iterable[str], out: str | None) -> None:
    """The same for a text that comes in pieces, each written when it comes."""
    if not out or out == "-":
        for piece in pieces:
            sys.stdout.write(piece)
        sys.stdout.flush()
        return
    with output_file(out) as stream:
        for piece in pieces:
            stream.write(piece)


def write_bytes(write_to: Callable[[IO[bytes]], None], out: str | None, format: str) -> None:
    """What `write_to` writes, to stdout or atomically to a file; a terminal is spared."""
    if out and out != "-":
        with output_file(out, binary=True) as stream:
            write_to(stream)
        return
    if sys.stdout.isatty():
        raise InputError(f"{format} is not for a terminal: give --out FILE, or a pipe.")
    write_to(sys.stdout.buffer)
    sys.stdout.flush()


def output_file(out: str, *, binary: bool = False) -> AbstractContextManager[IO[Any]]:
    """A stream to a file that appears under its name only when the block ends well."""
    from assay.io.files.atomic import atomic_write

    return atomic_write(out, "wb" if binary else "w", typed=True)


def write_stderr(text: str) -> None:
    """Text to stderr, at once. Where nobody can hear it (a reader that went away, a full disk) the work goes on."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        silence(sys.stderr)


def silence(stream: TextIO) -> None:
    """What is still written to a stream that failed goes nowhere, so that Python's last flush cannot fail again."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
