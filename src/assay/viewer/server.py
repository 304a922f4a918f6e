"""The server behind the page: this machine alone, behind a token, and nothing but the runs that were given.

The standard library is enough (docs/decisions): a browser on this machine asks one question at a time. Every address begins with
the token; a request whose Host is not ours (a foreign page that found a name for 127.0.0.1) is refused before its path is read.
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
from assay.viewer.export import exported
from assay.viewer.page import document, policy, start
from assay.viewer.review_api import RequestRefused, ReviewApi, posted
from assay.viewer.rows import Asked
from assay.viewer.runs import Found, Run
from assay.viewer.summary import grouped, points, summary

ADDRESS = "127.0.0.1"
WAIT_SECONDS, MOST_WAITING = 60.0, 128
"""How long a connection may take for a request and its headers, and how many may be at that."""
MOST_WINDOW = 1000
"""Rows that one question may ask for."""
Question = Mapping[str, str]


@dataclass
class Answers:
    """What the page may ask, over the given runs."""

    runs: Sequence[Run]
    review: ReviewApi | None = None
    """A review, where one is held: the only thing that is ever written."""
    _by_key: dict[str, Run] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._look = Lock()
        self._by_key = {run.key: run for run in self.runs}

    def look(self) -> None:
        """See what became of the runs: one may be under way, through, or new."""
        with self._look:
            if isinstance(self.runs, Found):
                self.runs = self.runs.again()
                self._by_key = {run.key: run for run in self.runs}

    def run(self, asked: Question) -> Run:
        key = asked.get("run", "")
        if key not in self._by_key:
            raise unknown("run", key, self._by_key)
        return self._by_key[key]

    def start(self, _: Question) -> Any:
        self.look()
        review = self.review.session.head() if self.review else None
        return {**start(), "runs": [run.head() for run in self.runs], "review": review}

    def live(self, _: Question) -> Any:
        """How far the runs are that are under way; `runs` says which there are, and when each was last opened."""
        self.look()
        return {
            "live": {run.key: said for run in self.runs if (said := run.said()) is not None},
            "runs": {run.key: "/".join(map(str, run.stamp)) for run in self.runs},
        }

    def detail(self, asked: Question) -> Any:
        """All that is known of a run beside its rows."""
        return summary(self.run(asked))

    def rows(self, asked: Question) -> Any:
        first, count = _whole(asked, "start", 0), min(_whole(asked, "count", 100), MOST_WINDOW)
        return self.run(asked).window(wanted(asked), first, count)

    def row(self, asked: Question) -> Any:
        """One row in full, and those of other systems for the same segment."""
        rows, number = self.run(asked).rows, _whole(asked, "row", 0)
        if number >= len(rows):
            raise InputError(f"there is no row {number}: the run has {len(rows):,}.")
        return {"row": rows.row(number), "beside": [rows.row(i) for i in rows.beside(number)]}

    def points(self, asked: Question) -> Any:
        """Rows as points of two columns."""
        rows = self.run(asked).rows
        for axis in ("x", "y"):
            if asked.get(axis, "") not in rows.columns:
                raise unknown("column in these rows", asked.get(axis, ""), rows.names)
        return points(rows, wanted(asked), asked["x"], asked["y"])

    def groups(self, asked: Question) -> Any:
        """A metric's scores by group and system."""
        return grouped(self.run(asked).rows, asked.get("by", ""), asked.get("metric", ""))

    def compare(self, asked: Question) -> Any:
        """Two runs of the same job beside each other."""
        return compare_runs(self.run({"run": asked.get("a", "")}), self.run({"run": asked.get("b", "")}))

    def export(self, asked: Question) -> tuple[str, Iterator[str]]:
        """The chosen rows as a file: its name and its parts."""
        run, format = self.run(asked), asked.get("format", "")
        return exported(run, wanted(asked), format)


def wanted(asked: Question) -> Asked:
    """Which rows a question is about."""
    return Asked(
        asked.get("where", ""), asked.get("find", ""), asked.get("sort", ""), asked.get("descending", "") == "1"
    )


def _whole(asked: Question, name: str, default: int) -> int:
    text = asked.get(name, "")
    if text and not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise InputError(f"{name} must be a whole number, not {text[:40]!r}.")
    return int(text) if text else default


class ViewServer(ThreadingHTTPServer):
    """Listens on this machine alone; `url` is the address with the token."""

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
                f"port {port} cannot be had ({error.strerror}): leave --port away for a free one."
            ) from error
        self.hosts = {f"{name}:{self.server_port}" for name in (ADDRESS, "localhost")}

    def waits(self, connection: Any, waiting: bool) -> None:
        """Note that a connection waits for a request, or has sent one; the oldest is closed if there are too many."""
        with self._lock:
            self._waiting.pop(connection, None)
            if waiting:
                self._waiting[connection] = time.monotonic()
            late = next(iter(self._waiting)) if len(self._waiting) > MOST_WAITING else None
        if late is not None:
            _hang_up(late)

    def service_actions(self) -> None:
        """Close connections that send a request byte by byte; called twice a second."""
        super().service_actions()
        before = time.monotonic() - WAIT_SECONDS
        with self._lock:
            late = [connection for connection, since in self._waiting.items() if since < before]
        for connection in late:
            _hang_up(connection)

    def server_close(self) -> None:
        """End, for connections that are still open, too."""
        self.closed = True
        super().server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that went away in the middle of an answer is no error; anything else is a bug and is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    @property
    def url(self) -> str:
        return f"http://{ADDRESS}:{self.server_port}/{self.token}/"


def _hang_up(connection: Any) -> None:
    """End both ways of a connection: the thread that waits for it goes on, and ends."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: ViewServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "assay", ""
    timeout = WAIT_SECONDS

    def handle_one_request(self) -> None:
        """See the base; the time until a request is whole is limited, however slowly it comes."""
        self.server.waits(self.connection, True)
        try:
            super().handle_one_request()
        finally:
            self.server.waits(self.connection, False)

    def parse_request(self) -> bool:
        """See the base: from here on the request is whole."""
        whole = super().parse_request()
        self.server.waits(self.connection, False)
        return whole

    def _admitted(self) -> tuple[str, Question] | None:
        """The path behind the token and what is asked there; None where the request was refused. A browser that kept its connection
        after the end gets nothing any more."""
        if self.server.closed:
            self.close_connection = True
            return None
        if self.headers.get("Host", "") not in self.server.hosts:
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "this server answers its own address only.")
            return None
        try:
            parts = urlsplit(self.path)
        except ValueError:
            self._refuse(HTTPStatus.BAD_REQUEST, "that is no address.")
            return None
        token, _, path = parts.path.removeprefix("/").partition("/")
        if not hmac.compare_digest(token.encode(), self.server.token.encode()):
            self._refuse(HTTPStatus.FORBIDDEN, "the address lacks its token: open the one that assay view printed.")
            return None
        return path, {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}

    def do_POST(self) -> None:
        """Take a decision of a review. What is refused may not have been read: the connection ends with the answer."""
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
        path, asked = admitted
        if path == "":
            self._send(document().encode(), "text/html; charset=utf-8", policy=policy(served=True))
            return
        answers = self.server.answers
        known: dict[str, Callable[[Question], Any]] = {
            "api/start": answers.start, "api/run": answers.detail, "api/rows": answers.rows, "api/row": answers.row,
            "api/points": answers.points, "api/groups": answers.groups, "api/live": answers.live, "api/compare": answers.compare,
            **(answers.review.answers() if answers.review else {}),
        }  # fmt: skip
        try:
            if path == "api/export":
                self._download(*answers.export(asked))
            elif path in known:
                self._send_json(known[path](asked))
            else:
                self._refuse(HTTPStatus.NOT_FOUND, "there is nothing here.")
        except AssayError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
        except ConnectionError:
            raise
        except Exception as error:  # a bug, or a run damaged beyond what is checked: the page says so, and goes on
            if path != "api/export":  # which has begun to answer
                self._refuse(
                    HTTPStatus.INTERNAL_SERVER_ERROR, f"this cannot be shown: {type(error).__name__}: {error}."
                )
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
        """A person at a terminal wants no line for every scroll."""
