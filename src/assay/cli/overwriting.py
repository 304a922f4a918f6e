"""Protection of inputs from an output that is the same file under any path or link."""

from __future__ import annotations

import argparse
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from assay.core.errors import InputError

FILES = (
    "files", "mt", "ref", "src", "data", "rule", "against", "receipts", "metric_file", "decisions", "config", "predicted",
)  # fmt: skip
"""Arguments of any verb that name input files."""
NAMES_OR_FILES = ("suites", "suite", "name", "gold", "judgements")
"""Arguments that hold a registered name, or a file if there is a folder or a suffix in it."""
IN_RUN_DIRECTORY = (
    "tables.json", "manifest.json", "scores.parquet", "scores.csv", "outcomes.tsv", "rows.jsonl.gz", "view.json",
)  # fmt: skip


def refuse_overwriting(args: argparse.Namespace) -> None:
    """Raise InputError if an output option names one of the inputs."""
    for option, path in _outputs(args):
        if (output := _identity(path)) is None:
            continue
        for name in _inputs(args):
            existing = _identity(name)
            if existing is not None and (output[0] == existing[0] or output[1] == existing[1]):
                shown = "standard input" if name == "-" else name
                raise InputError(f"{option} would overwrite the input {shown}. Choose a different name.")


def _inputs(args: argparse.Namespace) -> Iterator[str]:
    for argument in (*FILES, *NAMES_OR_FILES):
        value = getattr(args, argument, None)
        for name in value if isinstance(value, list) else [value]:
            if isinstance(name, str) and (argument in FILES or os.sep in name or Path(name).suffix):
                yield name
                yield name.rpartition(":")[0] or name
                yield name.partition("=")[2] or name


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
    """Return a regular file's device, inode and resolved path; None for anything else."""
    try:
        status = os.fstat(0) if path == "-" else os.stat(path)
    except (OSError, ValueError):
        return None
    return ((status.st_dev, status.st_ino), os.path.realpath(path)) if stat.S_ISREG(status.st_mode) else None
