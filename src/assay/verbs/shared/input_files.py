"""Which files a result was made from: those that its arguments name, and those of a data set that lies in a folder."""

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
"""Arguments of verbs that may name a file; a value that is none names something else (a suite, a year)."""


def named_files(arguments: Mapping[str, Any]) -> list[str]:
    """The files that arguments name, as they name them, without words after a colon and names before an equals sign."""
    return [path for name in FILES for given in several(arguments.get(name)) if (path := _file(given)) is not None]


def several(value: Any) -> Iterator[str]:
    """The texts in an argument that takes one, a list of them, or names for them."""
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
    """The files of a suite's local copy: those that its card knows, or all of a suite whose card knows none."""
    from assay.suites.locate import locate

    if not card.folders:
        return []
    folder = locate(card, data_dir)
    if folder.is_file():
        return [str(folder)]
    known = {*card.checksums, *card.downloads}
    here = sorted(path for path in folder.rglob("*") if path.is_file())
    chosen = [path for path in here if path.name in known or path.name.removesuffix(".gz") in known]
    return [str(path) for path in chosen or here]


def tree_files(
    name: str | os.PathLike[str], data_dir: str | os.PathLike[str] | None, pairs: Sequence[str]
) -> list[str]:
    """The files of these language pairs in a test set or a tree; nothing for a file of judgements, which the arguments name."""
    from assay.io.wmt.files import source_files
    from assay.suites.wmt import years
    from assay.verbs.shared.named_sets import find_set

    if os.fspath(name) not in years() and not Path(name).is_dir():
        return []
    return [str(path) for path in source_files(find_set(name, data_dir)[1], pairs)]
