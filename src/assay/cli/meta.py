"""``assay meta``: how well metrics agree with people, as the WMT metrics tasks measure it."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.cli.keeping import keep, run_folder
from assay.cli.options import add_kept_tables, add_metrics, add_output, natural, positive
from assay.cli.output import Output
from assay.report import FORMATS
from assay.verbs.meta import meta

if TYPE_CHECKING:
    from assay.core.table import Table
    from assay.verbs.meta import MetaResult

SUMMARY = "How well do metrics agree with people? The official WMT tables, with your metric put into them."
EXAMPLES = """examples:
  assay meta wmt23                                    # the official ranking, from the stored scores
  assay meta wmt23 -m chrf -m bleu --significance     # where these would have stood, with clusters
  assay meta wmt23 --metric-file mine/ --langpair en-de --table tasks
  assay meta wmt23 --statistic kendall --group item --gold da-sqm --metrics '*COMET*'

A set is a year (wmt22 to wmt25) under --data-dir or $ASSAY_DATA, or the path of an mt-metrics-eval tree. A metric from
elsewhere (--metric-file PATH, or PATH:lower where lower is better) is a folder with en-de/NAME-refA.seg.score files, or a
table with the columns langpair, system, segment, score."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument("name", nargs="?", default="wmt23", metavar="SET", help="a year or a path (default: wmt23)")
    add_metrics(parser)
    parser.add_argument(
        "--metric-file", action="append", default=[], metavar="PATH", help="scores of a metric that lives elsewhere"
    )
    parser.add_argument("--data-dir", metavar="DIR", help="local copies of the test sets (default: $ASSAY_DATA)")
    parser.add_argument(
        "--langpair", action="append", metavar="xx-yy", help="only these language pairs; repeat for several"
    )
    parser.add_argument(
        "--task", action="append", type=positive, metavar="N", help="only these tasks; repeat for several"
    )
    parser.add_argument(
        "--recipe", default="official", metavar="NAME", help="official (the year's tasks), xcomet, or a file of tasks"
    )
    for option, name, metavar, text in (
        ("--statistic", "statistics", "NAME", "tasks of your own: pearson, spearman, kendall, acc_t, pairwise_accuracy, "
         "soft_pairwise_accuracy"),
        ("--level", "levels", "sys|seg", "tasks about systems, or about segments"),
        ("--group", "groups", "none|item|system", "tasks averaged over segments, over systems, or over nothing"),
        ("--domain", "domains", "PATTERN", "each task for these domains; '*' takes every one"),
        ("--systems", "systems", "PATTERN", "only these systems; '!ONLINE-*' leaves some out"),
        ("--metrics", "stored", "PATTERN", "only these stored metrics, primary or not: 'XCOMET*'"),
    ):  # fmt: skip
        parser.add_argument(option, dest=name, action="append", default=[], metavar=metavar, help=f"{text}; repeatable")
    parser.add_argument("--gold", metavar="NAME", help="people's scores to compare with (default: the standard ones)")
    parser.add_argument(
        "--humans", action=argparse.BooleanOptionalAction, help="human translations take part as systems, or not"
    )
    parser.add_argument("--contrastive", action="store_true", help="all stored metrics, not the primary ones alone")
    parser.add_argument("--significance", action="store_true", help="clusters by random swaps (PERM-BOTH)")
    parser.add_argument(
        "--worth", action="store_true", help="also what a point is worth: tables point_worth, point_curve"
    )
    parser.add_argument("--draws", type=positive, metavar="N", help="random swaps (default: 1000; xcomet: 200)")
    parser.add_argument("--seed", type=natural, default=12345, metavar="N", help="seed of the swaps (default: 12345)")
    add_kept_tables(parser, "overall", "SET")
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Make the tables; print, render or keep them."""
    output, started = Output.of(args), time.monotonic()
    result = meta(
        args.name,
        args.metrics or (),
        recipe=args.recipe,
        metric_files=args.metric_file,
        data_dir=args.data_dir,
        langpairs=args.langpair,
        tasks=args.task,
        statistics=args.statistics,
        levels=args.levels,
        groups=args.groups,
        gold=args.gold,
        domains=args.domains,
        systems=args.systems,
        humans=args.humans,
        stored=args.stored,
        contrastive=args.contrastive,
        significance=args.significance,
        worth=args.worth,
        draws=args.draws,
        seed=args.seed,
        workers=args.workers,
    )
    if args.table:
        shown = [result.table(name) for name in args.table]
    elif output.on_screen and args.recipe != "xcomet" and not args.all:
        shown = _shortest(result, args.worth)
    else:
        shown = list(result.tables.values())
    output.emit(shown, head=result.head(), title=f"assay meta {result.name}")
    folder = run_folder(args.run_dir, output, result.name)
    if folder is not None:
        output.note(keep(result.write, folder, time.monotonic() - started, asked=args.run_dir is not None))
    return 0


def _shortest(result: MetaResult, worth: bool) -> list[Table]:
    first = result.table()
    titled = replace(first, caption=f"{result.title} · {first.caption}")
    return [titled, *([result.tables["point_worth"]] if worth else [])]
