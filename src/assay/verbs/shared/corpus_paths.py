"""Classification of paths: whether an input or output is a corpus in many files, a table or a folder."""

from __future__ import annotations

import os
from typing import Any

from assay.core.errors import InputError
from assay.corpus.discovery import is_corpus
from assay.io.files.folders import is_remote
from assay.io.table.folder import shards_of


def in_shards(data: Any, out: str | os.PathLike[str] | None) -> bool:
    """Whether Python arguments name a corpus and its output folder, as opposed to two files."""
    if out is not None and (names_folder(os.fspath(out)) or os.path.isdir(out)):
        return True
    paths = [data] if isinstance(data, (str, os.PathLike)) else data if isinstance(data, (list, tuple)) else []
    return any(isinstance(path, (str, os.PathLike)) and names_corpus(os.fspath(path)) for path in paths)


def names_corpus(path: str) -> bool:
    """Whether an input is a corpus in many files: a folder, a pattern, or a location in an object store."""
    return is_corpus(path)


def names_table(path: str) -> bool:
    """Whether an input is one table in several files: a Hugging Face dataset (docs/tables.md)."""
    try:
        return shards_of(path) is not None
    except InputError:  # several tables: the reader reports that
        return True


def names_folder(out: str) -> bool:
    """Whether an output name denotes a folder: it ends in a slash or is in an object store."""
    return is_remote(out) or out.endswith(("/", os.sep))
