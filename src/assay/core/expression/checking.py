"""Whether an expression fits the columns there are: every name known, every operator over what it can compare.

A table of text does not say which columns are numbers; the expression does: what is compared with a number, ordered or added is
read as numbers, what is compared with a text as text, and what stands alone between ``and`` and ``or`` as a flag. A column
cannot be two of them. Two columns compared with each other alone are compared as the rows have them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.core.errors import UnknownName, unknown
from assay.core.expression.tree import GIVES, ORDER, Node, Stretch, written
from assay.core.flags import FLAGS, is_flag

if TYPE_CHECKING:
    from assay.core.expression.rows import Search
    from assay.core.metric import Bools

FLAG_COLUMN = "flags"
"""The column that lists a row's flags; each of them may be named as if it were a column."""
_SAID = {"number": "a number", "text": "text", "truth": "true or false", "list": "a list"}
_TAKES = {
    **dict.fromkeys(("and", "or", "not"), ("truth",)),
    **dict.fromkeys((*ORDER, "+", "-", "*", "/", "negative", "abs", "numeric"), ("number",)),
    **dict.fromkeys(("length", "lower", "matches"), ("text",)),
    "has": ("text", "list"),
}
"""What an operator takes: of all its parts, or of each."""


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression over known columns."""

    text: str
    tree: Node
    kinds: Mapping[str, str]
    """What each column is read as; a column that any will do for is not in it."""
    names: tuple[str, ...]
    """The columns that the rows must bring."""
    flags: frozenset[str]
    """Names in the expression that stand for a flag in the column of flags."""

    def rows(
        self,
        columns: Mapping[str, Sequence[Any]],
        where: Callable[[int], str] = "row {}".format,
        search: Search | None = None,
    ) -> Bools:
        """Whether the expression holds, for every row of the columns (at least `names`).

        `where` says where a row stands, for the refusal of one that has no number where a number is needed; `search` looks
        for regular expressions (default: `assay.core.patterns.search`).
        """
        from assay.core.expression.rows import evaluate

        return evaluate(self, columns, where, search)


def check(text: str, tree: Node, columns: Collection[str], where: str) -> Condition:
    """The tree over the columns of `where`."""
    checker = _Checker(text, columns, where)
    checker.want(tree, "truth")
    checker.settle()
    kinds = {name: kind for name, (kind, _) in checker.kinds.items()}
    names = [FLAG_COLUMN if name in checker.flags else name for name in checker.names]
    return Condition(text, tree, kinds, tuple(dict.fromkeys(names)), frozenset(checker.flags))


class _Checker:
    def __init__(self, text: str, columns: Collection[str], where: str) -> None:
        self.text, self.columns, self.where = text, columns, where
        self.kinds: dict[str, tuple[str, Node]] = {}
        self.flags: set[str] = set()
        self.names: dict[str, None] = {}
        self._equal: list[Node] = []

    def want(self, node: Node, kind: str | None) -> None:
        """The node must give a value of this kind (None: of any)."""
        if node.kind == "name":
            self._name(node, kind)
            return
        gives = GIVES[node.kind]
        if kind is not None and gives != kind:
            raise self._place(node).wrong(f"{_SAID[kind]} is needed here, and this is {_SAID[gives]}.")
        takes = _TAKES.get(node.kind, (None,))
        if node.kind in ("==", "!=", "in"):
            found = {given for part in node.parts if (given := self._gives(part)) is not None}
            takes = (next(iter(found)),) if len(found) == 1 else (None,)
            if len(found) > 1:
                said = " and ".join(sorted(_SAID[given] for given in found))
                raise self._place(node).wrong(f"{said} are compared with each other.")
            if not found:
                self._equal.append(node)
        for i, part in enumerate(node.parts):
            self.want(part, takes[min(i, len(takes) - 1)])

    def settle(self) -> None:
        """Columns that are compared with columns are of the same kind, where one of the two is known."""
        waiting = self._equal
        while True:
            left = []
            for node in waiting:
                found = next((given for part in node.parts if (given := self._gives(part)) is not None), None)
                if found is None:
                    left.append(node)
                else:
                    for part in node.parts:
                        self.want(part, found)
            if len(left) == len(waiting):
                return
            waiting = left

    def _gives(self, node: Node) -> str | None:
        if node.kind != "name":
            return GIVES[node.kind]
        known = self.kinds.get(str(node.value))
        return "truth" if self._is_flag(str(node.value)) else known[0] if known else None

    def _is_flag(self, name: str) -> bool:
        return name not in self.columns and FLAG_COLUMN in self.columns and is_flag(name)

    def _name(self, node: Node, kind: str | None) -> None:
        name = str(node.value)
        self.names[name] = None
        if self._is_flag(name):
            self.flags.add(name)
            if kind not in (None, "truth"):
                raise self._place(node).wrong(f"{_SAID[str(kind)]} is needed here, and {name} is a flag.")
            return
        if name not in self.columns:
            raise self._unknown(node)
        if kind is None:
            return
        before, at = self.kinds.setdefault(name, (kind, node))
        if before != kind:
            said = f"{name} is read as {_SAID[kind]} here, and as {_SAID[before]} at character {at.start + 1}."
            raise self._place(node).wrong(said)

    def _unknown(self, node: Node) -> UnknownName:
        name = str(node.value)
        flags = FLAGS if FLAG_COLUMN in self.columns else ()
        begins = [column for column in self.columns if column.startswith(name)]
        known = [written(column) for column in begins or [*self.columns, *flags]]
        error = unknown(f"column in {self.where}", name, known)
        if begins:
            error = UnknownName(f"unknown column {name!r} in {self.where}. Did you mean {', '.join(known[:3])}?")
        return UnknownName(f"{error} In the expression: {self._place(node)}")

    def _place(self, node: Node) -> Stretch:
        return Stretch(self.text, node.start, node.end)
