"""``assay reproduce``: receipts. A published table derived anew, cell by cell."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from assay.cli.options import add_output, add_trust
from assay.cli.output import Output
from assay.core.errors import CheckFailed, count, listing
from assay.core.table import Table
from assay.report import DATA_FORMATS, FORMATS
from assay.verbs.reproduce import reproduce

if TYPE_CHECKING:
    from assay.verbs.reproduce import ReproduceResult

SUMMARY = "Derive a published table anew from the data and compare it with the printed one, cell by cell."
EXAMPLES = """examples:
  assay reproduce demetr
  assay reproduce aces --explain                 # why some cells cannot follow
  assay reproduce embedded --receipts mine.csv   # your own published numbers

Sets: demetr, aces, hallucinations, wmt23, or a CSV of receipts. Exit code 1 when a
cell that should follow from the data does not. Your own numbers are one CSV:
  table,row,column,published,tolerance,derivable,reason
  phenomena,metric=chrf; phenomenon=omission,accuracy,94.1,,yes,
names as assay run SUITE --format json prints them, percentages in percent."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument("name", metavar="SET", help="a set of published tables, or a suite with --receipts")
    parser.add_argument("--receipts", metavar="FILE", help="a CSV of published numbers to hold against a run of SET")
    parser.add_argument("--data-dir", metavar="DIR", help="local copies of the suites (default: $ASSAY_DATA)")
    add_trust(parser)
    parser.add_argument("--all", action="store_true", help="every cell on the terminal, not a sample of the matching")
    parser.add_argument("--explain", action="store_true", help="say why cells do not follow from public data")
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Compare, print, and fail when a cell that should follow does not."""
    from dataclasses import replace

    result = reproduce(
        args.name, data_dir=args.data_dir, receipts=args.receipts, workers=args.workers, trust=bool(args.trust)
    )
    output = replace(Output.of(args), title=f"assay reproduce {args.name}")
    if output.format == "json":
        output.emit_json(result.to_dict())
    else:
        output.emit(_chosen(output, result, everything=args.all, explain=args.explain))
    if result.failed:
        cells = [" / ".join(cell.receipt.cell) for cell in result.differing]
        what = count(len(cells), "cell that should follow does", "cells that should follow do")
        raise CheckFailed(f"{what} not: {listing(cells, 4)}.")
    return 0


def _chosen(output: Output, result: ReproduceResult, *, everything: bool, explain: bool) -> list[Table]:
    """The raw cells for data formats; a caption, the tables and the summary line for people."""
    from dataclasses import replace

    if output.format in DATA_FORMATS:
        return [result.table()]
    tables = result.shown(everything or not output.on_screen)
    if explain:
        tables.append(result.reasons())
    summary = result.summary() + ("" if explain or not result.counts["not derivable"] else " (why: --explain)")
    if output.format == "table":
        head = [Table("source", (), (), result.source.citation)] if result.source.citation else []
        return [*head, *tables, Table("summary", (), (), "", (result.totals(), summary))]
    notes = (*tables[-1].notes, result.source.citation, result.totals(), summary)
    return [*tables[:-1], replace(tables[-1], notes=notes)]
