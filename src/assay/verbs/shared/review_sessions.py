"""Review sessions in a terminal or on a web page; both ask the same questions and write the same file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from assay.core.errors import InputError
from assay.core.review import AskQuestions, Question, Reviewed
from assay.review.page_session import QuestionSession
from assay.review.terminal import terminal_review
from assay.verbs.shared.page_server import Viewing, serve

if TYPE_CHECKING:
    from assay.review.decisions import DecisionLog


@dataclass(frozen=True)
class OnPage:
    """Local review page, served until the annotator finishes or interrupts it. `announce` is called with its address."""

    port: int = 0
    browser: bool = True
    announce: Callable[[str], Any] = print


def open_review(
    log: DecisionLog,
    title: str,
    *,
    stream: TextIO | None,
    write: Callable[[str], Any] | None,
    page: OnPage | None,
    skipped: bool = False,
    apart: Mapping[str, DecisionLog] | None = None,
) -> AskQuestions:
    """Return the review: on a `page`, or with key presses from `stream` and text on `write`.

    `apart` contains the decisions of other annotators, if each has a separate file; a page shows disagreements.
    """
    if page is not None:
        return lambda questions: _on_page(questions, log, title, page, apart or {})
    if stream is None or write is None:
        raise InputError("a review requires a terminal (stream and write) or a page (page=OnPage()).")

    return terminal_review(stream, write, log, skipped=skipped)


def _on_page(
    questions: Sequence[Question], log: DecisionLog, title: str, page: OnPage, apart: Mapping[str, DecisionLog]
) -> Reviewed:
    session = QuestionSession(questions, log, title, apart=apart)
    viewing = Viewing({})
    serve(viewing, [], port=page.port, browser=page.browser, session=session)
    with viewing:
        page.announce(viewing.url)
        with suppress(KeyboardInterrupt):
            viewing.wait()
    return session.summary()
