"""``assay view``: runs on a page in the browser, through a server on this machine or as one file."""

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
"""Where `assay run` keeps its runs when nobody says otherwise."""


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
    """Show runs on a page: what `score`, `compare`, `run` and the other verbs kept in a run directory, or tables of rows.

    Args:
        runs: Run directories, folders of them, or tables with a row a segment; by default ``runs`` in the working folder.
        out: Write the page as one file that needs no server (50,000 rows at most), and start none.
        annotate: Let a person mark the errors (MQM) in the translations of one table or run, and keep them in this file: a
            ``.jsonl``, or a ``.tsv`` in Google's form. One that is there already is gone on with.
        annotator: Whose annotations they are; by default the user's. Those of others stay as they are.
        columns: Which column of a table plays which role where the names differ.
        port: The port of the server; by default a free one.
        browser: Open a browser on the page.

    The server answers this machine alone, under an address that holds a token, until `Viewing.close`.
    """
    given = [runs] if isinstance(runs, (str, os.PathLike)) else list(runs)
    if not given and not Path(RUNS).is_dir():
        raise InputError(
            "there is no folder runs here: name a run directory or a table (assay run keeps one in runs/)."
        )
    if annotate is None and annotator is not None:
        raise InputError("names of annotators go with --annotate FILE: leave out --annotator.")
    if annotate is not None and out is not None:
        raise InputError("a page in one file has nothing to write to: --annotate and --out do not go together.")
    found = find_runs(given or [RUNS], columns)
    heads = [run.head() for run in found]
    keys = ("name", "verb", "rows", "started")
    listed = [TableColumn(key, kind="count" if key == "rows" else "text") for key in keys]
    shown = Table("runs", listed, [{key: head[key] for key in keys} for head in heads], count(len(heads), "run"))
    problems = [f"{run.name}: {problem}" for run in found for problem in run.problems]
    made = Viewing({"runs": shown}, notes=problems)
    if out is not None:
        made.out = Path(out)
        page = one_file(found)
        with atomic_write(made.out, "w", typed=True) as stream:
            stream.write(page)
        return made
    session = None if annotate is None else _annotation(found, annotate, annotator, columns)
    serve(made, found, port=port, browser=browser, session=session)
    return made


def _annotation(
    runs: Sequence[Run], out: PathName, annotator: str | None, columns: Mapping[str, str] | None
) -> ReviewSession:
    """The session for the one table that is annotated."""
    tables = [run.stored for run in runs if run.stored is not None]
    if len(runs) != 1 or not tables:
        raise InputError("--annotate takes one table of translations, or one run that keeps its texts.")
    if Path(out).exists() and Path(out).samefile(tables[0]):
        raise InputError(f"{out} holds the texts: annotate into another file.")
    return open_mqm(tables[0], out, annotator, columns=columns)
