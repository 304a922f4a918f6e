"""Review session for a web page: questions and choices, stored in the same decision file as a terminal review."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from threading import Lock
from typing import Any, ClassVar

from assay.core.errors import InputError, count, unknown
from assay.core.review import SHOWS, Choice, Question, Reviewed, Stale
from assay.core.schema import Count, Place, typed
from assay.io.judgements.decisions import UNDO
from assay.review.decisions import EDIT, EDITED, DecisionLog, edit_decision

SKIP = "skip"
MOST_TEXT = 100_000
"""The highest number of characters in a corrected text."""


@dataclass(frozen=True, slots=True)
class ItemStatus:
    """Status of an item: decided, decided by this annotator, by others, with disagreement, or skipped."""

    decided: bool = False
    mine: bool = False
    others: bool = False
    disagreeing: bool = False
    skipped: bool = False

    def shown(self, show: str) -> bool:
        """Return whether the selection `show` includes the item."""
        if show == "all":
            return True
        if show == "undecided":
            return not (self.decided or self.skipped)
        if show == "others":
            return self.others and not self.mine
        return bool(getattr(self, show))


class PageSession(ABC):
    """Base of sessions: items, their status, and a lock around every change, since a server answers several tabs at once."""

    kind: ClassVar[str]

    def __init__(self, title: str, annotator: str, file: str) -> None:
        self.title, self.annotator, self.file = title, annotator, file
        self._lock = Lock()
        self._statuses: list[ItemStatus] = []

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of items."""

    @abstractmethod
    def _refresh(self) -> None:
        """Read changes by others."""

    @abstractmethod
    def _status(self, number: int) -> ItemStatus:
        """Return the status of an item."""

    @abstractmethod
    def _describe(self, number: int) -> dict[str, Any]:
        """Return an item for the page."""

    @abstractmethod
    def _store(self, number: int, decision: Any) -> None:
        """Store a decision, or raise an error."""

    @abstractmethod
    def _parse_message(self, message: Any) -> tuple[int, Any]:
        """Return the item of a decision and the checked decision."""

    def _count(self) -> None:
        self._statuses = [self._status(number) for number in range(len(self))]

    def head(self) -> dict[str, Any]:
        """Return the kind of review, the annotator, the progress and the decision file."""
        with self._lock:
            self._refresh()
            return {
                "kind": self.kind, "title": self.title, "annotator": self.annotator, "file": self.file,
                "total": len(self), "counts": self._counts(),
            }  # fmt: skip

    def order(self, show: str) -> list[int]:
        """Return the numbers of the items in a selection."""
        if show not in SHOWS:
            raise unknown("choice of items", show, SHOWS)
        with self._lock:
            self._refresh()
            return [number for number, standing in enumerate(self._statuses) if standing.shown(show)]

    def item(self, number: int) -> dict[str, Any]:
        """Return one item as stored on disk."""
        self._check(number)
        with self._lock:
            self._refresh()
            return self._describe(number)

    def decide(self, message: Any) -> dict[str, Any]:
        """Store a decision; return the item and the progress after it."""
        number, decision = self._parse_message(message)
        self._check(number)
        with self._lock:
            self._refresh()
            self._store(number, decision)
            self._statuses[number] = self._status(number)
            return {"item": self._describe(number), "counts": self._counts()}

    def _check(self, number: int) -> None:
        if not 0 <= number < len(self):
            raise InputError(f"item {number} does not exist: the review has {count(len(self), 'item')}.")

    def _counts(self) -> dict[str, int]:
        return {show: sum(standing.shown(show) for standing in self._statuses) for show in SHOWS}


@dataclass(frozen=True, slots=True)
class PageDecision:
    """A message from the page: an item, the decision that the page showed, the choice (or ``undo``), and a corrected text."""

    item: Count
    seen: str
    choice: str
    text: str = ""


class QuestionSession(PageSession):
    """Session over questions that are answered by a choice.

    `log` is this annotator's file, which others may share. `apart` contains the files of other annotators by name.
    """

    kind = "questions"

    def __init__(
        self,
        questions: Sequence[Question],
        log: DecisionLog,
        title: str,
        *,
        apart: Mapping[str, DecisionLog] | None = None,
    ) -> None:
        super().__init__(title, log.annotator, str(log.path))
        self.questions = list({question.id: question for question in questions}.values())
        self.log, self.apart = log, dict(apart or {})
        self._decided_now: dict[str, str] = {}
        self._count()

    def __len__(self) -> int:
        return len(self.questions)

    def summary(self) -> Reviewed:
        """Return the counts since the page was opened."""
        skipped = sum(choice == SKIP for choice in self._decided_now.values())
        left = sum(not (standing.decided or standing.skipped) for standing in self._statuses)
        return Reviewed(len(self._decided_now) - skipped, skipped, left)

    def _refresh(self) -> None:
        changed = [log.reload() for log in (self.log, *self.apart.values())]
        if any(changed):
            self._count()

    def _choices_of(self, key: str) -> dict[str, str]:
        """Return everyone's choices, except skips."""
        choices = dict(self.log.people(key))
        for name, log in self.apart.items():
            if key in log:
                choices[name] = log[key]
        return {name: choice for name, choice in choices.items() if choice != SKIP}

    def _status(self, number: int) -> ItemStatus:
        key = self.questions[number].id
        choices = self._choices_of(key)
        current = self.log.get(key)
        return ItemStatus(
            decided=current is not None and current != SKIP,
            mine=self.annotator in choices,
            others=any(name != self.annotator for name in choices),
            disagreeing=len(set(choices.values())) > 1,
            skipped=current == SKIP,
        )

    def _describe(self, number: int) -> dict[str, Any]:
        question = self.questions[number]
        own_choice = self.log.people(question.id).get(self.annotator, "")
        others = {name: choice for name, choice in self._choices_of(question.id).items() if name != self.annotator}
        return {
            "number": number,
            "title": question.title,
            "passages": [asdict(passage) for passage in question.passages],
            "choices": [asdict(choice) for choice in (*question.choices, Choice("s", SKIP))],
            "editable": own_choice.removeprefix(EDITED) if own_choice.startswith(EDITED) else question.editable,
            "mine": own_choice,
            "others": others if own_choice and own_choice != SKIP else {},
            "waiting": len(others),
            "seen": own_choice,
        }

    def _parse_message(self, message: Any) -> tuple[int, PageDecision]:
        decided = typed(PageDecision, message, Place("decision"))
        return decided.item, decided

    def _store(self, number: int, decision: PageDecision) -> None:
        question = self.questions[number]
        own_choice = self.log.people(question.id).get(self.annotator, "")
        if decision.seen != own_choice:
            raise Stale(
                f"{self.annotator} has decided this item in another window ({_display_choice(own_choice) or 'withdrawn'}). "
                "Nothing was saved; the page shows the latest state."
            )
        names = [choice.name for choice in question.choices]
        if decision.choice not in (*names, SKIP, UNDO):
            raise unknown("choice here", decision.choice, [*names, SKIP])
        choice = decision.choice
        if choice == EDIT:
            if len(decision.text) > MOST_TEXT or any(sign in decision.text for sign in "\n\r\x00"):
                raise InputError(f"a corrected text must be one line of at most {MOST_TEXT:,} characters.")
            written = edit_decision(question, decision.text)
            if written is None:
                raise InputError("the corrected text is empty or unchanged.")
            choice = written
        if choice == UNDO and not own_choice:
            raise InputError("there is no decision to withdraw.")
        self.log.record(question.id, choice)
        self._decided_now.pop(question.id, None)
        if choice != UNDO:
            self._decided_now[question.id] = decision.choice


def _display_choice(choice: str) -> str:
    return EDIT if choice.startswith(EDITED) else choice
