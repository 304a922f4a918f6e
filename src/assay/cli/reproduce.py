"""``assay reproduce``: published tables compared with recomputed ones, cell by cell."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from assay.cli.options import add_data_dir, add_output, add_trust
from assay.cli.output import Output
from assay.cli.parser import Help, Parser
from assay.core.errors import CheckFailed, count, listing
from assay.core.table import Table
from assay.report import DATA_FORMATS, FORMATS
from assay.verbs.reproduce import reproduce

if TYPE_CHECKING:
    from assay.verbs.reproduce import ReproduceResult

HELP = Help("""Recompute published tables from the data and compare every cell; a receipt is one such comparison.

    assay reproduce demetr
    assay reproduce aces --explain

    more examples:
      assay reproduce embedded --receipts mine.csv

    SET is demetr, aces, hallucinations, wmt23 or a CSV file of receipts. The exit code is 1 if a cell that the data
    determine differs. Your own published numbers are a CSV file:
      table,row,column,published,tolerance,derivable,reason
      phenomena,metric=chrf; phenomenon=omission,accuracy,94.1,,yes,
    with the names that assay run SUITE --format json prints, and percentages in percent.
""")


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("name", metavar="SET", help="a set of published tables, or a suite with --receipts")
    parser.add_argument("--receipts", metavar="FILE", help="CSV file of published numbers to compare with a run of SET")
    add_data_dir(parser)
    add_trust(parser, "the receipts")
    parser.add_argument(
        "--all", action="store_true", help="show every cell on the terminal, not a sample of the equal ones"
    )
    parser.add_argument("--explain", action="store_true", help="show why some cells cannot be derived from public data")
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Compare, print, and fail if a cell that can be recomputed differs."""
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
        what = count(len(cells), "derivable cell differs", "derivable cells differ")
        raise CheckFailed(f"{what} from the published value: {listing(cells, 4)}.")
    return 0


def _chosen(output: Output, result: ReproduceResult, *, everything: bool, explain: bool) -> list[Table]:
    """Return the raw cells for data formats, else caption, tables and summary."""
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
