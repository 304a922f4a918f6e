"""Decision log of a review: a mapping from question to decision, stored on disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from assay.core.review import Question
from assay.io.judgements.decisions import UNDO, Decision, append, apply_decision, by_person, stamp

EDIT = "edit"
"""The choice that asks for a corrected text."""
EDITED = "edit:"
"""Prefix of decisions with a corrected text."""


class DecisionLog(Mapping[str, str]):
    """Mapping from key to choice (``pass``, ``fail``, ``skip``, …), read from `path`; each decision is appended at once.

    An interruption loses at most the current question. Other processes may append to the same file; `reload` reads their
    decisions. The latest choice counts; `people` returns everyone's choices.
    """

    def __init__(self, path: Path, annotator: str | None = None) -> None:
        self.path = path
        self.annotator = annotator or current_user()
        self._stamp = stamp(path)
        self._choices = by_person(path)

    def __getitem__(self, key: str) -> str:
        return list(self._choices[key].values())[-1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._choices)

    def __len__(self) -> int:
        return len(self._choices)

    def people(self, key: str) -> Mapping[str, str]:
        """Return each person's choice for a key, latest last."""
        return self._choices.get(key, {})

    def record(self, key: str, choice: str) -> None:
        """Store `choice` for `key`; it replaces an earlier choice, which stays in the file as history."""
        before, now = append(self.path, Decision(key, choice, _now(), self.annotator))
        apply_decision(self._choices, key, choice, self.annotator)
        if before == max(self._stamp[0], 0):  # no other process has written since the last read
            self._stamp = now

    def undo(self, key: str) -> None:
        """Withdraw one's own decision on `key`."""
        self.record(key, UNDO)

    def reload(self) -> bool:
        """Read the file again if it has changed; return whether it had."""
        now = stamp(self.path)
        if now == self._stamp:
            return False
        self._choices, self._stamp = by_person(self.path), now
        return True


def edit_decision(question: Question, text: str | None) -> str | None:
    """Return the decision for a corrected text; None if the text is empty or unchanged."""
    if text is None or not text.strip() or text == question.editable:
        return None
    return EDITED + text


def current_user() -> str:
    """Return the current user's system name."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds")
