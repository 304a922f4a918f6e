"""Local server for the `assay view` page, for runs and for reviews in the browser."""

from __future__ import annotations

import os
import tempfile
import threading
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from assay.verbs.result import Result
from assay.viewer.review_api import ReviewApi
from assay.viewer.server import ViewServer

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from assay.core.review import ReviewSession
    from assay.viewer.runs import Run

_REDIRECT = """<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={0}"><title>assay view</title><a href="{0}">assay view</a>
"""


@dataclass(repr=False)
class Viewing(Result):
    """Page with runs: served at `url` until `close`, or written to the file `out`."""

    server: ViewServer | None = None
    out: Path | None = None
    _redirect: TemporaryDirectory[str] | None = field(default=None, repr=False)

    verb: ClassVar[str] = "view"
    headline: ClassVar[str] = "runs"

    @property
    def url(self) -> str:
        """Address of the page with its token; empty if the page is a file."""
        return self.server.url if self.server is not None else ""

    def __enter__(self) -> Viewing:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> bool:
        """Open the page in a browser, through a redirect file that only the user can read.

        The address contains the token, and other users of the machine can see command arguments.
        """
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
        """Stop the server."""
        if self._redirect is not None:
            self._redirect.cleanup()
            self._redirect = None
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()

    def wait(self) -> None:
        """Wait until the user interrupts the server or finishes the review on the page."""
        review = self.server.answers.review if self.server is not None else None
        (review.finished if review is not None else threading.Event()).wait()


def serve(
    made: Viewing, runs: Sequence[Run], *, port: int, browser: bool, session: ReviewSession | None = None
) -> None:
    """Start the page's server and open a browser."""
    made.server = ViewServer(runs, port, None if session is None else ReviewApi(session))
    threading.Thread(target=made.server.serve_forever, name="assay view", daemon=True).start()
    if browser and not made.open():
        made.notes.append("no browser could be opened. Open the address yourself.")
