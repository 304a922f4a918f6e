"""Data types for human reviews: questions, answers, and the session behind a review page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from assay.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Choice:
    """Possible answer to a question: the key to press and the stored word."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class ItemVerdict:
    """One annotator's verdict on one generated item: whether it is bad, that is, does not match its perturbation's description."""

    annotator: str
    item: str
    perturbation: str
    langpair: str
    bad: bool


@dataclass(frozen=True, slots=True)
class Passage:
    """One text of a question: its label, the text, its language if known, and the marked characters.

    `against` is the label of another passage; the page marks the words that differ from it.
    """

    label: str
    text: str
    language: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    against: str = ""

    def plain(self) -> str:
        parts, at = [], 0
        for start, end in self.marks:
            parts += [self.text[at:start], "⟦", self.text[start:end], "⟧"]
            at = end
        return "".join([*parts, self.text[at:]])


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a review. Decisions are stored under `id`, so identical questions are asked only once.

    `editable` is the text that the choice ``edit`` corrects.
    """

    id: str
    title: str
    passages: tuple[Passage, ...]
    choices: tuple[Choice, ...]
    editable: str = ""

    @property
    def body(self) -> tuple[str, ...]:
        """Lines for a terminal: labels in a column, with the texts next to them."""
        wide = max((len(passage.label) for passage in self.passages), default=0)
        return tuple(
            f"{passage.label:<{wide}}  {passage.plain()}" if wide else passage.plain() for passage in self.passages
        )


@dataclass(frozen=True, slots=True)
class Reviewed:
    """Summary of a review: the numbers of questions answered and skipped now, and of those left."""

    answered: int
    skipped: int
    left: int


AskQuestions = Callable[[Sequence[Question]], Reviewed]
"""A function that asks people, on a terminal or on a page, until they stop."""


SHOWS = ("undecided", "all", "mine", "others", "disagreeing", "skipped")
"""Selections of items: undecided, all, decided by this annotator, decided only by others, items on which annotators disagree,
and skipped items.
"""


class Stale(InputError):
    """Error for a decision that is based on an outdated view; nothing is overwritten."""


class ReviewSession(Protocol):
    """Interface between a review and its page: numbered items, their decisions, and a method to decide."""

    def head(self) -> dict[str, Any]:
        """Return the kind of review, the annotator, the progress and the file of decisions."""

    def order(self, show: str) -> list[int]:
        """Return the numbers of the items in a selection, one of `SHOWS`."""

    def item(self, number: int) -> dict[str, Any]:
        """Return one item with its texts, its decision, and `seen`: the state that the page sends back when it decides."""

    def decide(self, message: Any) -> dict[str, Any]:
        """Store a decision; return the item as stored now and the progress of the review. May raise `Stale`."""
