"""``assay cache``: contents of the score store and of the progress files of unfinished runs, and how to clear them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from assay.core.table import Table, TableColumn
from assay.engine import progress_file
from assay.engine.store import default_store
from assay.io.files.paths import cache_dir, hashes_dir, is_trusted, progress_dir
from assay.verbs.result import Result


@dataclass(repr=False)
class CacheInfo(Result):
    """Contents of the cache folder."""

    folder: Path
    scores: int
    """Cached scores of slow metrics."""
    size: int
    """Size of the store in bytes."""
    damaged: int
    """Damaged files that were set aside."""
    unfinished: int
    """Interrupted runs that can be resumed."""
    unfinished_size: int
    """Size of their progress files in bytes."""
    answers: int = 0
    """Cached answers of language models."""

    verb: ClassVar[str] = "cache"


@dataclass(repr=False)
class CacheCleared(Result):
    """Result of clearing the cache folder."""

    folder: Path
    unfinished: int
    """Number of unfinished runs that were deleted."""

    verb: ClassVar[str] = "cache"


def info() -> CacheInfo:
    """Return the contents of the cache folder."""
    store, answers = default_store().info(), default_store().answers.info()
    runs, size = progress_file.usage(progress_dir())
    facts = {
        "folder": cache_dir(),
        "scores kept": f"{store.entries:,}",
        "size": f"{store.bytes / 1e6:,.1f} MB",
        "answers kept": f"{answers.entries:,} ({answers.bytes / 1e6:,.1f} MB)",
        "damaged files set aside": store.damaged,
        "unfinished runs": f"{runs} ({size / 1e6:,.1f} MB)",
    }
    return CacheInfo(_facts(facts), cache_dir(), store.entries, store.bytes, store.damaged, runs, size, answers.entries)


def clear(answers: bool = False) -> CacheCleared:
    """Delete all cached scores and unfinished runs; with `answers`, also the language model answers.

    Answers cost money and cannot be reproduced exactly, so they are deleted only on explicit request.
    """
    default_store().clear()
    if answers and default_store().answers.folder.is_dir():
        default_store().answers.clear()
    runs = progress_file.prune(progress_dir(), days=0)
    if is_trusted(hashes_dir()):
        shutil.rmtree(hashes_dir(), ignore_errors=True)
    return CacheCleared(_facts({"folder": cache_dir(), "unfinished runs": runs}), cache_dir(), runs)


def _facts(facts: dict[str, object]) -> dict[str, Table]:
    rows = [{"what": what, "value": str(value)} for what, value in facts.items()]
    return {"cache": Table("cache", [TableColumn("what", " "), TableColumn("value", " ")], rows)}
