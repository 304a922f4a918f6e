"""``assay decide``: rules that label translations use, review or reject, learned from outcomes."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.cli.corpus import (
    ShardsProgress,
    add_batch,
    add_keep,
    add_workers,
    corpus_group,
    corpus_inputs,
    engine_options,
    is_corpus,
    print_corpus,
    refuse_with_corpus,
    refuse_without_corpus,
)
from assay.cli.options import (
    add_columns,
    add_flags,
    add_judge,
    add_kept_texts,
    add_llm,
    add_metrics,
    add_output,
    add_quoting,
    add_seed,
    add_texts,
    add_trust,
    column_map,
    comma_separated,
    judging,
    table_file,
)
from assay.cli.output import Output
from assay.cli.parser import Help, Parser
from assay.cli.texts import add_run_dir, finish, rows_progress, save_run, text_inputs
from assay.core.errors import InputError
from assay.report import BINARY_FORMATS
from assay.report.rows import json_document, row_lines
from assay.verbs.decide import apply_rule, by_given_scores, fit_rule, label_request, read_rule, rule_metrics
from assay.verbs.shared.request import request

if TYPE_CHECKING:
    from assay.verbs.decide import Decided

HELP = Help("""Learn from outcomes which translations to use, review or reject, and label new translations.

    assay breakdown --task parsing --translator none --error word-swap --run-dir parsing
    assay decide fit --data parsing/outcomes.tsv -m chrf --goal "catch 95%" --out rule.json
""")
FIT = Help(
    """Learn thresholds that reach a goal from a table of outcomes, and write them as a rule.

    assay breakdown --task parsing --translator none --error word-swap --run-dir parsing
    assay decide fit --data parsing/outcomes.tsv -m chrf --goal "catch 95%" --out rule.json

    goals:
      "catch 95%"             find 95% of the breakdowns
      "at most 2% bad"        at most 2% breakdowns among the translations labelled use
      "lose at most 5%"       at most 5% breakdowns labelled use, of all translations
      "cost use-bad=10 review=1 reject-good=4"
                              lowest cost per translation

    The first three goals have a guarantee for finite samples. The rule's card states it and, if the outcomes have a
    test part, the value observed there.
    """,
    "metrics data columns goal confidence reject_at score langs dev_share success_at judge seed format out run_dir "
    "workers quiet",
)
APPLY = Help(
    """Label each translation use, review or reject with a rule.

    assay breakdown --task parsing --translator none --error word-swap --run-dir p && assay decide fit p/outcomes.tsv -o rule.json
    assay decide apply --rule rule.json --data demo --lang en

    more examples:
      assay decide apply --rule rule.json --src new.es --mt new.en --ref new.ref.en --lang es --format tsv
      assay decide apply rule.json corpus/ --keep "label == 'use'" --out usable/

    A warning reports scores that are distributed differently from those in the outcomes. A folder or a pattern of
    shards (text with --mt, --src and --ref) is labelled shard by shard into --out FOLDER/.
    """,
    "files rule mt ref src data columns lang keep format out run_dir trust workers quiet",
)
FORMATS = ("table", "tsv", "jsonl", "csv", "json", "parquet", "xlsx")


def add_fit(parser: Parser) -> None:
    """Add the arguments of ``assay decide fit``."""
    parser.add_argument("files", nargs="*", type=table_file, metavar="FILE", help="table of outcomes, as with --data")
    add_metrics(parser)
    group = parser.section("input")
    group.add_argument("--data", type=table_file, metavar="FILE", help="table of outcomes (docs/decide.md)")
    add_columns(group)
    add_quoting(group)
    group.add_argument(
        "--score", action="append", default=[], metavar="COLUMN",
        help="column of precomputed scores; COLUMN:lower if lower is better; repeatable",
    )  # fmt: skip
    group.add_argument("--langs", metavar="xx,yy", help="only these languages")
    group.add_argument("--dev-share", type=float, metavar="SHARE", help="learn from this share, test on the rest")
    add_judge(group)
    parser.add_argument("--goal", metavar="GOAL", default="catch 95%", help="what to achieve (default: catch 95%%)")
    parser.add_argument("--confidence", type=float, metavar="P", help="confidence of an 'at most' goal (default: 0.9)")
    parser.add_argument(
        "--reject-at", type=float, metavar="P", help="reject from this probability of a breakdown (default: 0.5)"
    )
    add_seed(parser)
    _add_output(parser)


def add_apply(parser: Parser) -> None:
    """Add the arguments of ``assay decide apply``."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="the rule, unless --rule names it; then translations or shards"
    )
    parser.add_argument("--rule", metavar="FILE", help="rule, written by assay decide fit")
    add_trust(parser, "the rule")
    add_texts(parser)
    parser.add_argument("--lang", metavar="xx", help="language of the sources")
    add_flags(parser)
    add_llm(parser)
    _add_output(parser)
    add_kept_texts(parser)
    add_keep(parser)
    corpora = corpus_group(parser)
    add_workers(corpora)
    add_batch(corpora)


def _add_output(parser: Parser) -> None:
    add_output(parser, FORMATS)
    add_run_dir(parser)


MODES = {"fit": (FIT, add_fit), "apply": (APPLY, add_apply)}


def names_result(args: argparse.Namespace) -> bool:
    """Return whether --out is rendered in --format: not a rule, and not a folder of shards."""
    return bool(args.action == "apply") and not is_corpus(args)


def run(args: argparse.Namespace) -> int:
    """Learn a rule or apply one."""
    return {"fit": _fit, "apply": _apply}[args.action](args)


def _fit(args: argparse.Namespace) -> int:
    started = time.monotonic()
    tables = [*args.files, *([args.data] if args.data else [])]
    if len(tables) != 1:
        raise InputError("assay decide fit requires exactly one table of outcomes: --data outcomes.tsv.")
    optional = {name: getattr(args, name) for name in ("dev_share", "confidence", "reject_at")}
    fitted = fit_rule(
        tables[0],
        args.metrics,
        args.goal,
        scores=args.score,
        columns=column_map(args.columns),
        quoting=args.quoting,
        langs=comma_separated(args.langs),
        seed=args.seed,
        workers=args.workers,
        **judging(args),
        **{name: value for name, value in optional.items() if value is not None},
    )
    output = replace(Output.of(args), out=None)
    if args.out:
        fitted.save(args.out)
    output.emit([fitted.table()])
    for warning in fitted.notes:
        output.note(f"⚠ {warning}")
    save_run(fitted, args, output, started)
    applied = f"wrote {args.out} · assay decide apply --rule {args.out} --mt …"
    if args.out or not args.run_dir:
        output.note(applied if args.out else "the rule was not saved; --out rule.json saves it")
    return 0


def _apply(args: argparse.Namespace) -> int:
    if args.files and not args.rule:
        args.rule = args.files.pop(0)
    if not args.rule:
        raise InputError("assay decide apply requires a rule: --rule rule.json (assay decide fit learns one).")
    if is_corpus(args):
        return _apply_to_corpus(args)
    refuse_without_corpus(args)
    if args.mt and len(args.mt) > 1:
        raise InputError("assay decide apply labels one system at a time; specify one file with --mt.")
    output, started = Output.of(args), time.monotonic()
    with_rows = bool(args.texts or args.run_dir or args.format != "table")
    texts, rule, text_request = text_inputs(args), read_rule(args.rule), None
    if not by_given_scores(rule):
        metrics = rule_metrics(rule, args.rule, trust=bool(args.trust))
        text_request = request(metrics=metrics, rows=with_rows or bool(args.keep), **texts)
    with rows_progress(text_request, args.quiet) as progress:
        labels = label_request(
            rule, text_request, texts, args.lang or "", files=[args.rule], texts=with_rows, flags=args.flags, workers=args.workers,
            progress=progress.add, keep=args.keep,
        )  # fmt: skip
    with labels:
        _write(labels, output)
        if args.format == "table":
            output.emit([labels.table()])
        else:
            for warning in labels.warnings if args.format != "json" else ():
                output.note(warning)
            output.note(labels.totals)
        save_run(labels, args, output, started)
    finish(labels, output)
    return 0


def _apply_to_corpus(args: argparse.Namespace) -> int:
    """Label every shard and print the number of rows per label."""
    refuse_with_corpus(args)
    output, started = Output("assay decide", args.format, None, args.quiet), time.monotonic()
    with ShardsProgress(quiet=args.quiet) as progress:
        result = apply_rule(
            args.rule, languages=args.lang or "", trust=bool(args.trust), **corpus_inputs(args), **engine_options(args, progress)
        )  # fmt: skip
    print_corpus(result, args, output, started, result.table(), {"warnings": result.warnings})
    return 0


def _write(labels: Decided, output: Output) -> None:
    """Count the labels and, in a format with rows, write the rows."""
    if output.format == "table":
        assert labels.tally is not None  # counts the labels
        return
    if output.format != "json":
        numbers = ("breakdown_probability", *labels.scores) if output.format in BINARY_FORMATS else labels.scores
        labels.notes += output.emit_rows(labels.parts(), numbers)
        return
    head = f'{{"goal": {json.dumps(labels.rule.goal)}, "segments": '

    def tail() -> str:
        about = {"counts": labels.tally.shares(), "flags": labels.system_flags, "warnings": labels.warnings}
        return f",\n{json.dumps(about, ensure_ascii=False)[1:]}"

    with output.stream() as stream:
        stream.writelines(json_document(row_lines(labels.parts(), labels.scores), head, tail))
