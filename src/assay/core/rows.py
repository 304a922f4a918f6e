"""Output rows: input columns, followed by scores, flags and error spans.

A JSON row has the input columns as keys, then ``"scores": {METRIC: value}``, ``"flags": [..]`` and ``"spans": {METRIC:
[..]}``. A table has the same content as columns, one per metric.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from assay.core.columns import Columns
from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.core.spans import ErrorSpan

SCORES, FLAGS, SPANS = "scores", "flags", "spans"
"""The columns that assay adds to a row."""
SPAN = ("side", "start", "end", "text", "severity", "category", "confidence")
"""The fields of an error span, in this order. `start` and `end` are character offsets in the text on its side."""
SIDES = ("good", "incorrect")
"""The translations of a minimal pair. Their scores are the columns ``METRIC good`` and ``METRIC incorrect``."""


@dataclass(frozen=True, slots=True)
class InputRows:
    """The input's rows: every column under its own name, and the roles of columns that assay uses."""

    columns: Mapping[str, Sequence[Any]]
    roles: Mapping[str, str] = field(default_factory=dict)
    """Input column to role, under the names of output rows: ``{"Source": "src"}``."""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def map(self, change: Any) -> InputRows:
        """Return the rows with every column changed."""
        return replace(self, columns={name: change(column) for name, column in self.columns.items()})

    def with_column(self, name: str, column: Sequence[Any]) -> InputRows:
        """Return the rows with one more column, unless a column of that name exists."""
        return self if name in self.columns else replace(self, columns={**self.columns, name: column})

    def by_role(self) -> dict[str, Sequence[Any]]:
        """Return the columns that have a role under the role's name; rename any other column with that name."""
        shown = {self.roles.get(name, "") for name in self.columns} - {""}
        renamed = renamed_inputs([name for name in self.columns if name not in self.roles], shown) | dict(self.roles)
        return {renamed.get(name, name): column for name, column in self.columns.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can represent."""
        return {"columns": dict(self.columns), "roles": dict(self.roles)}


def joined_rows(parts: Sequence[InputRows]) -> InputRows:
    """Join consecutive rows with the same columns."""
    names = parts[0].columns
    return InputRows({name: [v for part in parts for v in part.columns[name]] for name in names}, parts[0].roles)


def is_score(name: str, metrics: Collection[str]) -> bool:
    """Return whether a column holds scores of one of the metrics, for a translation or for one side of a pair."""
    metric, _, side = name.rpartition(" ")
    return name in metrics or (side in SIDES and metric in metrics)


def renamed_inputs(names: Iterable[str], added: Collection[str]) -> dict[str, str]:
    """Return new names for input columns whose names conflict with columns that assay adds."""
    existing = list(names)
    taken = {*existing, *added}
    renamed: dict[str, str] = {}
    for name in existing:
        if name in added:
            number, free = 1, f"input_{name}"
            while free in taken:
                number += 1
                free = f"input_{name}_{number}"
            taken.add(free)
            renamed[name] = free
    return renamed


def renaming_notes(renamed: Mapping[str, str]) -> list[str]:
    """Return one sentence per input column that is written under another name."""
    return [
        f"the input column {old!r} is written as {new!r}, because assay adds a column {old!r}."
        for old, new in renamed.items()
    ]


def span_fields(span: ErrorSpan) -> dict[str, Any]:
    """Return an error span as a JSON object."""
    values = (span.side, span.start, span.end, span.text, span.severity, span.category, span.confidence)
    return dict(zip(SPAN, values, strict=True))


def span_objects(spans: Mapping[str, Sequence[Sequence[ErrorSpan]]]) -> list[dict[str, list[dict[str, Any]]]]:
    """Return the error spans of every row by metric."""
    rows = zip(*spans.values(), strict=True)
    return [{name: list(map(span_fields, marked)) for name, marked in zip(spans, row, strict=True)} for row in rows]


def split_columns(names: Sequence[str], scores: Collection[str]) -> tuple[list[str], list[str], list[str]]:
    """Split columns for JSON rows: columns before the scores, the scores, and flags and spans after them."""
    inside = [name for name in names if name in scores]
    others = [name for name in names if name not in scores]
    at = len(others)
    while at and others[at - 1] in (FLAGS, SPANS):
        at -= 1
    return others[:at], inside, others[at:]


def row_objects(columns: Columns, scores: Collection[str]) -> list[dict[str, Any]]:
    """Return rows as objects, with the columns `scores` in a nested object."""
    before, inside, after = split_columns(list(columns), scores)
    objects = []
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        nested = {SCORES: {name: row[name] for name in inside}} if inside else {}
        objects.append({name: row[name] for name in before} | nested | {name: row[name] for name in after})
    return objects


def nested_row(row: Mapping[str, Any], metrics: Collection[str]) -> dict[str, Any]:
    """Return a row with these metrics' scores in a nested object."""
    before, inside, after = split_columns(list(row), {name for name in row if is_score(name, metrics)})
    nested = {SCORES: {name: row[name] for name in inside}} if inside else {}
    return {name: row[name] for name in before} | nested | {name: row[name] for name in after}


def flat_row(row: Mapping[str, Any], where: str = "the row") -> Mapping[str, Any]:
    """Return a row with its nested scores as columns; reject a score with the same name as another column."""
    inside = row.get(SCORES)
    if not isinstance(inside, dict):
        return row
    if both := inside.keys() & (row.keys() - {SCORES}):
        raise InputError(f"{where} has {min(both)!r} both as a column and among its scores. Rename one of them.")
    return {**inside, **{name: value for name, value in row.items() if name != SCORES}}
