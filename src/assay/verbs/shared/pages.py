"""Results as one HTML page, as `assay view RUN --out page.html` writes it."""

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
    """Results as one HTML page with their rows, as `assay view RUN --out page.html` would write it; `tables` names those to show.

    Rows that are too many for a browser are left out, and the page says so.
    """
    with tempfile.TemporaryDirectory(prefix="assay-page-") as folder:
        kept = []
        for number, result in enumerate(results):
            chosen = {name: result.table(name) for name in tables} if tables else result.tables
            place = Path(folder) / str(number) / result.subject().removeprefix("assay ").replace(os.sep, "-")
            kept.append(replace(result, tables=chosen).write(place, figures=()))
        return one_file(find_runs(kept), leave_out=True)
