"""The one policy for rows that cannot be used."""

from __future__ import annotations

import os
from pathlib import Path

from assay.core.errors import InputError, count
from assay.io.files.text import file_name

SKIP = "(--skip-bad leaves such rows out and lists them.)"


class BadRows:
    """What to do with a row that cannot be used: stop with an error, or (`skip`) remember it and go on.

    `remedy` ends the error's sentence; a reader whose verb has no ``--skip-bad`` gives an empty one.
    """

    def __init__(self, skip: bool = False, remedy: str = SKIP) -> None:
        self.skip, self.remedy = skip, remedy
        self.found: list[str] = []

    def __call__(self, path: str | os.PathLike[str], line: int, reason: str) -> None:
        if not self.skip:
            raise InputError(f"{file_name(path)} line {line}: {reason} {self.remedy}".rstrip())
        self.found.append(f"{Path(file_name(path)).name} line {line}: {reason}")

    def sentences(self) -> list[str]:
        """One sentence with the number of rows left out, then one for each."""
        if not self.found:
            return []
        return [f"{count(len(self.found), 'bad row')} left out:", *self.found]
