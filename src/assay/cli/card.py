"""``assay card``: all results of a metric on one page."""

from __future__ import annotations

import argparse

from assay.cli.options import add_data_dir, add_llm, add_output, add_resampling
from assay.cli.output import Output, write
from assay.cli.parser import Help, Parser
from assay.report import FORMATS
from assay.report.page import Section, page
from assay.verbs.card import card

HELP = Help(
    """Describe a metric and run it on every available suite: one page with all its results.

    assay card chrf
    assay card chrf --format md --out chrf.md

    more examples:
      assay card my_module:MyMetric --format json --out card.json

    assay check compares a later run with a card in JSON. Suites are run if their data are available ($ASSAY_DATA,
    --data-dir or assay fetch); the embedded suite always is.
    """,
    "metric suite data_dir all samples seed format out workers quiet",
)


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("metric", metavar="METRIC", help="metric, with options after a colon (assay list metrics)")
    parser.add_argument(
        "--suite", action="append", metavar="SUITE", help="only this suite, by name or file; repeatable"
    )
    add_data_dir(parser)
    parser.add_argument("--all", action="store_true", help="show every table on the terminal, not one per suite")
    add_resampling(parser)
    add_llm(parser)
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Run the metric on every suite and write its card."""
    output = Output.of(args)
    result = card(
        args.metric, args.suite, data_dir=args.data_dir, seed=args.seed, samples=args.samples, workers=args.workers
    )
    if args.format == "json":
        output.emit_json(result.to_dict())
    elif args.format == "html":
        suites = [Section(suite.title, list(suite.tables.values())) for suite in result.results.values()]
        write(page([Section("What it is", [result.table()]), *suites], result.card.label), args.out)
    else:
        everything = args.all or not output.on_screen
        output.emit(list(result.tables.values()) if everything else result.shortest(), title=result.card.label)
    if result.skipped:
        output.note(
            f"not on the card, because the data are missing: {', '.join(result.skipped)} (assay fetch NAME, or --data-dir)"
        )
    return 0
