"""``assay campaign``: scores, agreement and a ranking from human judgements."""

from __future__ import annotations

import argparse
import time

from assay.cli.options import (
    add_columns,
    add_data_dir,
    add_kept_tables,
    add_language_pairs,
    add_metric_files,
    add_metrics,
    add_output,
    add_resampling,
    add_skip_bad,
    column_map,
    pick,
)
from assay.cli.output import Output, show_tables
from assay.cli.parser import Help, Parser
from assay.report import FORMATS
from assay.verbs.campaign import campaign

HELP = Help(
    """Evaluate human judgements (MQM, ESA, DA): scores, annotator agreement, and systems ranked with significance.

    assay campaign wmt23 --langpair en-de
    assay campaign wmt23 --langpair en-de --table raters

    more examples:
      assay campaign judgements.tsv
      assay campaign judgements.tsv -m chrf --metric-file theirs_scores.tsv --table metrics --table williams
      assay campaign judgements.tsv --table segments --format tsv --out segments.tsv

    Judgements are MQM files of Google (one error per row), exports of Appraise (DA, ESA), or any table with system,
    segment and score, and optionally rater, langpair, mt, src, ref and spans. Higher scores are better.
    """,
    "judgements by test metrics metric_file data_dir langpairs columns skip_bad table all format out run_dir workers "
    "quiet",
)


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "judgements", metavar="FILE", help="judgements: a file, a year (wmt23) or an mt-metrics-eval folder"
    )
    parser.add_argument(
        "--by", choices=["score", "z"], default="score",
        help="rank by the score (default), or by z: standardised per annotator",
    )  # fmt: skip
    parser.add_argument(
        "--test", choices=["signed-rank", "rank-sum", "permutation"], default="signed-rank",
        help="test between two systems (default: signed-rank, on segments that both have)",
    )  # fmt: skip
    add_metrics(parser)
    add_metric_files(parser)
    add_data_dir(parser, "test sets")
    add_language_pairs(parser)
    add_columns(parser)
    add_skip_bad(parser)
    add_resampling(parser)
    group = parser.section("statistics")
    group.add_argument(
        "--statistic", choices=["pearson", "spearman", "kendall"], default="pearson",
        help="correlation of metrics with human scores (default: pearson)",
    )  # fmt: skip
    group.add_argument(
        "--resample", choices=["systems", "inputs", "both"], default="both",
        help="what the bootstrap of correlations resamples (default: both)",
    )  # fmt: skip
    add_kept_tables(parser, "systems", "campaign")
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Evaluate, then print or write the tables."""
    output, started = Output.of(args), time.monotonic()
    names = "langpairs by test statistic resample skip_bad data_dir samples seed workers"
    result = campaign(
        args.judgements,
        args.metrics or (),
        metric_files=args.metric_file,
        columns=column_map(args.columns),
        **pick(args, *names.split()),
    )
    show_tables(result, args, output, started, "campaign")
    return 0
