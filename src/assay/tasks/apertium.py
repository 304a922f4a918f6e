"""Apertium: rule-based translation with a Debian package for each pair of languages.

Its licence is the GPL, so it is called as a program and never linked. Output carries real and varied errors (agreement, word
sense, words left as they are, word order), which makes it good material for breakdown detection.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
from collections.abc import Sequence

from assay.core.errors import InputError, MissingPart, listing
from assay.tasks.programs import LineProgram

_MODES: dict[tuple[str, str], tuple[str, str]] = {
    ("es", "en"): ("spa-eng", "apertium-eng-spa"),
    ("en", "es"): ("eng-spa", "apertium-eng-spa"),
    ("ca", "en"): ("cat-eng", "apertium-eng-cat"),
    ("en", "ca"): ("eng-cat", "apertium-eng-cat"),
    ("gl", "en"): ("gl-en", "apertium-en-gl"),
    ("en", "gl"): ("en-gl", "apertium-en-gl"),
    ("eo", "en"): ("eo-en", "apertium-eo-en"),
    ("en", "eo"): ("en-eo", "apertium-eo-en"),
    ("eu", "en"): ("eu-en", "apertium-eu-en"),
    ("hbs", "en"): ("hbs-eng", "apertium-hbs-eng"),
    ("is", "en"): ("isl-eng", "apertium-isl-eng"),
    ("mk", "en"): ("mkd-eng", "apertium-mkd-eng"),
    ("fr", "es"): ("fr-es", "apertium-fr-es"),
    ("es", "fr"): ("es-fr", "apertium-fr-es"),
    ("it", "es"): ("ita-spa", "apertium-spa-ita"),
    ("ro", "es"): ("ro-es", "apertium-es-ro"),
    ("pt", "es"): ("pt-es", "apertium-es-pt"),
    ("es", "pt"): ("es-pt", "apertium-es-pt"),
}
_PIVOT = "es"


def route(source: str, target: str) -> list[tuple[str, str]]:
    """The (mode, Debian package) steps from one language to another: one, or two over Spanish."""
    if (source, target) in _MODES:
        return [_MODES[source, target]]
    if (source, _PIVOT) in _MODES and (_PIVOT, target) in _MODES:
        return [_MODES[source, _PIVOT], _MODES[_PIVOT, target]]
    into = sorted(
        {code for code, other in _MODES if other == target} | {code for code, other in _MODES if other == _PIVOT}
    )
    hint = f"into {target} there is {listing(into)}" if into else f"no pair leads into {target}"
    raise InputError(f"Apertium has no route from {source} to {target}: {hint}.")


def reaches(source: str, target: str) -> bool:
    """Whether Apertium has a route, installed or not."""
    try:
        return bool(route(source, target))
    except InputError:
        return False


@functools.cache
def _installed(program: str) -> frozenset[str]:
    listed = subprocess.run([program, "-l"], capture_output=True, text=True, timeout=60, check=False)
    return frozenset(listed.stdout.split())


class Apertium:
    """Apertium as a program; French, Italian, Romanian and Portuguese reach English over Spanish."""

    name = "apertium"

    def __init__(self, seconds: float = 120.0) -> None:
        self.seconds = seconds

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """One translation a text; None where Apertium crashed or hung."""
        translated: list[str | None] = list(texts)
        for command in self._commands(source, target):
            kept = [text for text in translated if text is not None]
            # Without an empty line between segments its rules reach over the end of the line.
            answers = iter(LineProgram(command, self.seconds, blank_lines=True).translate(kept))
            translated = [None if text is None else next(answers) for text in translated]
        return translated

    def _commands(self, source: str, target: str) -> list[list[str]]:
        steps = route(source, target)
        program = shutil.which("apertium")
        packages = " ".join(["apertium", *dict.fromkeys(package for _, package in steps)])
        missing = program is None or not {mode for mode, _ in steps} <= _installed(program)
        if program is None or missing:
            raise MissingPart(f"Apertium for {source} to {target} is not installed: apt-get install {packages}")
        return [[program, "-u", mode] for mode, _ in steps]
