"""``assay breakdown``: can a metric tell that a translation will break the next step?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.options import (
    QUOTING,
    QUOTING_HELP,
    add_judge,
    add_metrics,
    add_output,
    column_map,
    judging,
    natural,
    positive,
)
from assay.cli.output import Output, write
from assay.cli.reviewing import add_review, place
from assay.core.errors import InputError, unknown
from assay.report import FORMATS
from assay.report.page import page
from assay.verbs.breakdown import METRICS, breakdown, run_task

if TYPE_CHECKING:
    from assay.core.table import Table
    from assay.verbs.breakdown import BreakdownResult

SUMMARY = "Judge metrics by what happens downstream: can they tell which translations break the next step?"
EXAMPLES = """examples:
  assay breakdown --task parsing --translator none --error all --table matrix
  assay breakdown --task parsing --langs es,pt --translator auto --run-dir parsing
  assay breakdown --data outcomes.tsv -m chrf -m bleu
  assay breakdown --data translations.tsv --judge "cmd:python3 judge.py" --dev-share 0.5

A table of outcomes has source, translation, reference, outcome (success, breakdown or a grade from 0 to 1), language and split
(dev or test), and may have id and part (question and context of one example), task, error_type, back_translation (for
pseudo-references) and columns of ready scores (--score comet, or --score ter:lower). Thresholds are chosen on dev, figures are
from test. A judge reads a row a line (JSON, with the table's columns) and writes success, breakdown, a grade or skip for each."""
DECISIONS = "breakdown-decisions.jsonl"
TABLES = (
    "summary", "languages", "languages_f1", "balance", "thresholds", "pseudo", "cases", "errors", "matrix", "calibration",
)  # fmt: skip
ON_SCREEN = ("summary", "languages", "languages_f1", "balance")
"""What a terminal shows unasked; the tables by language where there are several."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    add_metrics(parser)
    group = parser.add_argument_group("input")
    group.add_argument("--data", metavar="FILE", help="outcomes: .tsv .csv .jsonl .xlsx … (- is stdin), or a folder")
    group.add_argument("--columns", metavar="NAME=COLUMN,…", help="which columns of --data to take, where names differ")
    group.add_argument("--quoting", choices=QUOTING, default="auto", help=QUOTING_HELP)
    group.add_argument(
        "--score",
        action="append",
        default=[],
        metavar="COLUMN",
        help="ready scores in --data; COLUMN:lower if lower is better",
    )
    group.add_argument(
        "--dev-share", type=float, metavar="SHARE", help="draw a development part of this share instead of split"
    )
    add_judge(group)
    group.add_argument(
        "--task", action="append", default=[], metavar="TASK", help="run a task instead of reading outcomes"
    )
    group.add_argument("--langs", metavar="xx,yy", help="these languages (with --task: translated from them)")
    group.add_argument(
        "--translator",
        metavar="NAME",
        default="auto",
        help="with --task: who translates (assay list translators), or none (default: auto)",
    )
    group.add_argument("--pseudo", action="store_true", help="with --task: translate back, too, for pseudo-references")
    group.add_argument(
        "--error",
        action="append",
        default=[],
        metavar="NAME",
        help="with --task: put this error into the human text, too (a perturbation, module:function, or all); repeat for several",
    )
    parser.add_argument("--table", action="append", metavar="NAME", choices=TABLES, help="only these tables")
    parser.add_argument("--all", action="store_true", help="every table on the terminal")
    parser.add_argument(
        "--review", action="store_true", help="name the error types of wrongly judged translations first, a key each"
    )
    parser.add_argument(
        "--decisions", metavar="FILE", help=f"error types that people gave (default: {DECISIONS} where it is)"
    )
    parser.add_argument("--annotator", metavar="NAME", help="with --review: who decides (default: the user)")
    add_review(parser, "with --review")
    parser.add_argument("--case", metavar="METRIC", help="metric of the case study (default: the best on dev)")
    parser.add_argument("--run-dir", metavar="DIR", help="keep outcomes, scores, tables and figures here")
    parser.add_argument(
        "--samples", type=positive, default=1000, metavar="N", help="bootstrap resamples (default: 1000)"
    )
    parser.add_argument("--seed", type=natural, default=12345, metavar="N", help="seed (default: 12345)")
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Judge the metrics; print, render or keep the tables."""
    output = Output.of(args)
    result = _result(args)
    for sentence in result.notes:
        output.note(sentence)
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
    langs = [language.strip() for language in (args.langs or "").split(",") if language.strip()]
    common = {
        "dev_share": args.dev_share, "case": args.case, "seed": args.seed, "samples": args.samples, "workers": args.workers,
        "decisions": args.decisions or (DECISIONS if Path(DECISIONS).is_file() else None),
    }  # fmt: skip
    if bool(args.data) == bool(args.task):
        raise InputError("give the outcomes with --data FILE, or a task to run with --task NAME, one of both.")
    if args.data:
        return breakdown(
            args.data,
            metrics,
            scores=args.score,
            columns=column_map(args.columns),
            quoting=args.quoting,
            langs=langs,
            **judging(args),
            **common,
        )
    if args.score or args.columns or args.judge or args.success_at is not None:
        raise InputError("--score, --columns, --judge and --success-at go with --data.")
    translator = None if args.translator == "none" else args.translator
    return run_task(args.task, translator, langs, metrics=metrics, pseudo=args.pseudo, errors=args.error, **common)


def _review(args: argparse.Namespace, output: Output, result: BreakdownResult) -> None:
    """Ask a person about wrongly judged translations; the tables count again with what was decided."""
    decisions = args.decisions or DECISIONS
    reviewed = result.review(decisions, annotator=args.annotator, **place(args))
    output.note(f"{reviewed.answered:,} named, {reviewed.left:,} left · kept in {decisions}")


def _chosen(output: Output, result: BreakdownResult, names: Sequence[str] | None, everything: bool) -> list[Table]:
    if names:
        for name in names:
            if name not in result.tables:
                raise unknown("table that these outcomes give", name, result.tables)
        return [result.tables[name] for name in names]
    if output.on_screen and not everything:
        by_language = {"languages", "languages_f1"} if len(set(result.outcomes.languages)) > 1 else set()
        shown = [
            name for name in ON_SCREEN if name in result.tables and (name in by_language or name not in ON_SCREEN[1:3])
        ]
        # What is to be said stands under the summary.
        return [
            replace(result.tables[name], notes=()) if name in by_language else result.tables[name] for name in shown
        ]
    return list(result.tables.values())
