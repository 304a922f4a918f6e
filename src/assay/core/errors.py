"""Errors that speak to people.

Every error assay raises on purpose says, in one sentence, what is wrong, where it is and what to do next. The command
line prints that sentence after ``assay:`` and leaves with the class's ``exit_code``; a traceback is always a bug.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

from assay.core.context import command_line


class AssayError(Exception):
    """Base of all deliberate errors: wrong input, a missing part, an impossible wish. Exit code 2."""

    exit_code = 2


class InputError(AssayError, ValueError):
    """A text, a table or an argument is not what it must be."""


class UnknownName(AssayError, LookupError):
    """A metric, suite, option or column that does not exist; the message lists the nearest ones."""


class MissingPart(AssayError, ImportError):
    """Something that must be installed or fetched first; the message is the instruction."""


class NoRoom(InputError):
    """A network does not fit the memory of its device; no text is at fault."""


class OutputError(AssayError, OSError):
    """A result could not be written; nothing was left half-written."""


class CheckFailed(AssayError):
    """The check that was asked for ran and failed. Exit code 1."""

    exit_code = 1


class Interrupted(AssayError):
    """The user stopped the run; finished work is kept. Exit code 130, as shells expect."""

    exit_code = 130


class AssayWarning(UserWarning):
    """A warning that numbers must be read with care, or about a choice that assay made for them."""


def alert(sentences: Iterable[str]) -> None:
    """Warn a Python program at the line that called assay. The command line prints alerts itself, even with --quiet."""
    if command_line() is not None:
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "assay":
        frame, level = frame.f_back, level + 1
    for sentence in sentences:
        warnings.warn(sentence, AssayWarning, stacklevel=level)


def count(n: int, noun: str, plural: str | None = None) -> str:
    """``count(1997, "line")`` is ``"1,997 lines"``."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def listing(names: Iterable[str], most: int = 12) -> str:
    """A comma-separated list for a message, on one line whatever the names hold, cut when it grows too long to read."""
    items = [name if name.isprintable() else " ".join(name.split()) for name in names]
    text = ", ".join(items[:most])
    return text + (f" and {len(items) - most} more" if len(items) > most else "")


def unknown(kind: str, name: str, known: Iterable[str], look: str = "") -> UnknownName:
    """An UnknownName error that suggests the nearest known names, or lists them when none is near."""
    import difflib

    options = list(known)
    lowered = {option.lower(): option for option in options}
    near = [lowered[hit] for hit in difflib.get_close_matches(name.lower(), lowered, n=3, cutoff=0.6)]
    if near:
        hint = f"Did you mean {', '.join(near)}?"
    elif options:
        hint = f"There is {listing(options)}."
    else:
        hint = "There is none."
    return UnknownName(f"no {kind} called {name!r}. {hint}" + (f" ({look})" if look else ""))
