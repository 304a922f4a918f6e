"""Reviews by people: the questions, the answers, and the session that a page works with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from assay.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible answer: the key to press, and the word that is kept."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class ItemVerdict:
    """What one annotator said about one made item: whether it is bad, that is, not what its perturbation promises."""

    annotator: str
    item: str
    perturbation: str
    langpair: str
    bad: bool


@dataclass(frozen=True, slots=True)
class Passage:
    """One text of a card: what it is, the text, its language where it is known, and the characters that are marked in it.

    `against` is the label of another passage whose words it differs from: a page marks those words.
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
    """One card of a review. `id` is the key under which the decision is kept, so equal questions are asked once.

    `editable` is the text that the choice ``edit`` corrects.
    """

    id: str
    title: str
    passages: tuple[Passage, ...]
    choices: tuple[Choice, ...]
    editable: str = ""

    @property
    def body(self) -> tuple[str, ...]:
        """The lines of a terminal: labels in a column, texts beside it."""
        wide = max((len(passage.label) for passage in self.passages), default=0)
        return tuple(
            f"{passage.label:<{wide}}  {passage.plain()}" if wide else passage.plain() for passage in self.passages
        )


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What came of one review: questions answered and skipped now, and how many wait for another time."""

    answered: int
    skipped: int
    left: int


Hold = Callable[[Sequence[Question]], Reviewed]
"""Asks people, on a terminal or on a page, until they stop."""


SHOWS = ("undecided", "all", "mine", "others", "disagreeing", "skipped")
"""Which items a person may ask for: those that wait, all, those that they decided, those that others decided and they did not,
those of which people say different things, and those that were set aside."""


class Stale(InputError):
    """What was decided elsewhere in the meantime: the one who decides on an old view is told, and nothing is overwritten."""


class ReviewSession(Protocol):
    """What the page asks of a review, and tells it."""

    def head(self) -> dict[str, Any]:
        """What kind of review it is, who decides, how it stands and where decisions are kept."""

    def order(self, show: str) -> list[int]:
        """The numbers of the items that are asked for, one of `SHOWS`."""

    def item(self, number: int) -> dict[str, Any]:
        """One item with its texts, what was decided of it, and `seen`: what the page says it saw when it decides."""

    def decide(self, said: Any) -> dict[str, Any]:
        """Keep a decision; what comes back is the item as it is on the disk now, and how the review stands. May raise `Stale`."""
