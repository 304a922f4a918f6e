"""Handling of unusable rows: stop at the first one, or skip and list them."""

from __future__ import annotations

import os
from pathlib import Path

from assay.core.errors import InputError, count
from assay.io.files.text import file_name

SKIP = "(--skip-bad skips and lists such rows.)"


class BadRows:
    """Handler of unusable rows: raise an error, or with `skip` record the row.

    `remedy` ends the error message; it is empty for verbs without ``--skip-bad``.
    """

    def __init__(self, skip: bool = False, remedy: str = SKIP) -> None:
        self.skip, self.remedy = skip, remedy
        self.found: list[str] = []

    def __call__(self, path: str | os.PathLike[str], line: int, reason: str) -> None:
        if not self.skip:
            raise InputError(f"{file_name(path)} line {line}: {reason} {self.remedy}".rstrip())
        self.found.append(f"{Path(file_name(path)).name} line {line}: {reason}")

    def sentences(self) -> list[str]:
        """Return one sentence with the number of skipped rows, then one per row."""
        if not self.found:
            return []
        return [f"{count(len(self.found), 'bad row')} left out:", *self.found]
