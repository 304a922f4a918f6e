"""Review API of the page: requests that read a review session, and validation of requests that write decisions.

The server checks Host and token of every request. A request that writes must also come from the server's own page (Origin), be
small JSON, and match the schema of the session. The session writes one file and answers when the decision is on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from email.message import Message
from http import HTTPStatus
from io import BufferedIOBase
from threading import Event
from typing import Any

from assay.core.errors import AssayError, InputError
from assay.core.review import ReviewSession, Stale
from assay.io.documents import decode

MOST_BODY = 1 << 20
"""Largest size of a decision in bytes; typical ones have hundreds."""
READ_ONLY = "this page is read-only."


class RequestRefused(Exception):
    """A rejected request, answered with a status and a sentence."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


@dataclass
class ReviewApi:
    """A review session, and whether the reviewer has finished."""

    session: ReviewSession
    finished: Event = field(default_factory=Event)
    ending: bool = False
    """Whether the reviewer chose to finish; the response has not been sent yet."""

    def answers(self) -> dict[str, Callable[[Mapping[str, str]], Any]]:
        """Return the functions that answer requests, by path."""
        return {
            "api/review": lambda _: self.session.head(),
            "api/review/order": lambda parameters: {"order": self.session.order(parameters.get("show", ""))},
            "api/review/item": lambda parameters: self.session.item(_number(parameters.get("item", ""))),
        }

    def take(self, path: str, decision: Any) -> dict[str, Any]:
        """Carry out a request that writes and return the response."""
        if path == "api/review/decide":
            try:
                return self.session.decide(decision)
            except Stale as stale:
                raise RequestRefused(HTTPStatus.CONFLICT, str(stale)) from stale
        if path == "api/review/finish":
            self.ending = True
            return self.session.head()
        raise RequestRefused(HTTPStatus.NOT_FOUND, f"unknown path {path[:80]!r}.")


def posted(
    reviewing: ReviewApi | None, path: str, headers: Message, body: BufferedIOBase, hosts: Collection[str]
) -> Any:
    """Validate a request that writes and return the response; raise `RequestRefused` before reading more than necessary."""
    if reviewing is None:
        raise RequestRefused(HTTPStatus.METHOD_NOT_ALLOWED, READ_ONLY)
    if headers.get("Origin", "") not in {f"http://{host}" for host in hosts}:
        raise RequestRefused(HTTPStatus.FORBIDDEN, "decisions are accepted only from this server's own page.")
    if headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        raise RequestRefused(HTTPStatus.FORBIDDEN, "decisions are accepted only from this server's own page.")
    if headers.get_content_type() != "application/json":
        raise RequestRefused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a decision must be JSON (Content-Type: application/json)."
        )
    length = headers.get("Content-Length", "")
    if not (length.isascii() and length.isdigit() and len(length) < 12):
        raise RequestRefused(HTTPStatus.LENGTH_REQUIRED, "a decision must have a Content-Length header.")
    if int(length) > MOST_BODY:
        raise RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a decision must not exceed {MOST_BODY:,} bytes.")
    try:
        decision = decode(body.read(int(length)).decode())
    except ValueError as error:
        raise RequestRefused(HTTPStatus.BAD_REQUEST, f"the decision is not JSON: {error}.") from error
    try:
        return reviewing.take(path, decision)
    except AssayError as error:
        raise RequestRefused(HTTPStatus.BAD_REQUEST, str(error)) from error


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise InputError(f"item must be a whole number, not {text[:40]!r}.")
    return int(text)
