"""Conversion of a Table to a grid of text, the only place where numbers are formatted.

Every text format (terminal, Markdown, LaTeX, HTML) draws this grid; data formats (JSON, CSV, …) use the raw rows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.core.table import Pivot, Table, TableColumn


@dataclass(frozen=True, slots=True)
class Grid:
    """Grid of text: headings, rows, which columns are numeric (right-aligned), which name a row, which contain long texts."""

    headings: list[str]
    rows: list[list[str]]
    numeric: list[bool]
    names: list[int]
    stacked: list[int] = field(default_factory=list)


def grid(table: Table) -> Grid:
    """Return the table for display: pivoted if specified, with intervals and marks next to their numbers.

    A count that is 0 in every row (usually ``unscored``) is left out.
    """
    shown = [column for column in table.columns if not (column.hidden or _all_zero(column, table.rows))]
    if table.pivot is not None:
        return _pivoted(table, table.pivot, shown)
    numeric = [column.kind != "text" for column in shown]
    return Grid(
        [column.title for column in shown],
        [[cell(column, row) for column in shown] for row in table.rows],
        numeric,
        list(range(max(1, numeric.index(True)))) if any(numeric) else [0],
        [i for i, column in enumerate(shown) if column.key in table.stacked],
    )


def _all_zero(column: TableColumn, rows: Sequence[Mapping[str, Any]]) -> bool:
    return column.kind == "count" and bool(rows) and all(row.get(column.key) == 0 for row in rows)


def _pivoted(table: Table, pivot: Pivot, shown: Sequence[TableColumn]) -> Grid:
    index, across, value = (table.column(key) for key in (pivot.index, pivot.columns, pivot.value))
    names = list(dict.fromkeys(row[across.key] for row in table.rows))
    lines = _lines(table.rows, pivot)
    beside = [column for column in shown if column is index or _describes_line(column, table.rows, lines)]
    beside = [column for column in beside if column not in (across, value)]
    rows = []
    for line in lines:
        first = next(iter(line.values()))
        cells = [cell(value, line[name]) if name in line else "" for name in names]
        rows.append([cell(column, first) for column in beside] + cells)
    marks = {row[across.key]: cell(across, row) for row in table.rows}
    return Grid(
        [column.title for column in beside] + [marks[name] for name in names],
        rows,
        [column.kind != "text" for column in beside] + [True] * len(names),
        [beside.index(index)],
    )


def _lines(rows: Sequence[Mapping[str, Any]], pivot: Pivot) -> list[dict[Any, Mapping[str, Any]]]:
    """Return the rows for each line by column; an index that occurs twice (in two categories) starts a new line."""
    lines: dict[tuple[Any, int], dict[Any, Mapping[str, Any]]] = {}
    seen: Counter[tuple[Any, Any]] = Counter()
    for row in rows:
        position = row[pivot.index], row[pivot.columns]
        lines.setdefault((position[0], seen[position]), {})[position[1]] = row
        seen[position] += 1
    return list(lines.values())


def _describes_line(
    column: TableColumn, rows: Sequence[Mapping[str, Any]], lines: Sequence[Mapping[Any, Mapping[str, Any]]]
) -> bool:
    """Return whether a column describes the lines themselves, so that it is shown once next to their index."""
    if column.kind == "text" and len({row.get(column.key) for row in rows}) == 1:
        return False
    constant = all(len({row.get(column.key) for row in line.values()}) == 1 for line in lines)
    return column.kind in ("text", "count") and constant


def split_mark(text: str) -> tuple[str, str]:
    """Split a number from its mark, to align digits: ``"88.8 ±0.4 *"`` becomes ``"88.8 ±0.4"`` and ``"*"``."""
    number, blank, mark = text.rpartition(" ")
    return (number, mark) if blank and not any(char.isalnum() for char in mark) else (text, "")


def cell(column: TableColumn, row: Mapping[str, Any]) -> str:
    """Return one value as text, with its interval and mark."""
    value = row.get(column.key)
    if column.digits is not None:
        column = replace(column, decimals=row[column.digits], digits=None)
    text = number(value, column)
    if text and column.interval is not None:
        low, high = (row.get(key) for key in column.interval)
        if low is not None and high is not None and not math.isnan(low + high):
            scale = 100 if column.kind == "percent" else 1
            text += f" ±{scale * (high - low) / 2:.{column.decimals}f}"
    if text and column.mark is not None and row.get(column.mark):
        text += f" {row[column.mark]}"
    return text


def number(value: Any, column: TableColumn) -> str:
    """Return a bare value with suitable digits: empty for None, a dash for NaN."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, (int, float)) or column.kind == "text":
        return str(value)
    if math.isnan(value):
        return "–"
    if column.kind == "count":
        return f"{value:,.0f}"
    if column.kind == "p":
        return "< 0.001" if value < 0.001 else f"{value:.3f}"
    if column.kind == "percent":
        return f"{100 * value:.{column.decimals}f}"
    text = f"{value:{'+' if column.kind == 'change' else ''},.{column.decimals}f}"
    return text if text.strip("+-0.") else text.lstrip("+-")
