"""Tables and figures for people and programs: every format is a rendering of the same Table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.errors import unknown
from assay.core.table import Table

FORMATS = ("table", "json", "jsonl", "tsv", "csv", "md", "latex", "html")


def render(
    tables: Sequence[Table],
    format: str = "table",
    *,
    head: Mapping[str, Any] | None = None,
    title: str = "assay",
    width: int | None = None,
    colour: bool = False,
    spreadsheet_safe: bool = False,
) -> str:
    """The tables in one of `FORMATS`. `head` is further JSON beside ``tables``; `spreadsheet_safe` is for CSV and TSV."""
    if format == "table":
        from assay.report import terminal

        return terminal.render(tables, width=width, colour=colour)
    if format in ("md", "latex", "html"):
        from assay.report import markup

        if format == "html":
            return markup.page(tables, title)
        return markup.markdown(tables) if format == "md" else markup.latex(tables)
    from assay.report import data

    if format == "json":
        return data.as_json(tables, head)
    if format == "jsonl":
        return data.as_jsonl(tables)
    if format in ("csv", "tsv"):
        return data.as_csv(tables, "," if format == "csv" else "\t", spreadsheet_safe=spreadsheet_safe)
    raise unknown("format", format, FORMATS)
