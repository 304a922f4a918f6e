"""Output formats for tables, rows and figures: terminal, Markdown, LaTeX, HTML, CSV, JSON, Parquet, XLSX, SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO, Any

from assay.core.errors import InputError, listing, unknown
from assay.core.table import Table

TEXT_FORMATS = ("table", "json", "jsonl", "tsv", "csv", "md", "latex", "html")
BINARY_FORMATS = ("parquet", "xlsx")
FORMATS = (*TEXT_FORMATS, *BINARY_FORMATS)
DATA_FORMATS = ("json", "jsonl", "tsv", "csv", *BINARY_FORMATS)
"""Formats for programs: raw rows, nothing rounded or left out."""


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
    """Return the tables in one of `TEXT_FORMATS`.

    `head` is additional JSON content before ``tables``; `spreadsheet_safe` applies to CSV and TSV.
    """
    if format == "table":
        from assay.report import terminal

        return terminal.render(tables, width=width, colour=colour)
    if format in ("md", "latex", "html"):
        from assay.report import markup, page

        if format == "html":
            return page.page_of_tables(tables, title)
        return markup.markdown(tables) if format == "md" else markup.latex(tables)
    from assay.report import data

    if format == "json":
        return data.as_json(tables, head)
    if format == "jsonl":
        return data.as_jsonl(tables)
    if format in ("csv", "tsv"):
        return data.as_csv(tables, "," if format == "csv" else "\t", spreadsheet_safe=spreadsheet_safe)
    raise unknown("format", format, TEXT_FORMATS)


def write_binary(tables: Sequence[Table], format: str, stream: IO[bytes]) -> None:
    """Write the tables' raw rows in one of `BINARY_FORMATS`: one sheet per table, or one table as a Parquet file."""
    if format == "xlsx":
        from assay.report.xlsx import sheets, write_workbook

        write_workbook(stream, sheets(tables))
        return
    if len(tables) > 1:
        names = f"{len(tables)} ({listing(table.name for table in tables)})"
        raise InputError(
            f"a Parquet file holds one table, but there are several: {names}. Choose one (--table NAME), or use xlsx."
        )
    tables[0].to_polars().write_parquet(stream)
