"""What people decided, as a mapping that is kept on disk: the memory of every review."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from assay.io.judgements.decisions import UNDO, Decision, append, latest


class DecisionLog(Mapping[str, str]):
    """Key to choice (``pass``, ``fail``, ``skip``, …), read from `path` and written through to it line by line.

    Whoever stops at any moment loses nothing but the question on the screen. Other processes may append to the same file;
    `reload` brings in what they decided.
    """

    def __init__(self, path: Path, who: str | None = None) -> None:
        self.path = path
        self.who = who or _user()
        self._choices = latest(path)

    def __getitem__(self, key: str) -> str:
        return self._choices[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._choices)

    def __len__(self) -> int:
        return len(self._choices)

    def record(self, key: str, choice: str) -> None:
        """Keep `choice` for `key`; an earlier choice is overruled and stays in the file as history."""
        append(self.path, Decision(key, choice, _now(), self.who))
        if choice == UNDO:
            self._choices.pop(key, None)
        else:
            self._choices[key] = choice

    def undo(self, key: str) -> None:
        """Take the decision of `key` back, as if it had never been asked."""
        self.record(key, UNDO)

    def reload(self) -> None:
        """Read the file again."""
        self._choices = latest(self.path)


def _user() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds")
