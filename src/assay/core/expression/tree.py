"""Syntax tree of filter expressions, and the position of a node in error messages."""

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
"""The type of each kind of node. A name has the type of its column."""
LEAVES = ("name", "number", "text", "truth")
MOST_DEPTH = 100
"""Largest depth of a tree, because Python's stack is limited."""
LARGEST = 2.0**53
"""Numbers of at least this size are refused: from here on, two whole numbers may have the same float."""
_AROUND = 30
"""Characters of the expression that a message shows on either side of an error."""


@dataclass(frozen=True, slots=True)
class Node:
    """A leaf with a `value` (its `kind` is in `LEAVES`), or an operator (`kind`) with operands `parts`.

    `start` and `end` are its position in the text.
    """

    kind: str
    start: int
    end: int
    value: str | float | bool = ""
    parts: tuple[Node, ...] = ()
    depth: int = 1

    def to_json(self) -> list[Any]:
        """Return nested lists such as ``["<", ["name", "chrf"], ["number", 30.0]]``."""
        if self.kind in LEAVES:
            return [self.kind, self.value]
        return [self.kind, *(part.to_json() for part in self.parts)]


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A part of an expression's text, which error messages mark."""

    text: str
    start: int
    end: int

    def __str__(self) -> str:
        before, inside, after = self.text[: self.start], self.text[self.start : self.end], self.text[self.end :]
        before = before if len(before) <= _AROUND else f"…{before[-_AROUND:]}"
        inside = inside if len(inside) <= 2 * _AROUND else f"{inside[:_AROUND]}…{inside[-_AROUND:]}"
        after = after if len(after) <= _AROUND else f"{after[:_AROUND]}…"
        return " ".join(f"{before}⟦{inside}⟧{after}".splitlines())

    def error(self, sentence: str) -> InputError:
        """Return an error with this sentence and the marked expression."""
        return InputError(f"{sentence} In the expression: {self}")


def written(name: str) -> str:
    """Return a name as an expression needs it, in backticks if necessary."""
    return name if name.isidentifier() else f"`{name}`"


def equal(name: str, text: str) -> str:
    """Return the expression that tests whether a column equals a text."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'{written(name)} == "{plain}"'
