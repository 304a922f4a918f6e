"""``assay meta``: agreement of metrics with human judgements, as the WMT metrics shared tasks measure it."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.cli.options import (
    add_data_dir,
    add_kept_tables,
    add_language_pairs,
    add_metric_files,
    add_metrics,
    add_output,
    add_seed,
    pick,
    positive,
)
from assay.cli.output import Output, write_run
from assay.cli.parser import Help, Parser
from assay.report import FORMATS
from assay.verbs.meta import meta

if TYPE_CHECKING:
    from assay.core.table import Table
    from assay.verbs.shared.meta_scores import MetaResult

HELP = Help(
    """Measure how well metrics agree with human judgements: the official WMT tables, with your metric added.

    assay meta wmt23
    assay meta wmt23 -m chrf -m bleu --significance

    more examples:
      assay meta wmt23 --metric-file mine/ --langpair en-de --table tasks
      assay meta wmt23 --statistic kendall --group item --gold da-sqm --metrics '*COMET*'

    SET is a year (wmt22 to wmt25) in --data-dir or $ASSAY_DATA, or the path of an mt-metrics-eval folder.

    --metric-file PATH reads the scores of another metric; PATH:lower means that lower is better. PATH is a folder
    with files such as en-de/NAME-refA.seg.score, or a table with the columns langpair, system, segment and score.
    """,
    "name metrics metric_file data_dir langpairs tasks recipe gold contrastive significance worth table all format out "
    "run_dir workers quiet",
)


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("name", nargs="?", default="wmt23", metavar="SET", help="a year or a path (default: wmt23)")
    add_metrics(parser)
    add_metric_files(parser)
    add_data_dir(parser, "test sets")
    add_language_pairs(parser)
    parser.add_argument(
        "--task", action="append", dest="tasks", type=positive, metavar="N", help="only task N; repeatable"
    )
    parser.add_argument(
        "--recipe", default="official", metavar="NAME",
        help="tasks to evaluate: official (default), xcomet, or a file that defines tasks",
    )  # fmt: skip
    group = parser.section("your own tasks", "each option is repeatable")
    for option, name, metavar, text in (
        (
            "--statistic",
            "statistics",
            "NAME",
            "pearson, spearman, kendall, acc_t, pairwise_accuracy or soft_pairwise_accuracy",
        ),
        ("--level", "levels", "sys|seg", "level of the scores: systems or segments"),
        ("--group", "groups", "none|item|system", "average over segments (item), systems, or nothing"),
        ("--domain", "domains", "PATTERN", "only these domains; '*' evaluates each one"),
        ("--systems", "systems", "PATTERN", "only these systems; '!ONLINE-*' excludes systems"),
        ("--metrics", "stored", "PATTERN", "only these stored metrics, such as 'XCOMET*', primary or not"),
    ):
        group.add_argument(option, dest=name, action="append", default=[], metavar=metavar, help=text)
    parser.add_argument("--gold", metavar="NAME", help="human scores to compare with (default: the official ones)")
    parser.add_argument(
        "--humans", action=argparse.BooleanOptionalAction, help="include human translations as systems, or exclude them"
    )
    parser.add_argument(
        "--contrastive", action="store_true", help="include all stored metrics, not only the primary ones"
    )
    statistics = parser.section("statistics")
    statistics.add_argument("--significance", action="store_true", help="add significance clusters (PERM-BOTH test)")
    statistics.add_argument(
        "--worth",
        action="store_true",
        help="agreement with human judgements by score difference: tables point_worth, point_curve",
    )
    statistics.add_argument(
        "--draws", type=positive, metavar="N", help="random permutations (default: 1000; xcomet: 200)"
    )
    add_seed(statistics)
    add_kept_tables(parser, "overall", "SET")
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Compute the tables, then print or write them."""
    output, started = Output.of(args), time.monotonic()
    names = (
        "recipe data_dir langpairs tasks statistics levels groups gold domains systems humans stored contrastive "
        "significance worth draws seed workers"
    )
    result = meta(args.name, args.metrics or (), metric_files=args.metric_file, **pick(args, *names.split()))
    if args.table:
        tables = [result.table(name) for name in args.table]
    elif output.on_screen and args.recipe != "xcomet" and not args.all:
        tables = _shortest(result, args.worth)
    else:
        tables = list(result.tables.values())
    output.emit(tables, head=result.head(), title=f"assay meta {result.name}")
    write_run(result.write, args.run_dir, output, result.name, started)
    return 0


def _shortest(result: MetaResult, worth: bool) -> list[Table]:
    first = result.table()
    titled = replace(first, caption=f"{result.title} · {first.caption}")
    return [titled, *([result.tables["point_worth"]] if worth else [])]
