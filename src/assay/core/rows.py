"""The shape of rows that go out: the columns of the input, then scores, flags and error spans.

A JSON object keeps the columns of the input as its own keys, ``"scores": {METRIC: value}``, ``"flags": [..]`` and
``"spans": {METRIC: [..]}``. A table has the same as columns, with one for each metric.
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
"""What assay adds to a row."""
SPAN = ("side", "start", "end", "text", "severity", "category", "confidence")
"""The fields of an error span, in this order. `start` and `end` count characters of the text on its side."""
SIDES = ("good", "incorrect")
"""The translations of a minimal pair: their scores are called ``METRIC good`` and ``METRIC incorrect``."""


@dataclass(frozen=True, slots=True)
class InputRows:
    """Rows as they came in: every column by its own name, and which of them play a role."""

    columns: Mapping[str, Sequence[Any]]
    roles: Mapping[str, str] = field(default_factory=dict)
    """Column to the name of its role in rows that assay names itself: ``{"Source": "src"}``."""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def map(self, change: Any) -> InputRows:
        """Return the rows with every column changed."""
        return replace(self, columns={name: change(column) for name, column in self.columns.items()})

    def with_column(self, name: str, column: Sequence[Any]) -> InputRows:
        """Return the rows with one more column, where none has its name."""
        return self if name in self.columns else replace(self, columns={**self.columns, name: column})

    def by_role(self) -> dict[str, Sequence[Any]]:
        """Return the columns with a role by its name; another column of that name gets a new one."""
        shown = {self.roles.get(name, "") for name in self.columns} - {""}
        renamed = renamed_inputs([name for name in self.columns if name not in self.roles], shown) | dict(self.roles)
        return {renamed.get(name, name): column for name, column in self.columns.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {"columns": dict(self.columns), "roles": dict(self.roles)}


def joined_rows(parts: Sequence[InputRows]) -> InputRows:
    """Join consecutive rows of the same columns."""
    names = parts[0].columns
    return InputRows({name: [v for part in parts for v in part.columns[name]] for name in names}, parts[0].roles)


def is_score(name: str, metrics: Collection[str]) -> bool:
    """Whether a column holds scores of one of the metrics: of a translation, or of one side of a pair."""
    metric, _, side = name.rpartition(" ")
    return name in metrics or (side in SIDES and metric in metrics)


def renamed_inputs(names: Iterable[str], added: Collection[str]) -> dict[str, str]:
    """Return new names for columns of the input whose own names are those of columns that assay adds."""
    there = list(names)
    taken = {*there, *added}
    found: dict[str, str] = {}
    for name in there:
        if name in added:
            number, free = 1, f"input_{name}"
            while free in taken:
                number += 1
                free = f"input_{name}_{number}"
            taken.add(free)
            found[name] = free
    return found


def renaming_notes(renamed: Mapping[str, str]) -> list[str]:
    """Return one sentence for each column of the input that goes out under another name."""
    return [
        f"the column {old!r} of the input is written as {new!r}: assay adds one of that name."
        for old, new in renamed.items()
    ]


def span_fields(span: ErrorSpan) -> dict[str, Any]:
    """Return an error span as a row has it."""
    values = (span.side, span.start, span.end, span.text, span.severity, span.category, span.confidence)
    return dict(zip(SPAN, values, strict=True))


def span_objects(spans: Mapping[str, Sequence[Sequence[ErrorSpan]]]) -> list[dict[str, list[dict[str, Any]]]]:
    """Return the error spans of every row by metric."""
    rows = zip(*spans.values(), strict=True)
    return [{name: list(map(span_fields, found)) for name, found in zip(spans, row, strict=True)} for row in rows]


def parted(names: Sequence[str], scores: Collection[str]) -> tuple[list[str], list[str], list[str]]:
    """Part the columns of rows for JSON: those before the scores, the scores, and flags and spans behind them."""
    inside = [name for name in names if name in scores]
    others = [name for name in names if name not in scores]
    at = len(others)
    while at and others[at - 1] in (FLAGS, SPANS):
        at -= 1
    return others[:at], inside, others[at:]


def row_objects(columns: Columns, scores: Collection[str]) -> list[dict[str, Any]]:
    """Return rows as objects, those of the columns `scores` in an object of their own."""
    before, inside, after = parted(list(columns), scores)
    made = []
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        nested = {SCORES: {name: row[name] for name in inside}} if inside else {}
        made.append({name: row[name] for name in before} | nested | {name: row[name] for name in after})
    return made


def nested_row(row: Mapping[str, Any], metrics: Collection[str]) -> dict[str, Any]:
    """Return a row with the scores of these metrics in an object of their own."""
    before, inside, after = parted(list(row), {name for name in row if is_score(name, metrics)})
    nested = {SCORES: {name: row[name] for name in inside}} if inside else {}
    return {name: row[name] for name in before} | nested | {name: row[name] for name in after}


def flat_row(row: Mapping[str, Any], where: str = "the row") -> Mapping[str, Any]:
    """Return a row with its scores as columns; a score with the name of another column is refused."""
    inside = row.get(SCORES)
    if not isinstance(inside, dict):
        return row
    if both := inside.keys() & (row.keys() - {SCORES}):
        raise InputError(f"{where} has {min(both)!r} as a column and among its scores: rename one.")
    return {**inside, **{name: value for name, value in row.items() if name != SCORES}}
