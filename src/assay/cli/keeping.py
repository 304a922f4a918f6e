"""Run directories: where they lie, and what is said when they are written."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from assay.cli.output import Output


def run_folder(run_dir: str | None, output: Output, name: str) -> str | None:
    """Where to keep a run: where --run-dir says, or under runs/ when a person is looking."""
    if run_dir is None and output.on_screen and sys.stdout.isatty():
        return f"runs/{time.strftime('%Y-%m-%dT%H-%M-%S')}-{name}"
    return run_dir


def keep(write_to: Callable[[str], Path], folder: str, seconds: float, *, asked: bool) -> str:
    """Write a run directory, and the sentence that says so; one that nobody asked for may fail."""
    try:
        written = write_to(folder)
    except OSError as error:
        if asked:
            raise
        return f"⚠ the run was not kept in {folder}: {error.strerror or error}. --run-dir DIR keeps it elsewhere."
    from assay.core.view_data import LIVE, PROGRESS

    names = sorted(path.name for path in written.iterdir() if path.is_file() and path.name not in (LIVE, PROGRESS))
    files = ", ".join(names)
    return f"wrote {written}/ ({files}) · {seconds:.1f} s"
