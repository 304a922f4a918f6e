"""``assay breakdown``: can a metric tell that a translation will break the next step?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.api.breakdown import BreakdownResult
    from assay.core.table import Table

SUMMARY = "Judge metrics by what happens downstream: can they tell which translations break the next step?"
EXAMPLES = """examples:
  assay breakdown --task parsing --translator none --error all --table matrix
  assay breakdown --task parsing --langs es,pt --translator auto --run-dir parsing
  assay breakdown --data outcomes.tsv -m chrf -m bleu

A table of outcomes has source, translation, reference, outcome (success or breakdown), language and split (dev or test),
and may have id and part (question and context of one example), task, error_type, back_translation (for pseudo-references)
and columns of ready scores (--score comet, or --score ter:lower). Thresholds are chosen on dev, figures are from test."""
DECISIONS = "breakdown-decisions.jsonl"
TABLES = ("summary", "languages", "balance", "thresholds", "pseudo", "cases", "errors", "matrix")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    from assay.cli.options import add_metrics, add_output, natural, positive
    from assay.report import FORMATS

    add_metrics(parser)
    group = parser.add_argument_group("input")
    group.add_argument("--data", metavar="FILE", help="outcomes: .tsv .csv .jsonl .parquet (- is stdin)")
    group.add_argument("--columns", metavar="NAME=COLUMN,…", help="which columns of --data to take, where names differ")
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
    parser.add_argument("--all", action="store_true", help="every table on the terminal, not the summary alone")
    parser.add_argument(
        "--review", action="store_true", help="name the error types of wrongly judged translations first, a key each"
    )
    parser.add_argument(
        "--decisions", metavar="FILE", help=f"error types that people gave (default: {DECISIONS} where it is)"
    )
    parser.add_argument("--case", metavar="METRIC", help="metric of the case study (default: the best on dev)")
    parser.add_argument("--run-dir", metavar="DIR", help="keep outcomes, scores, tables and figures here")
    parser.add_argument(
        "--samples", type=positive, default=1000, metavar="N", help="bootstrap resamples (default: 1000)"
    )
    parser.add_argument("--seed", type=natural, default=12345, metavar="N", help="seed (default: 12345)")
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Judge the metrics; print, render or keep the tables."""
    from assay.cli.output import emit, note, write

    result = _reviewed(args) if args.review else _result(args)
    if args.run_dir:
        written = result.write(args.run_dir, ("svg", "png"))
        files = ", ".join(sorted(path.name for path in written.iterdir() if path.is_file()))
        note(f"wrote {written}/ ({files})", args.quiet)
    if args.format == "html":
        from assay.report.page import page

        write(page([result.section(_chosen(result, args))], title="assay breakdown"), args.out)
    else:
        emit(_chosen(result, args), args)
    return 0


def _result(args: argparse.Namespace) -> BreakdownResult:
    from assay.api.breakdown import METRICS, breakdown, run_task
    from assay.api.controlled import find_errors
    from assay.api.tasks import find_task
    from assay.cli.options import column_map
    from assay.cli.output import note
    from assay.core.errors import InputError

    metrics = args.metrics if args.metrics is not None else ([] if args.score else METRICS)
    langs = [language.strip() for language in (args.langs or "").split(",") if language.strip()]
    common = {
        "dev_share": args.dev_share, "case": args.case, "seed": args.seed, "samples": args.samples, "workers": args.workers,
        "decisions": args.decisions or (DECISIONS if Path(DECISIONS).is_file() else None),
    }  # fmt: skip
    if bool(args.data) == bool(args.task):
        raise InputError("give the outcomes with --data FILE, or a task to run with --task NAME, one of both.")
    if args.data:
        return breakdown(args.data, metrics, scores=args.score, columns=column_map(args.columns), langs=langs, **common)
    tasks = [find_task(name) for name in args.task]
    if not langs and args.translator != "none":
        raise InputError("--task needs the languages to translate from: --langs es,pt.")
    if args.score or args.columns:
        raise InputError("--score and --columns go with --data.")
    translator = None if args.translator == "none" else args.translator
    errors, left_out = find_errors(args.error) if args.error else ([], [])
    for sentence in left_out:
        note(sentence, args.quiet)
    return run_task(tasks, translator, langs, metrics, pseudo=args.pseudo, errors=errors, **common)


def _reviewed(args: argparse.Namespace) -> BreakdownResult:
    """Ask a person about wrongly judged translations, then count again with what was decided."""
    from dataclasses import replace

    from assay.analyses.breakdown.tables import tables
    from assay.api.breakdown import type_questions
    from assay.cli.output import note
    from assay.review.decisions import Decisions
    from assay.review.error_types import typed
    from assay.review.screen import keys, review

    result = _result(args)
    decisions = Decisions(Path(args.decisions or DECISIONS))
    with keys(sys.stdin) as read:
        progress = review(type_questions(result, args.case, seed=args.seed), decisions, read, _show)
    note(f"{progress.answered:,} named, {progress.left:,} left · kept in {decisions.path}", args.quiet)
    result.outcomes = replace(result.outcomes, error_types=typed(result.outcomes, decisions))
    made = tables(
        result.outcomes, result.measured, pseudo=result.pseudo, seed=args.seed, samples=args.samples, case=args.case
    )
    result.tables |= {table.name: table for table in made if table.name in ("errors", "matrix")}
    return result


def _show(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _chosen(result: BreakdownResult, args: argparse.Namespace) -> list[Table]:
    from assay.core.errors import unknown

    if args.table:
        for name in args.table:
            if name not in result.tables:
                raise unknown("table that these outcomes give", name, result.tables)
        return [result.tables[name] for name in args.table]
    if args.format == "table" and not args.all and not args.out:
        return [result.tables["summary"], result.tables["balance"]]
    return list(result.tables.values())
