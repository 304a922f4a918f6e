"""Translation of filter expressions (`assay.core.expression`) to polars, for many rows.

A translation always gives the same result as `core`. Any expression that polars would treat differently (numbers stored as text,
comma-separated flags, most regular expressions) is left to `core`.

`core` rejects a row without a required number, and ``and`` and ``or`` decide which rows are evaluated. So each node has two polars
expressions: whether it holds, and whether the row would be rejected. If any row is, `core` evaluates the filter for its message.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from assay.core.expression.tree import GIVES, LARGEST, Node
from assay.viewer.linear_patterns import Unlike, linear

if TYPE_CHECKING:
    from assay.core.expression.checking import Condition

Schema = Mapping[str, Any]
_NAN = r"^[\s\x1c-\x1f]*[nN][aA][nN][\s\x1c-\x1f]*$"
_BETWEEN: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip


class Translated(NamedTuple):
    """The value of a node in every row, and whether the row is rejected because a number is missing (None: never)."""

    value: pl.Expr
    refused: pl.Expr | None = None


def translated(checked: Condition, frame: pl.DataFrame) -> Translated:
    """Return the condition over the frame's columns; raise `Unlike` if polars would treat it differently or lacks a column."""
    return _Translation(checked, frame).truth(checked.tree)


class _Translation:
    def __init__(self, checked: Condition, frame: pl.DataFrame) -> None:
        self._checked, self._frame, self._schema = checked, frame, frame.schema

    def truth(self, node: Node) -> Translated:
        kind, parts = node.kind, node.parts
        if kind in ("and", "or"):
            return self._joined(node)
        if kind == "not":
            inner = self.truth(parts[0])
            return Translated(~inner.value, inner.refused)
        if kind == "missing":
            return Translated(self._missing(parts[0]))
        if kind == "matches":
            text = self.text(parts[0])
            return Translated(text.str.contains(linear(str(parts[1].value))))
        if kind == "in":
            if parts[1].kind == "number":
                number = self.number(parts[0])
                return Translated(number.value.is_in([float(part.value) for part in parts[1:]]), number.refused)
            return Translated(self.text(parts[0]).is_in([str(part.value) for part in parts[1:]]))
        if kind == "has":
            return Translated(self._listed(str(parts[1].value)).list.contains(self.text(parts[0])).fill_null(False))
        if kind in ("<", "<=", ">", ">=", "==", "!="):
            return self._compared(node)
        if kind == "truth":
            return Translated(pl.lit(bool(node.value)))
        return Translated(self._flag(str(node.value)))

    def _joined(self, node: Node) -> Translated:
        """Translate ``and`` and ``or``: each operand is evaluated only for rows that the operands before it leave undecided."""
        found = self.truth(node.parts[0])
        value, refused = found
        for part in node.parts[1:]:
            further = self.truth(part)
            if further.refused is not None:
                asked = further.refused & (value if node.kind == "and" else ~value)
                refused = asked if refused is None else refused | asked
            value = value & further.value if node.kind == "and" else value | further.value
        return Translated(value, refused)

    def _compared(self, node: Node) -> Translated:
        left, right = node.parts
        kinds = {self._kind(left), self._kind(right)}
        if len(kinds) != 1:
            raise Unlike("columns of different types")
        compare = _BETWEEN[node.kind]
        (kind,) = kinds
        if kind == "text":
            return Translated(compare(self.text(left), self.text(right)))
        take = self.number if kind == "number" else self.truth
        a, b = take(left), take(right)
        return Translated(compare(a.value, b.value), _either(a.refused, b.refused))

    def _kind(self, node: Node) -> str:
        name = str(node.value)
        if node.kind != "name":
            return GIVES[node.kind]
        if name in self._checked.flags:
            return "truth"
        if name in self._checked.kinds:
            return self._checked.kinds[name]
        found = _KINDS.get(self._type(name), "number" if self._type(name).is_numeric() else "")
        if not found or (found != "text" and self._frame[name].null_count()):
            raise Unlike(name)  # what a column of nulls is compared as depends on the rows that are asked
        return found

    def _type(self, name: str) -> Any:
        if name not in self._schema:
            raise Unlike(name)
        return self._schema[name]

    def _missing(self, node: Node) -> pl.Expr:
        name = str(node.value)
        if node.kind != "name" or name in self._checked.flags:
            return pl.lit(False)
        column, kind = pl.col(name), self._type(name)
        if kind == pl.String:
            return (column.is_null() | (column == "") | column.str.contains(_NAN)).fill_null(True)
        return column.is_null() | column.is_nan().fill_null(True) if kind.is_float() else column.is_null()

    def _flag(self, name: str) -> pl.Expr:
        if name in self._checked.flags:
            return self._listed("flags").list.contains(pl.lit(name)).fill_null(False)
        if self._type(name) != pl.Boolean:
            raise Unlike(name)
        return pl.col(name).fill_null(False)

    def _listed(self, name: str) -> pl.Expr:
        if self._type(name) != pl.List(pl.String):
            raise Unlike(name)
        return pl.col(name)

    def number(self, node: Node) -> Translated:
        kind, parts = node.kind, node.parts
        if kind == "number":
            return Translated(pl.lit(float(node.value)))
        if kind == "name":
            name = str(node.value)
            if not self._type(name).is_numeric():
                raise Unlike(name)
            value = pl.col(name).cast(pl.Float64)
            return Translated(value, ~((value.abs() < LARGEST) & value.is_not_nan()).fill_null(False))
        if kind == "length":
            return Translated(self.text(parts[0]).str.len_chars().cast(pl.Float64))
        of = [self.number(part) for part in parts]
        if len(of) == 2:
            value = _BETWEEN[kind](of[0].value, of[1].value)
        else:
            value = {"abs": of[0].value.abs(), "negative": -of[0].value}.get(kind, of[0].value)
        refused: pl.Expr | None = ~value.is_finite().fill_null(False)
        for made in of:
            refused = _either(refused, made.refused)
        return Translated(value, refused)

    def text(self, node: Node) -> pl.Expr:
        if node.kind == "text":
            return pl.lit(str(node.value))
        if node.kind == "lower":
            return self.text(node.parts[0]).str.to_lowercase()
        if self._type(str(node.value)) != pl.String:
            raise Unlike(str(node.value))
        return pl.col(str(node.value)).fill_null("")


_KINDS = {pl.String: "text", pl.Boolean: "truth"}


def _either(a: pl.Expr | None, b: pl.Expr | None) -> pl.Expr | None:
    return b if a is None else a if b is None else a | b
