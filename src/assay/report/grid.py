"""From a Table to a grid of text: the one place where numbers become digits.

Every text format (terminal, Markdown, LaTeX, HTML) draws the same grid; data formats (JSON, CSV, …) take the raw rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.core.table import Table, TableColumn


@dataclass(frozen=True, slots=True)
class Grid:
    """Headings, rows of cells, and which columns hold numbers (and stand flush right)."""

    headings: list[str]
    rows: list[list[str]]
    numeric: list[bool]


def grid(table: Table) -> Grid:
    """The table as people read it: pivoted where it says so, intervals and marks beside their numbers."""
    if table.pivot is not None:
        return _pivoted(table)
    shown = [column for column in table.columns if not column.hidden]
    return Grid(
        [column.title for column in shown],
        [[cell(column, row) for column in shown] for row in table.rows],
        [column.kind != "text" for column in shown],
    )


def _pivoted(table: Table) -> Grid:
    assert table.pivot is not None
    index, across, value = (table.column(key) for key in (table.pivot.index, table.pivot.columns, table.pivot.value))
    names = list(dict.fromkeys(row[across.key] for row in table.rows))
    # Columns that say something about the index alone stand beside it, once.
    beside = [
        column
        for column in table.columns
        if not column.hidden and column.key not in (across.key, value.key) and column.kind in ("text", "count")
    ]
    lines: dict[Any, dict[Any, Mapping[str, Any]]] = {}
    for row in table.rows:
        lines.setdefault(row[index.key], {})[row[across.key]] = row
    rows = []
    for found in lines.values():
        first = next(iter(found.values()))
        cells = [cell(value, found[name]) if name in found else "" for name in names]
        rows.append([cell(column, first) for column in beside] + cells)
    headings = [column.title for column in beside] + [str(name) for name in names]
    return Grid(headings, rows, [column.kind != "text" for column in beside] + [True] * len(names))


def cell(column: TableColumn, row: Mapping[str, Any]) -> str:
    """One value as text, with its interval and mark."""
    value = row.get(column.key)
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
    """A bare value with the digits it deserves; nothing for None, a dash for what could not be computed."""
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
    return f"{value:,.{column.decimals}f}" if abs(value) >= 1e-12 else f"{0.0:.{column.decimals}f}"
