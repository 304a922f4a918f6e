"""``assay spans``: error spans evaluated against people's."""

from __future__ import annotations

import argparse
import time

from assay.cli.options import add_kept_tables, add_metrics, add_output, add_resampling, column_map, langpair, positive
from assay.cli.output import Output
from assay.cli.tables import show_tables
from assay.report import FORMATS
from assay.verbs.spans import spans

SUMMARY = "Evaluate error spans against people's: F1 with intervals and tests, by severity and category, and the raters' ceiling."
EXAMPLES = """examples:
  assay spans gold.tsv --predicted ours.jsonl --predicted gpt=answers.jsonl
  assay spans wmt23 --langpair en-de -m xcomet-xl     # a metric on the set's translations (xCOMET's Tables 3 and 4)
  assay spans wmt23 --langpair zh-en --table raters   # how far raters agree among themselves

Gold and predictions are MQM files (<v>…</v>), tables with translations (mt) and a column of spans (a JSON list with start, end,
severity, perhaps category and confidence; ESA's start_i and end_i), answers of GEMBA- or AutoMQM-style prompts (a column answer),
or start, end and severity indices. assay score --spans -o x.jsonl writes such a file. Translations are matched by langpair,
system and segment, and must be the same texts on both sides."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument(
        "gold", metavar="GOLD", help="people's spans: a file, a year (wmt23) or an mt-metrics-eval tree"
    )
    parser.add_argument(
        "--predicted", action="append", default=[], metavar="[NAME=]FILE", help="spans to evaluate; repeat for several"
    )
    add_metrics(parser)
    parser.add_argument("--data-dir", metavar="DIR", help="local copies of the test sets (default: $ASSAY_DATA)")
    parser.add_argument(
        "--langpair", action="append", type=langpair, metavar="xx-yy",
        help="only these language pairs; or that of a file that has none",
    )  # fmt: skip
    parser.add_argument("--rater", metavar="NAME", help="this rater's judgements alone are gold")
    parser.add_argument("--common", action="store_true", help="compare the translations that all predictions cover")
    parser.add_argument("--columns", metavar="NAME=COLUMN,…", help="which columns of the tables to take")
    parser.add_argument("--skip-bad", action="store_true", help="leave malformed rows out, count and list them")
    add_resampling(parser)
    parser.add_argument(
        "--trials", type=positive, default=10_000, metavar="N", help="trials of the paired test (default: 10000)"
    )
    add_kept_tables(parser, "summary", "spans")
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Evaluate; print, render or keep the tables."""
    output, started = Output.of(args), time.monotonic()
    result = spans(
        args.gold,
        args.predicted,
        args.metrics or (),
        langpairs=args.langpair,
        rater=args.rater,
        common=args.common,
        columns=column_map(args.columns),
        skip_bad=args.skip_bad,
        data_dir=args.data_dir,
        samples=args.samples,
        trials=args.trials,
        seed=args.seed,
        workers=args.workers,
    )
    show_tables(result, args, output, time.monotonic() - started, "spans")
    return 0
