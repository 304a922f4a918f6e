"""A result of several tables: the first one on a terminal, those asked for or all of them elsewhere; kept where wanted."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from assay.cli.keeping import keep, run_folder
from assay.cli.output import Output, write
from assay.report import DATA_FORMATS
from assay.report.page import page

if TYPE_CHECKING:
    from assay.verbs.result import Result


LONG = ("segments",)
"""Tables for programs: a row for each translation. A person gets them when they are asked for by name."""


def show_tables(result: Result, args: argparse.Namespace, output: Output, seconds: float, name: str) -> None:
    """Print or write the tables that --table and --all ask for, then the notes, then the run directory."""
    short, data = output.on_screen and not args.all, output.format in DATA_FORMATS
    shown = [result.table(wanted) for wanted in args.table or ()] or (
        [result.table()] if short else [table for table in result.tables.values() if data or table.name not in LONG]
    )
    if output.format == "html":
        write(page([result.section(shown)], title=result.heading()), output.out)
    else:
        output.emit(shown, head=result.head(), title=result.heading())
    for note in result.notes:
        output.note(f"⚠ {note}")
    more = [other for other in result.tables if result.tables[other] not in shown]
    if short and not args.table and more:
        output.note(f"more tables: {', '.join(more)} (--table NAME, --all)")
    folder = run_folder(args.run_dir, output, name)
    if folder is not None:
        output.note(keep(result.write, folder, seconds, asked=args.run_dir is not None))
