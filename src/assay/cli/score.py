"""``assay score``: scores of systems and segments."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from assay.cli.corpus import add_corpus, is_corpus, refuse_without_corpus, run_corpus
from assay.cli.formats import format_of
from assay.cli.options import (
    add_by,
    add_components,
    add_estimate,
    add_flags,
    add_kept_texts,
    add_metrics,
    add_output,
    add_resampling,
    add_texts,
)
from assay.cli.output import Output, write_parts
from assay.cli.parser import Help, Parser
from assay.cli.texts import (
    add_appearance,
    add_run_dir,
    chosen_components,
    finish,
    print_estimate,
    rows_progress,
    save_run,
    text_request,
    with_signatures,
)
from assay.core.errors import InputError
from assay.core.flags import flag_notes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.verbs.score import ScoreResult

HELP = Help(
    """Score translations with one or more metrics, per system and per segment.

    assay score --data demo
    assay score -m chrf -m bleu --data demo --out scores.jsonl

    more examples:
      assay score -m chrf,bleu ours.de --ref ref.de
      assay score -m bleu:tokenize=zh --data outputs.tsv --out scores.jsonl
      assay score --src src.en --mt ours.de --spans
      assay score -m chrf --data outputs.tsv --by doc
      assay score corpus/ -m chrf --keep 'chrf > 30' --out scored/
      assay score -m judge-mqm --data outputs.tsv -l en-de --endpoint http://localhost:8000/v1 --llm MODEL

    Default metrics: chrF and BLEU if there are references; assay-mini if it is installed (up to 20,000 rows).

    BLEU uses the tokenizer of the target language: zh, ja-mecab, ko-mecab, else 13a. For a table with several
    target languages, BLEU is computed per language. bleu:tokenize=NAME overrides this.

    Formats with one row per segment (csv, tsv, jsonl, parquet, xlsx) contain the input columns, then scores, flags
    and, with --spans, errors. --summary FILE also writes a table of system scores.

    A folder or glob pattern of shards (Parquet, JSON lines, TSV, CSV; text with --mt and --ref) is scored shard by shard
    into --out FOLDER/. An interrupted run resumes when you run the same command again.
    """,
    "files metrics mt ref src data columns langpair testset by ci spans format out summary run_dir workers quiet",
)
FORMATS = ("table", "json", "jsonl", "tsv", "parquet", "xlsx", "csv", "md", "latex", "html")
ROWS = ("jsonl", "tsv", "csv", "parquet", "xlsx")
"""Formats with one row per segment."""
SPAN_FORMATS = ("table", "json", "html", *ROWS)


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    add_metrics(parser)
    add_texts(parser, bare=True)
    add_output(parser, FORMATS)
    add_by(parser)
    add_flags(parser)
    parser.add_argument("--spans", action="store_true", help="mark the errors found in each translation")
    parser.section("statistics").add_argument(
        "--ci", action="store_true", help="add 95%% bootstrap confidence intervals"
    )
    add_resampling(parser)
    add_appearance(parser)
    output = parser.section("output")
    output.add_argument(
        "-b", "--score-only", action="store_true", help="print the scores only: one line per system, tab-separated"
    )
    add_components(parser)
    add_kept_texts(parser)
    output.add_argument(
        "--summary", metavar="FILE", help="also write a table of system scores to FILE; the suffix selects the format"
    )
    add_run_dir(parser)
    add_estimate(parser)
    add_corpus(parser)


def names_result(args: argparse.Namespace) -> bool:
    """Return whether --out is rendered in --format: not a folder of shards."""
    return not is_corpus(args)


def run(args: argparse.Namespace) -> int:
    """Score the texts and write the result."""
    from assay.verbs.score import score_request
    from assay.verbs.shared.live_progress import live

    if is_corpus(args):
        return run_corpus(args)
    refuse_without_corpus(args)
    _refuse_contradictions(args)
    output, started = Output.of(args), time.monotonic()
    request = text_request(args, rows=_wants_rows(args) or bool(args.keep or args.sample_by))
    if args.estimate:
        return print_estimate(request, output)
    with live(args.run_dir, "score", request.metrics, request.rows):
        with rows_progress(request, args.quiet) as progress:
            result = score_request(
                request, spans=args.spans, texts=_wants_rows(args), flags=args.flags, ci=args.ci,
                by=args.by, samples=args.samples, seed=args.seed, workers=args.workers, progress=progress.add, keep=args.keep,
                dedup=args.dedup, sample=args.sample, sample_by=args.sample_by,
            )  # fmt: skip
        _write(result, args, output, started)
    return 0


def _refuse_contradictions(args: argparse.Namespace) -> None:
    """Reject options that cannot be combined."""
    if args.spans and args.format not in SPAN_FORMATS:
        raise InputError(f"--spans requires --format {', '.join(SPAN_FORMATS)}, not {args.format}.")
    if args.score_only and (args.spans or args.ci or args.format != "table"):
        raise InputError("-b cannot be combined with --format, --ci or --spans.")
    if args.summary and args.summary == args.out:
        raise InputError("--summary and --out name the same file. Choose a different file for one of them.")
    if args.by and not args.summary and (args.spans or args.format in ROWS):
        other = "--spans" if args.spans else f"--format {args.format}, which has one row per segment"
        raise InputError(
            f"--by cannot be combined with {other}. To get scores per group, add --summary FILE or use --format json."
        )


def _write(result: ScoreResult, args: argparse.Namespace, output: Output, started: float) -> None:
    """Write the result in the requested format and save the run."""
    with result:
        if args.score_only:
            _write_numbers(result, output, args.width)
        elif args.format in ROWS or (args.spans and args.format == "json"):
            _write_rows(result, output)
        elif args.spans:
            _write_spans(result, output)
        elif args.format == "json":
            _write_json(result, output, texts=args.texts)
            _note_flags(result, output)
        else:
            _write_table(result, output, args)
        if args.summary:
            _write_summary(result, output, args)
        save_run(result, args, output, started)
    finish(result, output)


def _wants_rows(args: argparse.Namespace) -> bool:
    """Return whether the output includes every input column."""
    return bool(args.texts or args.run_dir or args.format in ROWS or (args.spans and args.format == "json"))


def _write_numbers(result: ScoreResult, output: Output, digits: int | None) -> None:
    """Write only the system scores: one line per system, tab-separated."""
    decimals = {name: metric.card.decimals if digits is None else digits for name, metric in result.metrics.items()}
    lines = (
        "\t".join(f"{value:.{decimals[name]}f}" for name, value in row.items()) + "\n"
        for row in result.systems.values()
    )
    write_parts(lines, output.out)


def _write_table(result: ScoreResult, output: Output, args: argparse.Namespace) -> None:
    first, *others = (table for table in result.tables.values() if table.name != "components")
    tables = [
        with_signatures(first, result.signatures, args, output),
        *(with_signatures(table, {}, args, output) for table in others),
    ]
    output.emit([*tables, *chosen_components(result, args)])


def _write_summary(result: ScoreResult, output: Output, args: argparse.Namespace) -> None:
    """Write the table of system scores to --summary, in the format of its suffix."""
    from dataclasses import replace

    summary = replace(output, format=format_of(args.summary), out=args.summary)
    if summary.format == "json":
        _write_json(result, summary, texts=False)
    else:
        _write_table(result, summary, args)


def _write_json(result: ScoreResult, output: Output, *, texts: bool) -> None:
    from assay.report import scores

    with output.stream() as stream:
        scores.as_json(result.run, result.known(), stream.write, result.groups(), result.system_flags, texts=texts)


def _write_rows(result: ScoreResult, output: Output) -> None:
    """Write one row per segment: input columns, scores, flags and error spans."""
    from assay.report.spans import as_json

    rows = result.rows()
    if output.format == "json":
        write_parts(as_json(rows, rows.scores, lambda: result.signatures), output.out)
    else:
        result.notes += output.emit_rows(rows, rows.scores)
    result.notes += rows.notes
    _note_flags(result, output)


def _note_flags(result: ScoreResult, output: Output) -> None:
    """Print the notes on flags, which a table shows below itself."""
    for note in flag_notes(result.system_flags):
        output.note(note)


def _write_spans(result: ScoreResult, output: Output) -> None:
    from assay.report import spans, terminal

    rows = result.span_rows()
    if output.format == "table":
        colour = not output.out and terminal.wants_colour()
        parts: Iterator[str] = (spans.as_terminal(row, colour=colour) for row in rows)
    else:
        parts = spans.as_html(rows, lambda: result.signatures)
    write_parts(parts, output.out)
    cut = sum(rows for flag, rows in result.flags.items() if flag.endswith(" truncated"))
    other_flags = {
        system: {flag: rows for flag, rows in flags.items() if not flag.endswith(" truncated")}
        for system, flags in result.system_flags.items()
    }
    for note in flag_notes(other_flags):
        output.note(note)
    if cut:
        windows = all(getattr(metric, "long", "") == "window" for metric in result.metrics.values())
        what = "scored in windows" if windows else "truncated (METRIC:long=window scores them in windows)"
        total = len(result) * len(result.metrics)
        output.note(f"⚠ {cut:,} of {total:,} segments exceeded the maximum length of the model and were {what}")
