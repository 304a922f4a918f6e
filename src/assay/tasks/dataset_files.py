"""Finder and reader of data set files in a user's folder; file names match in any case, plain or compressed."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, count, listing
from assay.io.documents import read_document
from assay.io.files.text import MOST_TEXT

_ENDS = ("", ".gz", ".xz", ".zst")


def find_folder(folder: str | os.PathLike[str], inside: str = "") -> Path:
    """Return the given folder, or its subfolder `inside` if the data set is there."""
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise InputError(f"--data-dir {path} is not a folder.")
    return path / inside if inside and (path / inside).is_dir() else path


def find_file(folder: Path, name: str) -> Path | None:
    """Return the file called `name` (in any case, plain or compressed), or None; a plain file takes precedence."""
    here = {path.name.lower(): path for path in sorted(folder.iterdir()) if path.is_file()}
    return next((here[name.lower() + end] for end in _ENDS if name.lower() + end in here), None)


def require_file(folder: Path, name: str, what: str) -> Path:
    """Return the file called `name`; raise an error if this copy of `what` lacks it."""
    path = find_file(folder, name)
    if path is None:
        raise InputError(f"{folder} has no {name}. Specify the folder of {what} with data_dir.")
    return path


def find_language_codes(folder: Path, pattern: str) -> list[str]:
    """Return the lower-case language codes in the names of matching files; the pattern's only group captures the code."""
    shape = re.compile(pattern + r"(?:\.gz|\.xz|\.zst)?", re.IGNORECASE)
    return sorted({match[1].lower() for path in folder.iterdir() if (match := shape.fullmatch(path.name))})


def read_json(path: Path) -> Any:
    """Read a JSON file; a truncated file raises a specific error."""
    return read_document(path, most=MOST_TEXT)


def refuse_foreign(path: Path, names: Iterable[str], english_names: Container[str], base: str, noun: str) -> None:
    """Raise an error if a translated file contains ids that are missing from the English file `base`."""
    if foreign := [name for name in names if name not in english_names]:
        raise InputError(
            f"{path} does not belong to {base}: {count(len(foreign), noun)} not found there ({listing(foreign, 3)})."
        )
