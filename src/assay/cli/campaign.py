"""``assay campaign``: people's own judgements to scores, agreement and a ranking."""

from __future__ import annotations

import argparse
import time

from assay.cli.options import add_kept_tables, add_metrics, add_output, add_resampling, column_map, langpair
from assay.cli.output import Output
from assay.cli.tables import show_tables
from assay.report import FORMATS
from assay.verbs.campaign import campaign

SUMMARY = (
    "People's judgements (MQM, ESA, direct assessment): scores, rater agreement, systems ranked with significance."
)
EXAMPLES = """examples:
  assay campaign judgements.tsv                       # the ranking, with ranges of ranks and clusters
  assay campaign judgements.tsv --table agreement --table raters
  assay campaign judgements.tsv -m chrf --metric-file theirs_scores.tsv --table metrics --table williams
  assay campaign judgements.tsv --table segments --format tsv --out segments.tsv

A file of judgements is Google's MQM (one error a row), an export of Appraise (direct assessment, ESA), or any table with system,
segment and score, perhaps rater, langpair, mt, src, ref and spans. Scores are higher for better."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument(
        "judgements", metavar="FILE", help="a file, a year (wmt23) or an mt-metrics-eval tree with ratings"
    )
    parser.add_argument(
        "--by", choices=["score", "z"], default="score", help="rank by the score or standardised by rater"
    )
    parser.add_argument(
        "--test", choices=["signed-rank", "rank-sum", "permutation"], default="signed-rank",
        help="between two systems (default: signed-rank, on the segments that both have)",
    )  # fmt: skip
    add_metrics(parser)
    parser.add_argument(
        "--metric-file", action="append", default=[], metavar="FILE", help="scores of a metric that lives elsewhere"
    )
    parser.add_argument(
        "--statistic", choices=["pearson", "spearman", "kendall"], default="pearson", help="of metrics and people"
    )
    parser.add_argument(
        "--resample",
        choices=["systems", "inputs", "both"],
        default="both",
        help="what the bootstrap of correlations draws",
    )
    parser.add_argument("--data-dir", metavar="DIR", help="local copies of the test sets (default: $ASSAY_DATA)")
    parser.add_argument(
        "--langpair", action="append", type=langpair, metavar="xx-yy",
        help="only these language pairs; or that of a file that has none",
    )  # fmt: skip
    parser.add_argument("--columns", metavar="NAME=COLUMN,…", help="which columns of the table to take")
    parser.add_argument("--skip-bad", action="store_true", help="leave malformed rows out, count and list them")
    add_resampling(parser)
    add_kept_tables(parser, "systems", "campaign")
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Rank; print, render or keep the tables."""
    output, started = Output.of(args), time.monotonic()
    result = campaign(
        args.judgements,
        args.metrics or (),
        metric_files=args.metric_file,
        langpairs=args.langpair,
        by=args.by,
        test=args.test,
        statistic=args.statistic,
        resample=args.resample,
        columns=column_map(args.columns),
        skip_bad=args.skip_bad,
        data_dir=args.data_dir,
        samples=args.samples,
        seed=args.seed,
        workers=args.workers,
    )
    show_tables(result, args, output, time.monotonic() - started, "campaign")
    return 0
