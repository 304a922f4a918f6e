"""No result takes the place of what it was made from."""

from __future__ import annotations

import argparse
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from assay.core.errors import InputError

FILES = (
    "files",
    "mt",
    "ref",
    "src",
    "data",
    "rule",
    "against",
    "receipts",
    "metric_file",
    "decisions",
    "config",
    "predicted",
)
"""Arguments that name input files, under any verb."""
NAMES_OR_FILES = ("suites", "suite", "name", "gold", "judgements")
"""Arguments that name something registered or a file; a file has a folder or an ending in its name."""
IN_RUN_DIRECTORY = (
    "tables.json", "manifest.json", "scores.parquet", "scores.csv", "outcomes.tsv", "rows.jsonl.gz", "view.json",
)  # fmt: skip


def refuse_overwriting(args: argparse.Namespace) -> None:
    """Refuse --out, --run-dir and their like where what they write is one of the inputs, by whatever path or link."""
    for option, path in _outputs(args):
        if (written := _identity(path)) is None:
            continue
        for given in _inputs(args):
            known = _identity(given)
            if known is not None and (written[0] == known[0] or written[1] == known[1]):
                shown = "standard input" if given == "-" else given
                raise InputError(f"{option} would overwrite the input {shown}. Give another name.")


def _inputs(args: argparse.Namespace) -> Iterator[str]:
    for name in (*FILES, *NAMES_OR_FILES):
        value = getattr(args, name, None)
        for given in value if isinstance(value, list) else [value]:
            if isinstance(given, str) and (name in FILES or os.sep in given or Path(given).suffix):
                yield given
                yield given.rpartition(":")[0] or given
                yield given.partition("=")[2] or given


def _outputs(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
    out, folder = getattr(args, "out", None), getattr(args, "run_dir", None)
    for option in ("export", "summary"):
        if (other := getattr(args, option, None)) and other != "-":
            yield f"--{option} {other}", other
    if out and out != "-":
        yield f"--out {out}", out
        yield f"the manifest of --out {out}", f"{out}.manifest.json"
    if folder:
        for name in IN_RUN_DIRECTORY:
            yield f"--run-dir {folder}", os.path.join(folder, name)


def _identity(path: str) -> tuple[tuple[int, int], str] | None:
    """Device and inode of an ordinary file, and its path without links; None for anything else."""
    try:
        found = os.fstat(0) if path == "-" else os.stat(path)
    except (OSError, ValueError):
        return None
    return ((found.st_dev, found.st_ino), os.path.realpath(path)) if stat.S_ISREG(found.st_mode) else None
