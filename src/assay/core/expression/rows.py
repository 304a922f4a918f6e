"""Evaluation of filter expressions for a chunk of columns.

``and`` evaluates its right side only for rows in which the left side holds, and ``or`` only for the other rows. So ``chrf is not
missing and chrf < 30`` never reads a missing score. If a required number is missing, an error is raised.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import InputError
from assay.core.expression.tree import GIVES, LARGEST, Node, TextSpan, written
from assay.core.patterns import Searched, search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.expression.checking import Condition
    from assay.core.metric import Bools, Floats

    Rows = NDArray[np.intp]

Search = Callable[[Mapping[str, Sequence[str]]], Mapping[str, Searched]]
"""Returns the texts in which each pattern is found, or what is wrong with it; see `assay.core.patterns.search`."""

_COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, "": False}
"""Spellings of booleans in a text table."""


def evaluate(
    checked: Condition,
    columns: Mapping[str, Sequence[Any]],
    where: Callable[[int], str],
    search: Search | None,
) -> Bools:
    """Return a mask of the rows for which the expression holds."""
    rows = len(next(iter(columns.values()))) if columns else 0
    return _Evaluation(checked, columns, where, search or _search).truths(checked.tree, np.arange(rows))


def _search(wanted: Mapping[str, Sequence[str]]) -> Mapping[str, Searched]:
    return search(wanted, "the expression")


class _Evaluation:
    def __init__(
        self, checked: Condition, columns: Mapping[str, Sequence[Any]], where: Callable[[int], str], search: Search
    ) -> None:
        self._checked, self._columns, self._where, self._search = checked, columns, where, search

    # Truths

    def truths(self, node: Node, rows: Rows) -> Bools:
        kind, parts = node.kind, node.parts
        if kind in ("and", "or"):
            return self._joined(node, rows)
        if kind == "not":
            return ~self.truths(parts[0], rows)
        if kind == "missing":
            return self._missing(parts[0], rows)
        if kind == "matches":
            return self._matches(node, rows)
        if kind == "in":
            if parts[1].kind == "number":
                return np.isin(self.numbers(parts[0], rows), [float(part.value) for part in parts[1:]])
            options = {str(part.value) for part in parts[1:]}
            return np.array([text in options for text in self.texts(parts[0], rows)], bool)
        if kind == "has":
            lists = self._lists(parts[1], rows)
            return np.array([t in held for t, held in zip(self.texts(parts[0], rows), lists, strict=True)], bool)
        if kind in _COMPARE:
            return self._compared(node, rows)
        if kind == "truth":
            return np.full(len(rows), bool(node.value))
        return self._flags(node, rows)

    def _joined(self, node: Node, rows: Rows) -> Bools:
        """Evaluate the operands of ``and`` and ``or`` one by one, each for the rows that are still undecided."""
        result = np.full(len(rows), node.kind == "and")
        open_rows = np.arange(len(rows))
        for part in node.parts:
            held = self.truths(part, rows[open_rows])
            decided = ~held if node.kind == "and" else held
            result[open_rows[decided]] = node.kind == "or"
            open_rows = open_rows[~decided]
        return result

    def _compared(self, node: Node, rows: Rows) -> Bools:
        left, right = node.parts
        kind = self._kind(left, rows) or self._kind(right, rows) or "text"
        if kind != (other := self._kind(right, rows) or kind):
            raise self._error(node, rows, 0, f"cannot compare {kind} with {other}")
        if kind == "text":
            texts = zip(self.texts(left, rows), self.texts(right, rows), strict=True)
            same = np.array([a == b for a, b in texts], bool)
            return same if node.kind == "==" else ~same
        take: Any = self.numbers if kind == "number" else self.truths
        result: Bools = _COMPARE[node.kind](take(left, rows), take(right, rows))
        return result

    def _kind(self, node: Node, rows: Rows) -> str | None:
        """Return the type of an operand of a comparison. For a column of any type, it follows from the values."""
        name = str(node.value)
        if node.kind != "name":
            return GIVES[node.kind]
        if name in self._checked.flags:
            return "truth"
        if name in self._checked.kinds:
            return self._checked.kinds[name]
        for value in self._taken(name, rows):
            if value is not None:
                return "truth" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"
        return None

    def _flags(self, node: Node, rows: Rows) -> Bools:
        name = str(node.value)
        if name in self._checked.flags:
            listed = self._lists(Node("name", node.start, node.end, "flags"), rows)
            return np.array([name in held for held in listed], bool)
        values = self._taken(name, rows)
        result = np.zeros(len(rows), bool)
        for i, value in enumerate(values):
            truth = _TRUTHS.get(value.strip().lower()) if isinstance(value, str) else bool(value or False)
            if truth is None or (isinstance(value, (int, float, list, dict)) and not isinstance(value, bool)):
                raise self._type_error(node, rows, i, value, "true or false")
            result[i] = truth
        return result

    def _missing(self, node: Node, rows: Rows) -> Bools:
        if node.kind != "name" or str(node.value) in self._checked.flags:
            return np.zeros(len(rows), bool)
        values = self._taken(str(node.value), rows)
        return np.array([value is None or value == "" or _is_nan(value) for value in values], bool)

    def _matches(self, node: Node, rows: Rows) -> Bools:
        texts, pattern = self.texts(node.parts[0], rows), str(node.parts[1].value)
        distinct = list(dict.fromkeys(texts))
        matches = self._search({pattern: distinct})[pattern] if distinct else {}
        if isinstance(matches, str):
            raise self._span(node.parts[1]).error(f"the pattern {matches}.")
        return np.array([text in matches for text in texts], bool)

    # Numbers

    def numbers(self, node: Node, rows: Rows) -> Floats:
        kind, parts = node.kind, node.parts
        if kind == "number":
            return np.full(len(rows), float(node.value))
        if kind == "name":
            return self._column(node, rows)
        if kind == "length":
            return np.array([len(text) for text in self.texts(parts[0], rows)], float)
        of = [self.numbers(part, rows) for part in parts]
        with np.errstate(all="ignore"):
            if len(of) == 2:
                result: Floats = _COMPARE[kind](*of)
            else:
                result = np.abs(of[0]) if kind == "abs" else -of[0] if kind == "negative" else of[0]
        bad = np.flatnonzero(~np.isfinite(result))
        if len(bad):
            raise self._error(node, rows, int(bad[0]), "the result is not a finite number")
        return result

    def _column(self, node: Node, rows: Rows) -> Floats:
        values = self._taken(str(node.value), rows)
        try:
            if set(map(type, values)) <= {float, int}:
                numbers = np.array(values, float)
            elif any("_" in value for value in values if isinstance(value, str)) or bool in set(map(type, values)):
                raise ValueError("not all of them are numbers")
            else:
                numbers = np.array(list(map(float, values)), float)
        except (TypeError, ValueError, OverflowError):
            i = next(i for i, value in enumerate(values) if not _is_number(value) or _is_large(value))
            raise self._type_error(node, rows, i, values[i], "a number") from None
        bad = np.flatnonzero(~(np.abs(numbers) < LARGEST))
        if len(bad):
            raise self._type_error(node, rows, int(bad[0]), values[int(bad[0])], "a number")
        return numbers

    # Texts and lists

    def texts(self, node: Node, rows: Rows) -> list[str]:
        if node.kind == "text":
            return [str(node.value)] * len(rows)
        if node.kind == "lower":
            return [text.lower() for text in self.texts(node.parts[0], rows)]
        values = ["" if value is None else value for value in self._taken(str(node.value), rows)]
        for i, value in enumerate(values):
            if not isinstance(value, str):
                raise self._type_error(node, rows, i, value, "text")
        return values

    def _lists(self, node: Node, rows: Rows) -> list[Sequence[str]]:
        """Return the list in each row; in a text table its items are separated by commas."""
        lists: list[Sequence[str]] = []
        for i, value in enumerate(self._taken(str(node.value), rows)):
            if value is None:
                lists.append(())
            elif isinstance(value, str):
                lists.append([item.strip() for item in value.split(",")])
            elif isinstance(value, (list, tuple)):
                lists.append([str(item) for item in value])
            else:
                raise self._type_error(node, rows, i, value, "a list")
        return lists

    def _taken(self, name: str, rows: Rows) -> Sequence[Any]:
        column = self._columns[name]
        return column if len(rows) == len(column) else [column[i] for i in rows.tolist()]

    # Errors

    def _type_error(self, node: Node, rows: Rows, i: int, value: Any, wanted: str) -> InputError:
        name = node.value
        if wanted == "a number" and (value is None or value == "" or _is_nan(value)):
            remedy = f"Include or exclude such rows: {written(str(name))} is missing or …, is not missing and …."
            return self._error(node, rows, i, f"{name} has no number", remedy)
        if wanted == "a number" and _is_number(value):
            shown = value if len(str(value)) <= 40 else f"{str(value)[:40]}…"
            return self._error(node, rows, i, f"{name} is {shown}, too large to be compared exactly")
        shown = repr(value if len(str(value)) <= 40 else f"{str(value)[:40]}…")
        return self._error(node, rows, i, f"{name} is {shown}, not {wanted}")

    def _error(self, node: Node, rows: Rows, i: int, problem: str, remedy: str = "") -> InputError:
        row = f"{self._where(int(rows[i]))}: " if len(rows) else ""
        return self._span(node).error(f"{row}{problem}.{f' {remedy}' if remedy else ''}")

    def _span(self, node: Node) -> TextSpan:
        return TextSpan(self._checked.text, node.start, node.end)


def _is_nan(value: Any) -> bool:
    return (isinstance(value, float) and math.isnan(value)) or (
        isinstance(value, str) and value.strip().lower() == "nan"
    )


def _is_large(value: Any) -> bool:
    return isinstance(value, int) and abs(value) > LARGEST


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        try:
            return "_" not in value and not math.isnan(float(value))
        except ValueError:
            return False
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not _is_nan(value)
