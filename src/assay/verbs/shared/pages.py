"""Rendering of results as one HTML page, as written by `assay view RUN --out page.html`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.viewer.page import one_file
from assay.viewer.runs import find_runs

if TYPE_CHECKING:
    from assay.verbs.result import Result


def page_of(results: Sequence[Result], tables: Sequence[str] = ()) -> str:
    """Return results as one HTML page with their rows; `tables` names the tables to show.

    If there are too many rows for a browser, some are left out, and the page says so.
    """
    with tempfile.TemporaryDirectory(prefix="assay-page-") as folder:
        kept = []
        for number, result in enumerate(results):
            chosen = {name: result.table(name) for name in tables} if tables else result.tables
            run_folder = Path(folder) / str(number) / result.subject().removeprefix("assay ").replace(os.sep, "-")
            kept.append(replace(result, tables=chosen).write(run_folder, figures=()))
        return one_file(find_runs(kept), leave_out=True)
