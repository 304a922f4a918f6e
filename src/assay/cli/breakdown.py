"""``assay breakdown``: how well metrics predict that a translation breaks a downstream task."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.options import (
    add_columns,
    add_judge,
    add_metrics,
    add_output,
    add_quoting,
    add_resampling,
    column_map,
    comma_separated,
    judging,
)
from assay.cli.output import Output, write
from assay.cli.parser import Help, Parser
from assay.cli.reviewing import add_review, review_settings
from assay.core.errors import InputError, unknown
from assay.report import FORMATS
from assay.report.page import page
from assay.verbs.breakdown import METRICS, breakdown, run_task

if TYPE_CHECKING:
    from assay.core.table import Table
    from assay.verbs.breakdown import BreakdownResult

HELP = Help(
    """Judge metrics by a downstream task: do they recognize the translations on which it fails?

    assay breakdown --task parsing --translator none --error word-swap --run-dir parsing
    assay breakdown --data parsing/outcomes.tsv -m chrf -m bleu --table errors

    more examples:
      assay breakdown --task parsing --langs es,pt --translator auto --run-dir parsing
      assay breakdown --task parsing --translator none --error all --table matrix
      assay breakdown --data outcomes.tsv -m chrf -m bleu
      assay breakdown --data translations.tsv --judge "cmd:python3 judge.py" --dev-share 0.5

    A table of outcomes has the columns source, translation, reference, outcome (success, breakdown or a grade from 0
    to 1), language and split (dev or test). Optional columns are id, part (question and context of one example),
    task, error_type, back_translation (for pseudo-references) and precomputed scores. Thresholds are chosen on dev,
    and the results are computed on test.

    A judge is a command that reads one JSON object per line, with the columns of the table, and writes success,
    breakdown, a grade or skip for each.
    """,
    "metrics data columns score dev_share task langs translator error judge review table all format out run_dir "
    "workers quiet",
)
DECISIONS = "breakdown-decisions.jsonl"
TABLES = (
    "summary", "languages", "languages_f1", "balance", "thresholds", "pseudo", "cases", "errors", "matrix", "calibration",
)  # fmt: skip
ON_SCREEN = ("summary", "languages", "languages_f1", "balance")
"""Tables that a terminal shows by default; those by language only if there are several languages."""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    add_metrics(parser)
    group = parser.section("outcomes from a file")
    group.add_argument("--data", metavar="FILE", help="table of outcomes (- is stdin), or a run directory")
    add_columns(group)
    add_quoting(group)
    group.add_argument(
        "--score", action="append", default=[], metavar="COLUMN",
        help="column of precomputed scores; COLUMN:lower if lower is better; repeatable",
    )  # fmt: skip
    group.add_argument(
        "--dev-share",
        type=float,
        metavar="SHARE",
        help="draw this share as development part instead of the column split",
    )
    add_judge(group)
    group = parser.section("outcomes of a task")
    group.add_argument(
        "--task", action="append", default=[], metavar="TASK", help="run a task (assay list tasks); repeatable"
    )
    group.add_argument("--langs", metavar="xx,yy", help="only these languages; a task translates from them")
    group.add_argument(
        "--translator",
        metavar="NAME",
        default="auto",
        help="translator (assay list translators), or none (default: auto)",
    )
    group.add_argument("--pseudo", action="store_true", help="also translate back, for pseudo-references")
    group.add_argument(
        "--error", action="append", default=[], metavar="NAME",
        help="also put this error into the human translations: a perturbation, module:function, or all; repeatable",
    )  # fmt: skip
    group = parser.section("review")
    group.add_argument("--review", action="store_true", help="first name the error types of misjudged translations")
    group.add_argument(
        "--decisions", metavar="FILE", help=f"error types from reviews (default: {DECISIONS}, if it exists)"
    )
    group.add_argument("--annotator", metavar="NAME", help="name of the annotator (default: the user)")
    add_review(group)
    add_resampling(parser)
    group = parser.section("output")
    group.add_argument(
        "--table",
        action="append",
        metavar="NAME",
        choices=TABLES,
        help=f"show this table: {', '.join(TABLES)}; repeatable",
    )
    group.add_argument("--all", action="store_true", help="show every table on the terminal")
    group.add_argument("--case", metavar="METRIC", help="metric of the case study (default: the best on dev)")
    group.add_argument("--run-dir", metavar="DIR", help="run directory for outcomes, scores, tables and figures")
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Evaluate the metrics, then print or write the tables."""
    output = Output.of(args)
    result = _result(args)
    for remark in result.notes:
        output.note(remark)
    if args.review:
        _review(args, output, result)
    if args.run_dir:
        written = result.write(args.run_dir, ("svg", "png"))
        files = ", ".join(sorted(path.name for path in written.iterdir() if path.is_file()))
        output.note(f"wrote {written}/ ({files})")
    chosen = _chosen(output, result, args.table, args.all)
    if args.format == "html":
        write(page([result.section(chosen)], title=output.title), args.out)
    else:
        output.emit(chosen)
    return 0


def _result(args: argparse.Namespace) -> BreakdownResult:
    metrics = args.metrics if args.metrics is not None else ([] if args.score else METRICS)
    common = {
        "dev_share": args.dev_share, "case": args.case, "seed": args.seed, "samples": args.samples, "workers": args.workers,
        "decisions": args.decisions or (DECISIONS if Path(DECISIONS).is_file() else None),
    }  # fmt: skip
    if bool(args.data) == bool(args.task):
        raise InputError("pass either outcomes with --data FILE or a task with --task NAME.")
    if args.data:
        return breakdown(
            args.data,
            metrics,
            scores=args.score,
            columns=column_map(args.columns),
            quoting=args.quoting,
            langs=comma_separated(args.langs),
            **judging(args),
            **common,
        )
    if args.score or args.columns or args.judge or args.success_at is not None:
        raise InputError("--score, --columns, --judge and --success-at require --data.")
    translator = None if args.translator == "none" else args.translator
    return run_task(
        args.task,
        translator,
        comma_separated(args.langs),
        metrics=metrics,
        pseudo=args.pseudo,
        errors=args.error,
        **common,
    )


def _review(args: argparse.Namespace, output: Output, result: BreakdownResult) -> None:
    """Review misjudged translations, and recompute the tables with the decisions."""
    decisions = args.decisions or DECISIONS
    reviewed = result.review(decisions, annotator=args.annotator, **review_settings(args))
    output.note(f"{reviewed.answered:,} named, {reviewed.left:,} left · saved in {decisions}")


def _chosen(output: Output, result: BreakdownResult, names: Sequence[str] | None, everything: bool) -> list[Table]:
    if names:
        for name in names:
            if name not in result.tables:
                raise unknown("table of these outcomes", name, result.tables)
        return [result.tables[name] for name in names]
    if output.on_screen and not everything:
        by_language = {"languages", "languages_f1"} if len(set(result.outcomes.languages)) > 1 else set()
        shown = [
            name for name in ON_SCREEN if name in result.tables and (name in by_language or name not in ON_SCREEN[1:3])
        ]
        # The notes are printed once, below the summary.
        return [
            replace(result.tables[name], notes=()) if name in by_language else result.tables[name] for name in shown
        ]
    return list(result.tables.values())
