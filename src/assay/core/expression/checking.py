"""Type checker of filter expressions: every name must exist, and every operator must suit its operands.

A text table does not say which columns are numbers, so the expression decides. A column that is ordered, added or compared
with a number is numeric. A column that is compared with text is a text column, and an operand of ``and`` or ``or`` is a
flag. A column cannot have two types. Two columns that are only compared with each other are compared as the rows contain
them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.core.errors import UnknownName, unknown
from assay.core.expression.tree import GIVES, ORDER, Node, TextSpan, written
from assay.core.flags import FLAGS, is_flag

if TYPE_CHECKING:
    from assay.core.expression.rows import Search
    from assay.core.metric import Bools

FLAG_COLUMN = "flags"
"""The column that lists a row's flags. Each flag may be used as if it were a column."""
_TYPE_NAMES = {"number": "a number", "text": "text", "truth": "true or false", "list": "a list"}
_TAKES = {
    **dict.fromkeys(("and", "or", "not"), ("truth",)),
    **dict.fromkeys((*ORDER, "+", "-", "*", "/", "negative", "abs", "numeric"), ("number",)),
    **dict.fromkeys(("length", "lower", "matches"), ("text",)),
    "has": ("text", "list"),
}
"""The types of an operator's operands: one for all operands, or one per operand."""


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression over known columns."""

    text: str
    tree: Node
    kinds: Mapping[str, str]
    """The type of each column; columns that may have any type are missing."""
    names: tuple[str, ...]
    """The columns that the rows must have."""
    flags: frozenset[str]
    """Names in the expression that refer to a flag."""

    def rows(
        self,
        columns: Mapping[str, Sequence[Any]],
        where: Callable[[int], str] = "row {}".format,
        search: Search | None = None,
    ) -> Bools:
        """Return whether the expression holds for each row of the columns, which include `names`.

        `where` describes a row's position in error messages. `search` is the regular expression search (default:
        `assay.core.patterns.search`).
        """
        from assay.core.expression.rows import evaluate

        return evaluate(self, columns, where, search)


def check(text: str, tree: Node, columns: Collection[str], where: str) -> Condition:
    """Return the tree as a condition over the columns of the table that `where` names."""
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
        """Require that a node has a type (None: any type)."""
        if node.kind == "name":
            self._name(node, kind)
            return
        gives = GIVES[node.kind]
        if kind is not None and gives != kind:
            raise self._span(node).error(f"{_TYPE_NAMES[kind]} is needed here, but this is {_TYPE_NAMES[gives]}.")
        takes = _TAKES.get(node.kind, (None,))
        if node.kind in ("==", "!=", "in"):
            types = {part_type for part in node.parts if (part_type := self._gives(part)) is not None}
            takes = (next(iter(types)),) if len(types) == 1 else (None,)
            if len(types) > 1:
                names = " with ".join(sorted(_TYPE_NAMES[part_type] for part_type in types))
                raise self._span(node).error(f"cannot compare {names}.")
            if not types:
                self._equal.append(node)
        for i, part in enumerate(node.parts):
            self.want(part, takes[min(i, len(takes) - 1)])

    def settle(self) -> None:
        """Give columns that are compared with each other the same type, if the type of one of them is known."""
        waiting = self._equal
        while True:
            left = []
            for node in waiting:
                part_types = (self._gives(part) for part in node.parts)
                common = next((part_type for part_type in part_types if part_type is not None), None)
                if common is None:
                    left.append(node)
                else:
                    for part in node.parts:
                        self.want(part, common)
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
                raise self._span(node).error(f"{_TYPE_NAMES[str(kind)]} is needed here, but {name} is a flag.")
            return
        if name not in self.columns:
            raise self._unknown(node)
        if kind is None:
            return
        before, at = self.kinds.setdefault(name, (kind, node))
        if before != kind:
            message = (
                f"{name} is read as {_TYPE_NAMES[kind]} here, but as {_TYPE_NAMES[before]} at character {at.start + 1}."
            )
            raise self._span(node).error(message)

    def _unknown(self, node: Node) -> UnknownName:
        name = str(node.value)
        flags = FLAGS if FLAG_COLUMN in self.columns else ()
        begins = [column for column in self.columns if column.startswith(name)]
        known = [written(column) for column in begins or [*self.columns, *flags]]
        error = unknown(f"column in {self.where}", name, known)
        if begins:
            error = UnknownName(f"unknown column {name!r} in {self.where}. Did you mean {', '.join(known[:3])}?")
        return UnknownName(f"{error} In the expression: {self._span(node)}")

    def _span(self, node: Node) -> TextSpan:
        return TextSpan(self.text, node.start, node.end)
