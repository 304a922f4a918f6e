"""``assay view``: runs on a web page, from a local server or in a single file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.errors import InputError, count
from assay.core.table import Table, TableColumn
from assay.io.files.atomic import atomic_write
from assay.review.mqm_session import open_mqm
from assay.verbs.shared.page_server import Viewing, serve
from assay.viewer.page import one_file
from assay.viewer.runs import find_runs

if TYPE_CHECKING:
    from assay.core.review import ReviewSession
    from assay.viewer.runs import Run

PathName = str | os.PathLike[str]
RUNS = "runs"
"""Folder in which `assay run` keeps runs by default."""


def view(
    runs: PathName | Sequence[PathName] = (),
    *,
    out: PathName | None = None,
    annotate: PathName | None = None,
    annotator: str | None = None,
    columns: Mapping[str, str] | None = None,
    port: int = 0,
    browser: bool = True,
) -> Viewing:
    """Show runs on a page: run directories written by `score`, `compare`, `run` and other verbs, or tables.

    The server accepts connections from this machine only. Its address contains a token.

    Args:
        runs: Run directories, folders that contain them, or tables with one row per segment; by default the folder ``runs``.
        out: Write the page to this file instead of starting a server (at most 50,000 rows).
        annotate: Annotate errors (MQM) in the translations of one table or run, and write them to this file: ``.jsonl``, or
            ``.tsv`` in Google's format. New annotations are added to an existing file.
        annotator: Name of the annotator; by default the user's. Other annotators' annotations are not changed.
        columns: The table column for each role, if its name is not a standard one.
        port: Port of the server; by default a free one.
        browser: Open a browser.

    Returns:
        The runs and the server, which runs until `Viewing.close`.

    Raises:
        InputError: A run or table cannot be read.

    Example:
        >>> import assay
        >>> with assay.view("runs", browser=False) as viewing:  # doctest: +SKIP
        ...     print(viewing.url)
    """
    given = [runs] if isinstance(runs, (str, os.PathLike)) else list(runs)
    if not given and not Path(RUNS).is_dir():
        raise InputError(
            "the folder runs does not exist. Specify a run directory or a table (assay run keeps runs in runs/)."
        )
    if annotate is None and annotator is not None:
        raise InputError("--annotator requires --annotate FILE.")
    if annotate is not None and out is not None:
        raise InputError(
            "--annotate cannot be combined with --out, because a page in one file cannot store annotations."
        )
    loaded_runs = find_runs(given or [RUNS], columns)
    heads = [run.head() for run in loaded_runs]
    keys = ("name", "verb", "rows", "started")
    listed = [TableColumn(key, kind="count" if key == "rows" else "text") for key in keys]
    shown = Table("runs", listed, [{key: head[key] for key in keys} for head in heads], count(len(heads), "run"))
    problems = [f"{run.name}: {problem}" for run in loaded_runs for problem in run.problems]
    viewing = Viewing({"runs": shown}, notes=problems)
    if out is not None:
        viewing.out = Path(out)
        page = one_file(loaded_runs)
        with atomic_write(viewing.out, "w", typed=True) as stream:
            stream.write(page)
        return viewing
    session = None if annotate is None else _annotation(loaded_runs, annotate, annotator, columns)
    serve(viewing, loaded_runs, port=port, browser=browser, session=session)
    return viewing


def _annotation(
    runs: Sequence[Run], out: PathName, annotator: str | None, columns: Mapping[str, str] | None
) -> ReviewSession:
    """Return the annotation session for the only table."""
    tables = [run.stored for run in runs if run.stored is not None]
    if len(runs) != 1 or not tables:
        raise InputError("--annotate requires one table of translations, or one run with texts.")
    if Path(out).exists() and Path(out).samefile(tables[0]):
        raise InputError(f"{out} is the input with the texts. Write the annotations to a different file.")
    return open_mqm(tables[0], out, annotator, columns=columns)
