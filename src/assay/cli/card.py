"""``assay card``: one page with all results of a metric."""

from __future__ import annotations

import argparse

from assay.cli.options import add_llm, add_output, add_resampling
from assay.cli.output import Output, write
from assay.report import FORMATS
from assay.report.page import Section, page
from assay.verbs.card import card

SUMMARY = "Make a metric's card: what it is, and its results on every suite that is at hand, on one page."
EXAMPLES = """examples:
  assay card chrf
  assay card chrf --format md --out chrf.md
  assay card my_module:MyMetric --format json --out card.json  # for assay check

Suites are run when their data is here ($ASSAY_DATA, --data-dir, or fetched);
the embedded one always is."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument("metric", metavar="METRIC", help="a metric, with options after a colon (assay list metrics)")
    parser.add_argument(
        "--suite", action="append", metavar="SUITE", help="only this suite, or file; repeat for several"
    )
    parser.add_argument("--data-dir", metavar="DIR", help="local copies of the suites (default: $ASSAY_DATA)")
    parser.add_argument("--all", action="store_true", help="every table on the terminal, not one for each suite")
    add_resampling(parser)
    add_llm(parser)
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Run the metric on every suite, and make the page."""
    output = Output.of(args)
    made = card(
        args.metric, args.suite, data_dir=args.data_dir, seed=args.seed, samples=args.samples, workers=args.workers
    )
    if args.format == "json":
        output.emit_json(made.to_dict())
    elif args.format == "html":
        suites = [Section(result.title, list(result.tables.values())) for result in made.results.values()]
        write(page([Section("What it is", [made.table()]), *suites], made.card.label), args.out)
    else:
        everything = args.all or not output.on_screen
        output.emit(list(made.tables.values()) if everything else made.shortest(), title=made.card.label)
    if made.skipped:
        output.note(f"not here, so not on the card: {', '.join(made.skipped)} (assay fetch NAME, or --data-dir)")
    return 0
