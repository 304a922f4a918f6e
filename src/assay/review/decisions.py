"""What people decided, as a mapping that is kept on disk: the memory of every review."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from assay.core.review import Question
from assay.io.judgements.decisions import UNDO, Decision, append, apply_decision, by_person, stamp

EDIT = "edit"
"""The choice that asks for a text."""
EDITED = "edit:"
"""How a decision begins that holds a corrected text."""


class DecisionLog(Mapping[str, str]):
    """Key to choice (``pass``, ``fail``, ``skip``, …), read from `path` and written through to it line by line.

    Whoever stops at any moment loses nothing but the question on the screen. Other processes may append to the same file;
    `reload` brings in what they decided. The choice that holds is the last one; `people` has everyone's.
    """

    def __init__(self, path: Path, who: str | None = None) -> None:
        self.path = path
        self.who = who or user()
        self._stamp = stamp(path)
        self._said = by_person(path)

    def __getitem__(self, key: str) -> str:
        return list(self._said[key].values())[-1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._said)

    def __len__(self) -> int:
        return len(self._said)

    def people(self, key: str) -> Mapping[str, str]:
        """What each person says of a key, the latest last."""
        return self._said.get(key, {})

    def record(self, key: str, choice: str) -> None:
        """Keep `choice` for `key`; an earlier choice is overruled and stays in the file as history."""
        before, now = append(self.path, Decision(key, choice, _now(), self.who))
        apply_decision(self._said, key, choice, self.who)
        if before == max(self._stamp[0], 0):  # nobody else wrote since it was read
            self._stamp = now

    def undo(self, key: str) -> None:
        """Take one's own decision of `key` back, as if it had never been asked."""
        self.record(key, UNDO)

    def reload(self) -> bool:
        """Read the file again where it has changed; whether it had."""
        now = stamp(self.path)
        if now == self._stamp:
            return False
        self._said, self._stamp = by_person(self.path), now
        return True


def edited(question: Question, text: str | None) -> str | None:
    """The decision for a corrected text; None when there is none or nothing changed."""
    if text is None or not text.strip() or text == question.editable:
        return None
    return EDITED + text


def user() -> str:
    """Who sits here, as the system knows them."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds")
