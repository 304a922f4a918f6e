"""``assay spans``: predicted error spans compared with annotated ones."""

from __future__ import annotations

import argparse
import time

from assay.cli.options import (
    add_columns,
    add_data_dir,
    add_kept_tables,
    add_language_pairs,
    add_metrics,
    add_output,
    add_resampling,
    add_skip_bad,
    column_map,
    pick,
    positive,
)
from assay.cli.output import Output, show_tables
from assay.cli.parser import Help, Parser
from assay.report import FORMATS
from assay.verbs.spans import spans

HELP = Help(
    """Evaluate predicted error spans against human ones: F1 with confidence intervals and tests, and agreement of annotators.

    assay spans wmt23 --langpair en-de -m xcomet-xl
    assay spans wmt23 --langpair zh-en --table raters

    more examples:
      assay spans gold.tsv --predicted ours.jsonl --predicted gpt=answers.jsonl

    Gold and predicted spans come from MQM files (<v>…</v>), from tables with translations (mt) and a column of spans,
    from responses to GEMBA or AutoMQM prompts (column answer), or from columns with start, end and severity indices.
    A column of spans holds a JSON list with start, end, severity and optionally category and confidence, or start_i
    and end_i as in ESA. assay score --spans -o x.jsonl writes such a file.

    Rows are matched by langpair, system and segment; the translations must be identical on both sides.
    """,
    "gold predicted metrics data_dir langpairs rater common columns skip_bad table all format out run_dir workers quiet",
)


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("gold", metavar="GOLD", help="human spans: a file, a year (wmt23) or an mt-metrics-eval folder")
    parser.add_argument(
        "--predicted", action="append", default=[], metavar="[NAME=]FILE", help="predicted spans; repeatable"
    )
    add_metrics(parser)
    add_data_dir(parser, "test sets")
    add_language_pairs(parser)
    parser.add_argument("--rater", metavar="NAME", help="use only this annotator's spans as gold")
    parser.add_argument("--common", action="store_true", help="evaluate only translations that every prediction covers")
    add_columns(parser)
    add_skip_bad(parser)
    add_resampling(parser)
    parser.section("statistics").add_argument(
        "--trials", type=positive, default=10_000, metavar="N", help="trials of the paired test (default: 10000)"
    )
    add_kept_tables(parser, "summary", "spans")
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Evaluate, then print or write the tables."""
    output, started = Output.of(args), time.monotonic()
    names = "langpairs rater common skip_bad data_dir samples trials seed workers"
    result = spans(
        args.gold, args.predicted, args.metrics or (), columns=column_map(args.columns), **pick(args, *names.split())
    )
    show_tables(result, args, output, started, "spans")
    return 0
