"""A review behind the page: what it may ask and what it may write, and how far a request that writes is believed.

Reading goes through the server's own checks (Host, token). A request that writes must also come from our page (Origin), be JSON, be
small, and fit the schema of the session (`assay.core.review`). The session writes its one file, and answers when the
decision is on disk.
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
"""Bytes of a decision: one has hundreds."""
READ_ONLY = "this page is for looking: nothing can be written here."


class RequestRefused(Exception):
    """A request that is answered with a status and a sentence, and decides nothing."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


@dataclass
class ReviewApi:
    """The session, and the word that the one who sits there has finished."""

    session: ReviewSession
    finished: Event = field(default_factory=Event)
    ending: bool = False
    """Somebody chose to finish; the answer is still on its way."""

    def answers(self) -> dict[str, Callable[[Mapping[str, str]], Any]]:
        """What may be asked, by its address."""
        return {
            "api/review": lambda _: self.session.head(),
            "api/review/order": lambda asked: {"order": self.session.order(asked.get("show", ""))},
            "api/review/item": lambda asked: self.session.item(_number(asked.get("item", ""))),
        }

    def take(self, path: str, said: Any) -> dict[str, Any]:
        """What comes of a request that writes."""
        if path == "api/review/decide":
            try:
                return self.session.decide(said)
            except Stale as stale:
                raise RequestRefused(HTTPStatus.CONFLICT, str(stale)) from stale
        if path == "api/review/finish":
            self.ending = True
            return self.session.head()
        raise RequestRefused(HTTPStatus.NOT_FOUND, "there is nothing here.")


def posted(
    reviewing: ReviewApi | None, path: str, headers: Message, body: BufferedIOBase, hosts: Collection[str]
) -> Any:
    """The answer to a request that writes; `RequestRefused` says why not, before anything is read that need not be."""
    if reviewing is None:
        raise RequestRefused(HTTPStatus.METHOD_NOT_ALLOWED, READ_ONLY)
    if headers.get("Origin", "") not in {f"http://{host}" for host in hosts}:
        raise RequestRefused(HTTPStatus.FORBIDDEN, "decisions are taken from this server's own page only.")
    if headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        raise RequestRefused(HTTPStatus.FORBIDDEN, "decisions are taken from this server's own page only.")
    if headers.get_content_type() != "application/json":
        raise RequestRefused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a decision is JSON (Content-Type: application/json).")
    length = headers.get("Content-Length", "")
    if not (length.isascii() and length.isdigit() and len(length) < 12):
        raise RequestRefused(HTTPStatus.LENGTH_REQUIRED, "a decision says how long it is (Content-Length).")
    if int(length) > MOST_BODY:
        raise RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a decision has at most {MOST_BODY:,} bytes.")
    try:
        said = decode(body.read(int(length)).decode())
    except ValueError as error:
        raise RequestRefused(HTTPStatus.BAD_REQUEST, f"the decision is not JSON: {error}.") from error
    try:
        return reviewing.take(path, said)
    except AssayError as error:
        raise RequestRefused(HTTPStatus.BAD_REQUEST, str(error)) from error


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise InputError(f"an item is a whole number, not {text[:40]!r}.")
    return int(text)
