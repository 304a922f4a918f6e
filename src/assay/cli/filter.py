"""``assay filter``: the rows of a table for which an expression holds."""

from __future__ import annotations

import argparse

SUMMARY = "Keep the rows of a table for which an expression over scores, columns and flags holds."
EXAMPLES = """examples:
  assay filter 'chrf < 30 and lang == "de"' scores.tsv --out bad.tsv
  assay filter '`assay-mini.mqm` < -5 or copied_source' scores.jsonl --out look.csv
  assay score --data demo -m chrf --format tsv | assay filter 'chrf >= 50' -
  assay filter 'mt ~ "TODO|XXX"' outputs.parquet --count

Names are the table's columns; one with - + . : or a blank in it stands in backticks. Flags of the column flags may be named as if
they were columns. There are < <= > >= == !=, and, or, not, in ("de", "fr"), ~ "regular expression", is missing, + - * /,
length(mt), lower(lang), abs(x). A row without a number where one is compared is refused: say what such rows are, as in
'comet is missing or comet < 0.5'."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    from assay.cli.options import QUOTING, QUOTING_HELP, table_file
    from assay.report.rows import FORMATS

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
    group = parser.add_argument_group("output")
    group.add_argument(
        "--out", metavar="FILE", help="write the rows here (its ending says the format), only when whole"
    )
    group.add_argument(
        "--format", choices=[*FORMATS, "table", "md", "latex", "html"], default=None,
        help="of the rows: tsv, csv, jsonl, json, parquet (default: what --out or FILE says); of --count: table, json, md …",
    )  # fmt: skip
    group.add_argument(
        "--spreadsheet-safe",
        action="store_true",
        help="csv, tsv: quote texts that a spreadsheet would run (=, +, -, @)",
    )
    group.add_argument("--quiet", action="store_true", help="no progress, no notes")
    parser.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Filter, then say how many rows were kept."""
    from assay.cli.output import Output
    from assay.cli.progress import Progress
    from assay.cli.texts import finish
    from assay.core.errors import InputError
    from assay.report.rows import FORMATS
    from assay.verbs.filter import filter_rows

    if args.count:
        return _count(args)
    if args.format is not None and args.format not in FORMATS:
        raise InputError(f"--format {args.format} goes with --count: rows are written as {', '.join(FORMATS)}.")
    progress = Progress("filtering", None, quiet=args.quiet)
    try:
        result = filter_rows(
            args.expression, args.data, out=args.out or "-", format=args.format, invert=args.invert,
            quoting=args.quoting, spreadsheet_safe=args.spreadsheet_safe, progress=progress.add,
        )  # fmt: skip
    finally:
        progress.close()
    output = Output(f"assay {args.verb}", "table", args.out, args.quiet)
    output.note(result.sentence())
    finish(result, output)
    return 0


def _count(args: argparse.Namespace) -> int:
    """Count, and show the table of counts."""
    from assay.cli.output import Output
    from assay.core.errors import InputError
    from assay.verbs.filter import filter_rows

    args.format = args.format or "table"
    if args.format == "parquet":
        raise InputError("--count gives a small table, not Parquet: leave --format out, or say json, tsv, md …")
    output = Output.of(args)
    result = filter_rows(args.expression, args.data, invert=args.invert, count=True, quoting=args.quoting)
    output.emit([result.table()], head=result.head())
    for note in result.notes:
        output.note(f"⚠ {note}")
    return 0
