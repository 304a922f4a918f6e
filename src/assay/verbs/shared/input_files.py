"""Input files of a result: files named in its arguments, and files of local test sets and suites."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.core.suite import SuiteCard

FILES = (
    "mt",
    "ref",
    "src",
    "data",
    "suite",
    "metric_files",
    "predicted",
    "gold",
    "judgements",
    "name",
    "recipe",
    "decisions",
    "rule",
)
"""Arguments of verbs that may name a file; other values name something else, such as a suite or a year."""


def named_files(arguments: Mapping[str, Any]) -> list[str]:
    """Return the files named in arguments, without options after a colon or names before an equals sign."""
    return [path for name in FILES for given in several(arguments.get(name)) if (path := _file(given)) is not None]


def several(value: Any) -> Iterator[str]:
    """Return the texts in an argument: a single one, a list, or the values of a mapping."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (inner for inner in value.values() if isinstance(inner, str))
    elif isinstance(value, (list, tuple)):
        yield from (inner for inner in value if isinstance(inner, str))


def _file(given: str) -> str | None:
    for path in (given, given.rpartition(":")[0], given.partition("=")[2]):
        if path and os.path.isfile(path):
            return path
    return None


def suite_files(card: SuiteCard, data_dir: str | os.PathLike[str] | None) -> list[str]:
    """Return the files of a suite's local copy: those listed on its card, or all if the card lists none."""
    from assay.suites.locate import locate

    if not card.folders:
        return []
    folder = locate(card, data_dir)
    if folder.is_file():
        return [str(folder)]
    listed = {*card.checksums, *card.downloads}
    here = sorted(path for path in folder.rglob("*") if path.is_file())
    chosen = [path for path in here if path.name in listed or path.name.removesuffix(".gz") in listed]
    return [str(path) for path in chosen or here]


def tree_files(
    name: str | os.PathLike[str], data_dir: str | os.PathLike[str] | None, pairs: Sequence[str]
) -> list[str]:
    """Return the files for some language pairs in a test set or a tree; empty for a judgement file, which the arguments
    name."""
    from assay.io.wmt.files import source_files
    from assay.suites.wmt import years
    from assay.verbs.shared.named_sets import find_set

    if os.fspath(name) not in years() and not Path(name).is_dir():
        return []
    return [str(path) for path in source_files(find_set(name, data_dir)[1], pairs)]
