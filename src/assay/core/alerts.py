"""Alerts: what changes how numbers must be read. Python gets a warning; the command line prints them even with --quiet."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

from assay.core.call import command_line


class AssayWarning(UserWarning):
    """Numbers that must be read with care, or a choice that assay made about them."""


def alert(sentences: Iterable[str]) -> None:
    """Warn a Python program, at the line that called assay; the command line prints the alerts of its result instead."""
    if command_line() is not None:
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "assay":
        frame, level = frame.f_back, level + 1
    for sentence in sentences:
        warnings.warn(sentence, AssayWarning, stacklevel=level)
