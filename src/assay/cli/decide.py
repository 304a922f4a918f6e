"""``assay decide``: learn a rule from outcomes, and label new translations with it."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.cli.corpus import (
    OPTIONS,
    add_batch,
    add_keep,
    add_workers,
    corpus_group,
    finished,
    is_corpus,
    refuse_with_corpus,
    refuse_without_corpus,
    texts_of_corpus,
    watched,
    workers_of,
)
from assay.cli.options import (
    add_flags,
    add_judge,
    add_kept_texts,
    add_metrics,
    add_output,
    add_texts,
    add_trust,
    column_map,
    judging,
    natural,
)
from assay.cli.output import Output, write_bytes
from assay.cli.texts import finish, keep_run, rows_progress, texts_of
from assay.core.errors import InputError
from assay.report import BINARY_FORMATS
from assay.report.rows import json_document, row_lines, write_rows
from assay.report.writing import whole_file
from assay.verbs.decide import fit_rule
from assay.verbs.decide_corpus import label_corpus
from assay.verbs.decide_stream import label_request, label_stream
from assay.verbs.shared.request import table_among

if TYPE_CHECKING:
    from assay.verbs.decide_stream import LabelStream

SUMMARY = "Learn from outcomes which translations to use, review or reject, and label new ones."
EXAMPLES = """examples:
  assay breakdown --task parsing --translator none --error all --run-dir parsing    # or outcomes of your own
  assay decide fit --data parsing/outcomes.tsv -m chrf --goal "catch 95%" --out rule.json
  assay decide apply --rule rule.json --src new.es --mt new.en --ref new.ref.en --lang es --format tsv
  assay decide apply rule.json corpus/ --keep "label == 'use'" --out usable/

Goals: "catch 95%" (of breakdowns), "at most 2% bad" (among what is used), "lose at most 5%" (over all translations),
"cost use-bad=10 review=1 reject-good=4". The first three come with a promise that holds for finite samples; the rule's card
says what was promised and, where the outcomes have a test part, what was kept. apply warns when scores no longer lie as they
did. A folder or a pattern of shards (text with --mt, --src and --ref) goes into --out FOLDER/, shard by shard."""
ONLY_FIT = ("goal", "confidence", "reject_at", "score", "langs", "dev_share", "seed", "success_at", "judge", "judged")
ONLY_APPLY = ("rule", "trust", "lang", "mt", "ref", "src", "langpair", "empty_reference")
FORMATS = ("table", "tsv", "jsonl", "csv", "json", "parquet", "xlsx")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument("action", choices=["fit", "apply"], help="what to do")
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="apply: the rule, unless --rule names it; then translations as with --mt, or a folder of shards",
    )
    add_metrics(parser)
    add_texts(parser)
    parser.add_argument("--goal", metavar="GOAL", help="fit: what to achieve (default: catch 95%%)")
    parser.add_argument("--confidence", type=float, metavar="P", help="fit: of 'at most …' (default: 0.9)")
    parser.add_argument(
        "--reject-at",
        type=float,
        metavar="P",
        help="fit: reject from this breakdown probability on (default: 0.5)",
    )
    parser.add_argument("--score", action="append", default=[], metavar="COLUMN", help="fit: ready scores in --data")
    parser.add_argument("--langs", metavar="xx,yy", help="fit: these languages only")
    parser.add_argument("--dev-share", type=float, metavar="SHARE", help="fit: learn from this share, test on the rest")
    add_judge(parser, "fit: ")
    parser.add_argument("--seed", type=natural, metavar="N", help="fit: seed (default: 12345)")
    parser.add_argument("--rule", metavar="FILE", help="apply: the rule")
    add_trust(parser, "apply: ")
    parser.add_argument("--lang", metavar="xx", help="apply: the language translated from")
    add_output(parser, FORMATS)
    parser.add_argument(
        "--run-dir", metavar="DIR", help="keep the rule or the labels, with rows and tables, here (for assay view DIR)"
    )
    add_kept_texts(parser)
    add_flags(parser)
    group = corpus_group(parser)
    add_keep(group)
    add_workers(group)
    add_batch(group)


def names_result(args: argparse.Namespace) -> bool:
    """Whether --out is what --format renders; fit keeps its rule there, and a corpus its shards."""
    return bool(args.action == "apply") and not is_corpus(args)


def run(args: argparse.Namespace) -> int:
    """Fit or apply."""
    return {"fit": _fit, "apply": _apply}[args.action](args)


def _fit(args: argparse.Namespace) -> int:
    started = time.monotonic()
    _refuse(args, (*ONLY_APPLY, *OPTIONS), "apply")
    if not args.data or args.files:
        raise InputError(
            f"assay decide fit learns from a table of outcomes: --data {next(iter(args.files), 'outcomes.tsv')}."
        )
    chosen = {
        name: value
        for name in ("dev_share", "confidence", "reject_at", "seed")
        if (value := getattr(args, name)) is not None
    }
    fitted = fit_rule(
        args.data,
        args.metrics,
        args.goal or "catch 95%",
        scores=args.score,
        columns=column_map(args.columns),
        quoting=args.quoting,
        langs=[language.strip() for language in (args.langs or "").split(",") if language.strip()],
        workers=args.workers,
        **judging(args),
        **chosen,
    )
    output = replace(Output.of(args), out=None)
    if args.out:
        fitted.save(args.out)
    output.emit([fitted.table()])
    for sentence in fitted.notes:
        output.note(f"⚠ {sentence}")
    keep_run(fitted, args, output, started)
    applied = f"wrote {args.out} · assay decide apply --rule {args.out} --mt …"
    if args.out or not args.run_dir:
        output.note(applied if args.out else "not kept: --out rule.json keeps it")
    return 0


def _apply(args: argparse.Namespace) -> int:
    _refuse(args, ONLY_FIT, "fit")
    if args.files and not args.rule:
        args.rule = args.files.pop(0)
    if not args.rule:
        raise InputError("assay decide apply needs a rule: --rule rule.json (assay decide fit makes one).")
    if args.metrics:
        raise InputError("the rule says which metrics to use: leave out -m.")
    if is_corpus(args):
        return _apply_to_corpus(args)
    refuse_without_corpus(args)
    if args.mt and len(args.mt) > 1:
        raise InputError("assay decide apply labels one system at a time: give one --mt.")
    output, started = Output.of(args), time.monotonic()
    kept = bool(args.texts or args.run_dir or args.format != "table")
    texts = texts_of(args)
    rule, asked = label_request(args.rule, trust=bool(args.trust), rows=kept, **texts)
    if asked is None and not args.data:
        args.data = table_among(texts["mt"])
    with rows_progress(asked, args.quiet) as progress:
        labels = label_stream(
            rule, asked, data=args.data, columns=column_map(args.columns), quoting=args.quoting,
            language=args.lang or "", files=[args.rule], texts=kept, flags=args.flags,
            workers=args.workers, progress=progress.add, kept_rows=bool(args.run_dir),
        )  # fmt: skip
    with labels:
        _write(labels, output)
        if args.format == "table":
            output.emit([labels.table()])
        else:
            for warning in labels.warnings if args.format != "json" else ():
                output.note(warning)
            output.note(labels.totals)
        keep_run(labels, args, output, started)
    finish(labels, output)
    return 0


def _apply_to_corpus(args: argparse.Namespace) -> int:
    """Label every shard, and say how many of each label there are."""
    refuse_with_corpus(args)
    output, started = Output("assay decide", args.format, None, args.quiet), time.monotonic()
    with watched(args.quiet) as progress:
        result = label_corpus(
            args.rule, language=args.lang or "", trust=bool(args.trust), **texts_of_corpus(args), **workers_of(args, progress)
        )  # fmt: skip
    finished(result, args, output, started, result.table(), {"warnings": result.warnings})
    return 0


def _refuse(args: argparse.Namespace, options: Sequence[str], action: str) -> None:
    """An option of the other action would change nothing: say so instead of passing over it."""
    for option in options:
        if getattr(args, option, None) not in (None, []):
            raise InputError(f"--{option.replace('_', '-')} goes with assay decide {action}.")


def _write(labels: LabelStream, output: Output) -> None:
    """Count every chunk, and write its rows where rows are wanted; a file appears only when whole."""
    numbers = {"breakdown_probability", *labels.scores}
    if output.format == "table":
        labels.count()
        return
    if output.format in BINARY_FORMATS:
        write_bytes(
            lambda stream: labels.notes.extend(write_rows(labels.parts(), output.format, stream, scores=numbers)),
            output.out,
            output.format,
        )
        return
    head = f'{{"goal": {json.dumps(labels.rule.goal)}, "segments": '

    def tail() -> str:
        about = {"counts": labels.tally.shares(), "flags": labels.flags, "warnings": labels.warnings}
        return f",\n{json.dumps(about, ensure_ascii=False)[1:]}"

    to_file = output.out is not None and output.out != "-"
    with whole_file(str(output.out)) if to_file else nullcontext(sys.stdout) as stream:
        if output.format == "json":
            stream.writelines(json_document(row_lines(labels.parts(), labels.scores), head, tail))
        else:
            safe = output.spreadsheet_safe
            labels.notes += write_rows(
                labels.parts(), output.format, stream, scores=labels.scores, spreadsheet_safe=safe
            )
        stream.flush()
