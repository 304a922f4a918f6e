"""The tree of an expression: what every node holds, its JSON, and how a message shows the place of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.core.errors import InputError

ORDER = ("<", "<=", ">", ">=")
COMPARISONS = (*ORDER, "==", "!=")
GIVES = {
    **dict.fromkeys(("and", "or", "not", "in", "has", "matches", "missing", "truth", *COMPARISONS), "truth"),
    **dict.fromkeys(("+", "-", "*", "/", "negative", "abs", "numeric", "length", "number"), "number"),
    **dict.fromkeys(("text", "lower"), "text"),
}
"""What a node of each kind gives: truth, a number or a text. A name gives what its column holds."""
LEAVES = ("name", "number", "text", "truth")
MOST_DEPTH = 100
"""Levels of a tree. Nobody writes more by hand, and Python's own stack ends not far beyond."""
LARGEST = 2.0**53
"""Numbers of at least this size are refused: from here on, two whole numbers may have the same float."""
_AROUND = 30
"""Characters of the expression that a message shows on either side of the place."""


@dataclass(frozen=True, slots=True)
class Node:
    """A leaf with a `value` (its `kind` is one of `LEAVES`), or an operator (`kind`) over `parts`; `start` and `end` are its place
    in the text."""

    kind: str
    start: int
    end: int
    value: str | float | bool = ""
    parts: tuple[Node, ...] = ()
    depth: int = 1

    def to_json(self) -> list[Any]:
        """``["<", ["name", "chrf"], ["number", 30.0]]``."""
        if self.kind in LEAVES:
            return [self.kind, self.value]
        return [self.kind, *(part.to_json() for part in self.parts)]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of an expression's text, marked in it for a message."""

    text: str
    start: int
    end: int

    def __str__(self) -> str:
        before, inside, after = self.text[: self.start], self.text[self.start : self.end], self.text[self.end :]
        before = before if len(before) <= _AROUND else f"…{before[-_AROUND:]}"
        inside = inside if len(inside) <= 2 * _AROUND else f"{inside[:_AROUND]}…{inside[-_AROUND:]}"
        after = after if len(after) <= _AROUND else f"{after[:_AROUND]}…"
        return " ".join(f"{before}⟦{inside}⟧{after}".splitlines())

    def wrong(self, sentence: str) -> InputError:
        """The error that shows this place after its sentence."""
        return InputError(f"{sentence} In the expression: {self}")


def written(name: str) -> str:
    """The name as it is written in an expression."""
    return name if name.isidentifier() else f"`{name}`"


def equal(name: str, text: str) -> str:
    """The expression that a column holds this text."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'{written(name)} == "{plain}"'
