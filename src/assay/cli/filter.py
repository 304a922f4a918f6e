"""``assay filter``: the rows of a table for which an expression holds."""

from __future__ import annotations

import argparse

from assay.cli.options import QUOTING, QUOTING_HELP, add_output, table_file
from assay.cli.output import Output
from assay.cli.progress import Progress
from assay.cli.texts import finish
from assay.core.errors import InputError
from assay.verbs.filter import filter_rows

SUMMARY = "Keep the rows of a table for which an expression over scores, columns and flags holds."
EXAMPLES = """examples:
  assay filter 'chrf < 30 and system == "ours"' scores.jsonl --out bad.tsv
  assay filter '`assay-mini.mqm` < -5 or copied_source' scores.jsonl --out look.csv
  assay filter 'chrf >= 50 and mt is not missing' scores.jsonl --invert
  assay filter 'mt ~ "https?:"' outputs.parquet --count

Names are the table's columns; one with - + . : or a blank in it stands in backticks. Flags of the column flags may be named as if
they were columns. There are < <= > >= == !=, and, or, not, in ("de", "fr"), ~ "regular expression", is missing, + - * /,
length(mt), lower(lang), abs(x). A row without a number where one is compared is refused: say what such rows are, as in
'comet is missing or comet < 0.5'."""


FORMATS = ("table", "tsv", "csv", "jsonl", "json", "parquet", "xlsx", "md", "latex", "html")
ONLY_COUNTS = ("md", "latex", "html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument("expression", metavar="EXPRESSION", help="what must hold")
    parser.add_argument(
        "data",
        type=table_file,
        metavar="FILE",
        help="the table: .tsv .csv .jsonl .parquet, compressed or not; - is standard input",
    )
    parser.add_argument("--invert", action="store_true", help="keep the rows for which it does not hold")
    parser.add_argument("--count", action="store_true", help="only say how many rows hold, by system; write none")
    parser.add_argument("--quoting", choices=QUOTING, default="auto", help=QUOTING_HELP)
    add_output(parser, FORMATS, workers=False)


def run(args: argparse.Namespace) -> int:
    """Filter, then say how many rows were kept; or only count."""
    if not args.count and args.format in ONLY_COUNTS:
        raise InputError(
            f"--format {args.format} goes with --count: rows are written as tsv, csv, jsonl, json, parquet or xlsx."
        )
    output = Output.of(args)
    form = None if args.format == "table" else args.format
    progress = Progress("filtering", None, quiet=args.quiet)
    try:
        result = filter_rows(
            args.expression, args.data, out=None if args.count else args.out or "-", format=None if args.count else form,
            invert=args.invert, count=args.count, quoting=args.quoting, spreadsheet_safe=args.spreadsheet_safe,
            progress=progress.add,
        )  # fmt: skip
    finally:
        progress.close()
    if args.count:
        output.emit([result.table()], head=result.head())
    else:
        output.note(result.sentence())
    finish(result, output)
    return 0
