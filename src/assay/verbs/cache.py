"""What the score store and the progress files of unfinished runs hold, and emptying them."""

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
    """What lies in the cache folder."""

    folder: Path
    scores: int
    """Scores of slow metrics that are kept."""
    size: int
    """Bytes of the store."""
    damaged: int
    """Damaged files that were set aside."""
    unfinished: int
    """Runs that were stopped and can go on."""
    unfinished_size: int
    """Bytes of their progress files."""
    answers: int = 0
    """Answers of language models that are kept."""

    verb: ClassVar[str] = "cache"


@dataclass(repr=False)
class CacheCleared(Result):
    """A cache folder that was emptied."""

    folder: Path
    unfinished: int
    """Unfinished runs that were forgotten with it."""

    verb: ClassVar[str] = "cache"


def info() -> CacheInfo:
    """How much the cache folder holds."""
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
    """Forget all scores that are kept, and all unfinished runs; with `answers`, what language models answered, too.

    Answers were paid for, and are not given twice alike: they go only where somebody says so.
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
