"""``assay view``: runs on a page in the browser, through a server on this machine or as one file."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from assay.core.errors import InputError, count
from assay.core.table import Table, TableColumn
from assay.io.files.atomic import atomic_write
from assay.review.mqm_session import open_mqm
from assay.verbs.result import Result
from assay.viewer.page import one_file
from assay.viewer.review_api import ReviewApi
from assay.viewer.runs import find_runs
from assay.viewer.server import ViewServer

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from assay.core.review import ReviewSession
    from assay.viewer.runs import Run

PathName = str | os.PathLike[str]
RUNS = "runs"
"""Where `assay run` keeps its runs when nobody says otherwise."""
_REDIRECT = """<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={0}"><title>assay view</title><a href="{0}">assay view</a>
"""


@dataclass(repr=False)
class Viewing(Result):
    """The runs that are shown, and where: at `url` until `close`, or in the file `out`."""

    server: ViewServer | None = None
    out: Path | None = None
    _redirect: TemporaryDirectory[str] | None = field(default=None, repr=False)

    verb: ClassVar[str] = "view"
    headline: ClassVar[str] = "runs"

    @property
    def url(self) -> str:
        """The address of the page, with its token; nothing where it was written to a file."""
        return self.server.url if self.server is not None else ""

    def __enter__(self) -> Viewing:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> bool:
        """Open a browser on the page, through a file that the user alone can read.

        Its address has the token in it, and the words of a command can be seen by every user of a machine.
        """
        import tempfile
        import webbrowser

        if self._redirect is None:
            self._redirect = tempfile.TemporaryDirectory(prefix="assay-view-")  # 0700
            path = Path(self._redirect.name) / "open.html"
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as page:
                page.write(_REDIRECT.format(self.url))
        try:
            return webbrowser.open((Path(self._redirect.name) / "open.html").as_uri())
        except webbrowser.Error:
            return False

    def close(self) -> None:
        """Stop answering."""
        if self._redirect is not None:
            self._redirect.cleanup()
            self._redirect = None
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()

    def wait(self) -> None:
        """Until somebody interrupts, or finishes the review on the page."""
        review = self.server.answers.review if self.server is not None else None
        (review.finished if review is not None else threading.Event()).wait()


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


def serve(
    made: Viewing, runs: Sequence[Run], *, port: int, browser: bool, session: ReviewSession | None = None
) -> None:
    """Start the server of a page, and open a browser on it."""
    made.server = ViewServer(runs, port, None if session is None else ReviewApi(session))
    threading.Thread(target=made.server.serve_forever, name="assay view", daemon=True).start()
    if browser and not made.open():
        made.notes.append("no browser could be opened: open the address by hand.")


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


def page_of(results: Sequence[Result], tables: Sequence[str] = ()) -> str:
    """Results as one HTML page with their rows, as `assay view RUN --out page.html` would write it; `tables` names those to show.

    Rows that are too many for a browser are left out, and the page says so.
    """
    import tempfile
    from dataclasses import replace

    with tempfile.TemporaryDirectory(prefix="assay-page-") as folder:
        kept = []
        for number, result in enumerate(results):
            chosen = {name: result.table(name) for name in tables} if tables else result.tables
            place = Path(folder) / str(number) / result.subject().removeprefix("assay ").replace(os.sep, "-")
            kept.append(replace(result, tables=chosen).write(place, figures=()))
        return one_file(find_runs(kept), leave_out=True)
