"""Any command line as a translator."""

from __future__ import annotations

from collections.abc import Sequence

from assay.tasks.programs import LineProgram


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
