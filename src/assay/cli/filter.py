"""``assay filter``: the rows of a table that satisfy an expression."""

from __future__ import annotations

import argparse

from assay.cli.options import add_output, add_quoting, pick, table_file
from assay.cli.output import Output
from assay.cli.parser import Help, Parser
from assay.cli.progress import Progress
from assay.cli.texts import finish
from assay.core.errors import InputError
from assay.verbs.filter import filter_rows

HELP = Help("""Keep the rows of a table that satisfy an expression over scores, columns and flags.

    assay score -m chrf --data demo --out demo.jsonl
    assay filter 'chrf < 30 and system == "ours"' demo.jsonl --out bad.tsv

    more examples:
      assay filter '`assay-mini.mqm` < -5 or copied_source' scores.jsonl --out look.csv
      assay filter 'chrf >= 50 and mt is not missing' scores.jsonl --invert
      assay filter 'mt ~ "https?:"' outputs.parquet --count

    Names are columns of the table, in backticks if they contain - + . : or a space. Flags can be used as if they were
    columns. Operators: < <= > >= == !=, and, or, not, in ("de", "fr"), ~ "regular expression", is missing, + - * /,
    length(mt), lower(lang), abs(x). A comparison fails on a row without a number; handle such rows as in 'comet is
    missing or comet < 0.5'.
""")
FORMATS = ("table", "tsv", "csv", "jsonl", "json", "parquet", "xlsx", "md", "latex", "html")
ONLY_COUNTS = ("md", "latex", "html")


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("expression", metavar="EXPRESSION", help="condition that a row must satisfy")
    parser.add_argument(
        "data",
        type=table_file,
        metavar="FILE",
        help="table (.tsv .csv .jsonl .parquet), optionally compressed; - is stdin",
    )
    parser.add_argument("--invert", action="store_true", help="keep the rows that do not satisfy it")
    parser.add_argument("--count", action="store_true", help="print the number of rows per system instead of the rows")
    add_quoting(parser)
    add_output(parser, FORMATS, workers=False)


def run(args: argparse.Namespace) -> int:
    """Write the matching rows, or count them."""
    if not args.count and args.format in ONLY_COUNTS:
        raise InputError(
            f"--format {args.format} requires --count; rows are written as tsv, csv, jsonl, json, parquet or xlsx."
        )
    output = Output.of(args)
    form = None if args.format == "table" else args.format
    with Progress("filtering", quiet=args.quiet) as progress:
        result = filter_rows(
            args.expression, args.data, out=None if args.count else args.out or "-", format=None if args.count else form,
            progress=progress.add, **pick(args, "invert", "count", "quoting", "spreadsheet_safe"),
        )  # fmt: skip
    if args.count:
        output.emit([result.table()], head=result.head())
    else:
        output.note(result.sentence())
    finish(result, output)
    return 0
