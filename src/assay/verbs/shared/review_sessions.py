"""Where a review is held: on a terminal, or on a page in the browser. Both ask the same questions and write the same file."""

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
    """A page on this machine, until its *Finish* is chosen or somebody interrupts; `told` gets its address."""

    port: int = 0
    browser: bool = True
    told: Callable[[str], Any] = print


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
    """The review that was asked for: with a `page` there, else with the keys of `stream` and cards on `write`.

    `apart` are the decisions of other annotators, where each has a file of their own: a page shows who disagrees.
    """
    if page is not None:
        return lambda questions: _on_page(questions, log, title, page, apart or {})
    if stream is None or write is None:
        raise InputError("a review needs a terminal (stream and write) or a page (page=OnPage()).")

    return terminal_review(stream, write, log, skipped=skipped)


def _on_page(
    questions: Sequence[Question], log: DecisionLog, title: str, page: OnPage, apart: Mapping[str, DecisionLog]
) -> Reviewed:
    session = QuestionSession(questions, log, title, apart=apart)
    made = Viewing({})
    serve(made, [], port=page.port, browser=page.browser, session=session)
    with made:
        page.told(made.url)
        with suppress(KeyboardInterrupt):
            made.wait()
    return session.summary()
