"""Local HTTP server of the page: it accepts only local connections, requires a token, and serves only the specified runs.

The standard library is enough, because one browser on this machine sends few requests. Every address begins with the token. A
request with another Host, for example from a third-party page that resolves to 127.0.0.1, is rejected before its path is read.
"""

from __future__ import annotations

import hmac
import json
import secrets
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

from assay.core.columns import plain
from assay.core.errors import AssayError, InputError, unknown
from assay.viewer.comparison import compare_runs
from assay.viewer.export import export_rows
from assay.viewer.page import document, policy, start
from assay.viewer.review_api import RequestRefused, ReviewApi, posted
from assay.viewer.rows import Query
from assay.viewer.runs import Run, RunList
from assay.viewer.summary import grouped, points, summary

ADDRESS = "127.0.0.1"
WAIT_SECONDS, MOST_WAITING = 60.0, 128
"""Time limit for receiving a request with its headers, and largest number of connections that wait for one."""
MOST_WINDOW = 1000
"""Largest number of rows per request."""
Parameters = Mapping[str, str]


@dataclass
class Answers:
    """Answers to the requests of the page."""

    runs: Sequence[Run]
    review: ReviewApi | None = None
    """The review, if any; nothing else is ever written."""
    _by_key: dict[str, Run] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._refreshing = Lock()
        self._by_key = {run.key: run for run in self.runs}

    def refresh(self) -> None:
        """Update the list of runs."""
        with self._refreshing:
            if isinstance(self.runs, RunList):
                self.runs = self.runs.refreshed()
                self._by_key = {run.key: run for run in self.runs}

    def run(self, parameters: Parameters) -> Run:
        key = parameters.get("run", "")
        if key not in self._by_key:
            raise unknown("run", key, self._by_key)
        return self._by_key[key]

    def start(self, _: Parameters) -> Any:
        self.refresh()
        review = self.review.session.head() if self.review else None
        return {**start(), "runs": [run.head() for run in self.runs], "review": review}

    def live(self, _: Parameters) -> Any:
        """Return the progress of running runs, and a stamp of every run that changes with its files."""
        self.refresh()
        return {
            "live": {run.key: state for run in self.runs if (state := run.live()) is not None},
            "runs": {run.key: "/".join(map(str, run.stamp)) for run in self.runs},
        }

    def detail(self, parameters: Parameters) -> Any:
        """Return everything about a run except its rows."""
        return summary(self.run(parameters))

    def rows(self, parameters: Parameters) -> Any:
        first, count = _whole(parameters, "start", 0), min(_whole(parameters, "count", 100), MOST_WINDOW)
        return self.run(parameters).window(wanted(parameters), first, count)

    def row(self, parameters: Parameters) -> Any:
        """Return one row in full, and the rows of all systems for the same segment."""
        rows, number = self.run(parameters).rows, _whole(parameters, "row", 0)
        if number >= len(rows):
            raise InputError(f"row {number} does not exist: the run has {len(rows):,} rows.")
        return {"row": rows.row(number), "beside": [rows.row(i) for i in rows.same_segment(number)]}

    def points(self, parameters: Parameters) -> Any:
        """Return rows as points of two columns."""
        rows = self.run(parameters).rows
        for axis in ("x", "y"):
            if parameters.get(axis, "") not in rows.columns:
                raise unknown("column in these rows", parameters.get(axis, ""), rows.names)
        return points(rows, wanted(parameters), parameters["x"], parameters["y"])

    def groups(self, parameters: Parameters) -> Any:
        """Return a metric's scores by group and system."""
        return grouped(self.run(parameters).rows, parameters.get("by", ""), parameters.get("metric", ""))

    def compare(self, parameters: Parameters) -> Any:
        """Return the comparison of two runs of the same job."""
        return compare_runs(self.run({"run": parameters.get("a", "")}), self.run({"run": parameters.get("b", "")}))

    def export(self, parameters: Parameters) -> tuple[str, Iterator[str]]:
        """Return the selected rows as the name of a file and its parts."""
        run, format = self.run(parameters), parameters.get("format", "")
        return export_rows(run, wanted(parameters), format)


def wanted(parameters: Parameters) -> Query:
    """Return the query for rows in a request."""
    return Query(
        parameters.get("where", ""),
        parameters.get("find", ""),
        parameters.get("sort", ""),
        parameters.get("descending", "") == "1",
    )


def _whole(parameters: Parameters, name: str, default: int) -> int:
    text = parameters.get(name, "")
    if text and not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise InputError(f"{name} must be a whole number, not {text[:40]!r}.")
    return int(text) if text else default


class ViewServer(ThreadingHTTPServer):
    """HTTP server that listens on this machine only; `url` is its address with the token."""

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, runs: Sequence[Run], port: int = 0, review: ReviewApi | None = None) -> None:
        self.closed = False
        self._waiting: dict[Any, float] = {}
        self._lock = Lock()
        self.token = secrets.token_urlsafe(24)
        self.answers = Answers(runs, review)
        try:
            super().__init__((ADDRESS, port), _Handler)
        except OSError as error:
            raise InputError(
                f"port {port} is not available ({error.strerror}). Omit --port to use a free one."
            ) from error
        self.hosts = {f"{name}:{self.server_port}" for name in (ADDRESS, "localhost")}

    def waits(self, connection: Any, waiting: bool) -> None:
        """Record that a connection waits for a request or has sent one; close the oldest if there are too many."""
        with self._lock:
            self._waiting.pop(connection, None)
            if waiting:
                self._waiting[connection] = time.monotonic()
            late = next(iter(self._waiting)) if len(self._waiting) > MOST_WAITING else None
        if late is not None:
            _hang_up(late)

    def service_actions(self) -> None:
        """Close connections that take too long to send a request; called twice a second."""
        super().service_actions()
        before = time.monotonic() - WAIT_SECONDS
        with self._lock:
            late = [connection for connection, since in self._waiting.items() if since < before]
        for connection in late:
            _hang_up(connection)

    def server_close(self) -> None:
        """Stop, and close connections that are still open."""
        self.closed = True
        super().server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore browsers that disconnect during a response; show any other error, which is a bug."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    @property
    def url(self) -> str:
        return f"http://{ADDRESS}:{self.server_port}/{self.token}/"


def _hang_up(connection: Any) -> None:
    """Shut down a connection in both directions, so that the thread that waits for it ends."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: ViewServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "assay", ""
    timeout = WAIT_SECONDS

    def handle_one_request(self) -> None:
        """Handle a request with a time limit until it is complete, however slowly it arrives."""
        self.server.waits(self.connection, True)
        try:
            super().handle_one_request()
        finally:
            self.server.waits(self.connection, False)

    def parse_request(self) -> bool:
        """Parse the request, which is complete from here on."""
        whole = super().parse_request()
        self.server.waits(self.connection, False)
        return whole

    def _admitted(self) -> tuple[str, Parameters] | None:
        """Return the path after the token and its parameters; None if the request was rejected or the server is closed."""
        if self.server.closed:
            self.close_connection = True
            return None
        if self.headers.get("Host", "") not in self.server.hosts:
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "this server answers only its own address.")
            return None
        try:
            parts = urlsplit(self.path)
        except ValueError:
            self._refuse(HTTPStatus.BAD_REQUEST, "the address is malformed.")
            return None
        token, _, path = parts.path.removeprefix("/").partition("/")
        if not hmac.compare_digest(token.encode(), self.server.token.encode()):
            self._refuse(
                HTTPStatus.FORBIDDEN, "the address has no valid token. Open the address that assay view printed."
            )
            return None
        return path, {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}

    def do_POST(self) -> None:
        """Accept a decision of a review. A rejected request may be unread, so the connection is closed after the response."""
        self.close_connection = True
        if (admitted := self._admitted()) is None:
            return
        review, hosts = self.server.answers.review, self.server.hosts
        try:
            self._send_json(posted(review, admitted[0], self.headers, self.rfile, hosts))
        except RequestRefused as refused:
            self._refuse(refused.status, refused.sentence)
        if review is not None and review.ending:
            review.finished.set()

    def do_GET(self) -> None:
        if (admitted := self._admitted()) is None:
            return
        path, parameters = admitted
        if path == "":
            self._send(document().encode(), "text/html; charset=utf-8", policy=policy(served=True))
            return
        answers = self.server.answers
        known: dict[str, Callable[[Parameters], Any]] = {
            "api/start": answers.start, "api/run": answers.detail, "api/rows": answers.rows, "api/row": answers.row,
            "api/points": answers.points, "api/groups": answers.groups, "api/live": answers.live, "api/compare": answers.compare,
            **(answers.review.answers() if answers.review else {}),
        }  # fmt: skip
        try:
            if path == "api/export":
                self._download(*answers.export(parameters))
            elif path in known:
                self._send_json(known[path](parameters))
            else:
                self._refuse(HTTPStatus.NOT_FOUND, f"unknown path {path[:80]!r}.")
        except AssayError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
        except ConnectionError:
            raise
        except Exception as error:  # a bug, or damage that is not detected: report it on the page and continue
            if path != "api/export":  # whose response has started
                self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, f"internal error: {type(error).__name__}: {error}.")
            raise

    def _send_json(self, whole: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
        text = json.dumps(plain(whole), ensure_ascii=True, allow_nan=False, default=str)
        self._send(text.encode("ascii"), "application/json", status)

    def _refuse(self, status: HTTPStatus, sentence: str) -> None:
        self._send_json({"error": sentence}, status)

    def _send(
        self, body: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK, policy: str = "default-src 'none'"
    ) -> None:
        self._head(status, kind, policy)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _download(self, name: str, pieces: Iterator[str]) -> None:
        self._head(HTTPStatus.OK, "application/octet-stream", "default-src 'none'")
        self.send_header("Content-Disposition", f'attachment; filename="{name}"')
        self.send_header("Connection", "close")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(piece.encode("utf-8", "backslashreplace"))
        self.close_connection = True

    def _head(self, status: HTTPStatus, kind: str, policy: str) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cache-Control": "no-store",
        }.items():
            self.send_header(name, value)

    def log_message(self, *_: object) -> None:
        """Do not log requests on the terminal."""
