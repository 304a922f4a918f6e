"""Error classes and warnings, and helpers for message texts.

Every deliberate error states in one sentence what is wrong, where, and what to do. The command line prints the sentence
after ``assay:`` and exits with the class's ``exit_code``. A traceback always indicates a bug.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable

from assay.core.context import command_line


class AssayError(Exception):
    """Base class of all deliberate errors: wrong input, a missing dependency, an impossible request. Exit code 2."""

    exit_code = 2


class InputError(AssayError, ValueError):
    """An invalid text, table or argument."""


class UnknownName(AssayError, LookupError):
    """An unknown metric, suite, option or column; the message suggests similar names."""


class MissingPart(AssayError, ImportError):
    """A package or file that must be installed or fetched first; the message is the instruction."""


class OutOfMemory(InputError):
    """A model that does not fit into its device's memory, regardless of the texts."""


class OutputError(AssayError, OSError):
    """A result that could not be written; no partial file is left."""


class CheckFailed(AssayError):
    """A requested check that ran and failed. Exit code 1."""

    exit_code = 1


class Interrupted(AssayError):
    """A run that the user stopped; finished work is saved. Exit code 130, as shells expect."""

    exit_code = 130


class AssayWarning(UserWarning):
    """A warning that numbers must be interpreted with care, or about a choice that assay made when computing them."""


def alert(sentences: Iterable[str]) -> None:
    """Issue a Python warning that points to the line that called assay. The command line prints alerts itself, even with
    --quiet."""
    if command_line() is not None:
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "assay":
        frame, level = frame.f_back, level + 1
    for sentence in sentences:
        warnings.warn(sentence, AssayWarning, stacklevel=level)


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: ``count(1997, "line")`` is ``"1,997 lines"``."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def listing(names: Iterable[str], most: int = 12) -> str:
    """Return names as a comma-separated list on one line, shortened to `most` names."""
    items = [name if name.isprintable() else " ".join(name.split()) for name in names]
    text = ", ".join(items[:most])
    return text + (f" and {len(items) - most} more" if len(items) > most else "")


def unknown(kind: str, name: str, names: Iterable[str], look: str = "") -> UnknownName:
    """Return an `UnknownName` error that suggests similar known names, or lists all names if none is similar.

    `kind` may include where the name was looked up (``column in a.tsv``); `look` is a command or a hint for the end of the message.
    """
    import difflib

    options = list(names)
    lowered = {option.lower(): option for option in options}
    near = [lowered[hit] for hit in difflib.get_close_matches(name.lower(), lowered, n=3, cutoff=0.6)]
    if near:
        hint = f"Did you mean {' or '.join([', '.join(near[:-1]), near[-1]] if len(near) > 1 else near)}?"
    else:
        hint = f"Available: {listing(options)}." if options else "None is available."
    more = f" See: {look}" if look.startswith("assay ") else f" ({look})" if look else ""
    noun, place = re.match(r"((?:(?:kind|role|set|form|choice) of )?.*?)( (?:in|of) .*|$)", kind, re.DOTALL).groups()  # type: ignore[union-attr]
    return UnknownName(f"unknown {noun} {name!r}{place}. {hint}{more}")
