"""``assay run``: metrics on challenge sets and human-rated test sets."""

from __future__ import annotations

import argparse
import functools
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.cli.corpus import (
    ShardsProgress,
    add_batch,
    add_workers,
    corpus_group,
    engine_options,
    refuse_with_corpus,
    refuse_without_corpus,
    summary_note,
)
from assay.cli.options import (
    add_columns,
    add_correction,
    add_data_dir,
    add_estimate,
    add_kept_tables,
    add_metric_files,
    add_metrics,
    add_output,
    add_quoting,
    add_resampling,
    add_skip_bad,
    column_map,
    langpair,
    pick,
    positive,
)
from assay.cli.output import Output, run_folder, save_run_dir, write
from assay.cli.parser import Help, Parser
from assay.core.errors import InputError, count
from assay.report import FORMATS

if TYPE_CHECKING:
    from assay.core.table import Table
    from assay.verbs.run import SuiteResult

HELP = Help(
    """Run metrics on challenge sets and on sets with human judgements, and show where they are blind.

    assay run
    assay run embedded -m chrf -m bleu --table phenomena

    more examples:
      assay run demetr -m chrf -m bleu
      assay run my_pairs.tsv -m my_module:MyMetric --metric-file theirs.tsv --langpair en-de
      assay run pairs/ -m chrf -m comet-22 --engine ray --address auto --out scored/

    A suite is a name (assay list suites) or a contrastive file: TSV, CSV, JSON lines or Parquet with the columns
    source, good-translation, incorrect-translation, reference, phenomena, langpair or similar names (--columns maps
    others).

    A metric from any other program can take part. --export FILE writes the texts to score, --metric-file FILE reads
    the scores. FILE:lower,source means that lower is better and that the metric reads the source only (docs/run.md).

    A folder or a pattern of contrastive files is run shard by shard into --out FOLDER/, with the scores of every
    pair. The tables cover all shards.
    """,
    "suites metrics metric_file langpair columns subsample data_dir table all format out run_dir export workers quiet",
)

INPUT = ("data_dir", "quoting", "langpair", "subsample", "skip_bad", "seed")
"""Options that select the items of a suite."""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="names or files (default: the embedded suite)")
    add_metrics(parser)
    add_metric_files(parser)
    parser.add_argument(
        "--label", action="append", default=[], metavar="NAME=TEXT",
        help="show a metric under another name in tables and figures; repeatable",
    )  # fmt: skip
    group = parser.section("input")
    add_data_dir(group)
    add_columns(group)
    add_quoting(group)
    group.add_argument(
        "--langpair",
        type=langpair,
        metavar="xx-yy",
        help="only this language pair, or the pair of a file without that column",
    )
    group.add_argument("--subsample", type=positive, metavar="N", help="at most N items of each phenomenon")
    group.add_argument("--verify", action="store_true", help="check the checksums of the suite's files first")
    add_skip_bad(group)
    group.add_argument(
        "--export", metavar="FILE", help="only write the texts with their ids (.tsv .csv .jsonl .parquet)"
    )
    parser.add_argument("--analysis", metavar="NAME", help="make the tables of another analysis (assay list analyses)")
    add_kept_tables(parser, "the summary", "SUITE")
    add_resampling(parser)
    add_correction(parser.section("statistics"), "none")
    add_estimate(parser)
    add_output(parser, FORMATS)
    parser.section("output").add_argument(
        "--figures", type=_formats, default=("svg",), metavar="svg,png|none",
        help="figures in the run directory (default: svg; requires the extra 'figures')",
    )  # fmt: skip
    corpora = corpus_group(parser)
    add_workers(corpora)
    add_batch(corpora)


def names_result(args: argparse.Namespace) -> bool:
    """Return whether --out is rendered in --format: not a folder of shards."""
    return not _is_corpus(args)


def _is_corpus(args: argparse.Namespace) -> bool:
    """Return whether the suites are shards of a contrastive set; a registered name is a suite even if there is such a folder."""
    from assay.core.spec import name_of
    from assay.verbs.shared.corpus_paths import names_corpus, names_folder
    from assay.verbs.shared.registries import names

    paths = [suite for suite in args.suites if name_of(suite) not in names("suites")]
    return bool(args.out and names_folder(args.out)) or any(names_corpus(path) for path in paths)


def _formats(text: str) -> tuple[str, ...]:
    """Parse ``svg,png`` or ``none``."""
    from assay.report.figures import FORMATS as FIGURES

    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    if names == ("none",):
        return ()
    for name in names:
        if name not in FIGURES:
            raise argparse.ArgumentTypeError(f"{name!r} is not a figure format (svg, png, svg,png or none)")
    return names


def run(args: argparse.Namespace) -> int:
    """Run every suite, then print or write the tables."""
    from dataclasses import replace

    from assay.report.data import rows
    from assay.verbs.shared.live_progress import live

    if corpus := _is_corpus(args):
        refuse_with_corpus(args, but=("run_dir",))
        _refuse_suites(args.suites)
    else:
        refuse_without_corpus(args)
    output = replace(Output.of(args), out=None) if corpus else Output.of(args)
    documents, tables, results, notes = [], [], [], []
    suites = ["the set"] if corpus else args.suites or ["embedded"]
    if args.export:
        return _export(args, suites, output)
    if args.estimate:
        return _estimate(args, suites, output)
    _note_missing_figures(args.figures, output, saved=_folder(args.run_dir, output, "", False) is not None)
    for suite in suites:
        started = time.monotonic()
        alone = args.run_dir if len(suites) == 1 else None
        with live(alone, "run"):
            result = _result(args, suite, corpus)
        chosen = _chosen(result, args.table, short=output.on_screen and not args.all)
        documents.append({"suite": result.suite, "tables": {table.name: rows(table) for table in chosen}})
        tables += chosen
        if args.format == "html":
            results.append(result)
        for problem in result.notes:
            output.note(f"⚠ {problem}")
        folder = _folder(args.run_dir, output, result.suite, len(suites) > 1)
        if folder is not None:
            write_to = functools.partial(result.write, figures=args.figures)
            notes.append(save_run_dir(write_to, folder, time.monotonic() - started, required=args.run_dir is not None))
    if args.format == "json":
        output.emit_json(documents[0] if len(documents) == 1 else {"suites": documents})
    elif args.format == "html":
        from assay.verbs.shared.pages import page_of

        write(page_of(results, args.table or ()), output.out)
    else:
        output.emit(tables)
    for text in notes:
        output.note(text)
    if corpus:
        output.note(summary_note(args.out, started, result.reused))
    return 0


def _refuse_suites(suites: Sequence[str]) -> None:
    """Raise InputError for a registered suite, or for none, with --out FOLDER/."""
    from assay.core.spec import name_of
    from assay.verbs.shared.registries import names

    registered = [suite for suite in suites if name_of(suite) in names("suites")]
    if registered or not suites:
        what = f"{registered[0]} is a registered suite" if registered else "there is no suite"
        raise InputError(f"{what}; --out FOLDER/ requires contrastive files: assay run pairs/ --out scored/.")


def _result(args: argparse.Namespace, suite: str, corpus: bool) -> SuiteResult:
    """Run one suite, or the shards of a contrastive set."""
    from assay.verbs.run import run as run_suite

    both = pick(args, "metrics", "analysis", "seed", "samples", "correction") | {"labels": _labels(args.label)}
    if corpus:
        with ShardsProgress(quiet=args.quiet) as progress:
            return run_suite(args.suites, batch=args.batch, **both, **engine_options(args, progress))
    settings = both | pick(args, *INPUT, "verify", "workers") | {"columns": column_map(args.columns)}
    return run_suite(suite, metric_files=args.metric_file, **settings)


def _labels(pairs: Sequence[str]) -> dict[str, str]:
    """Parse ``NAME=TEXT`` arguments."""
    labels: dict[str, str] = {}
    for pair in pairs:
        name, equals, text = (part.strip() for part in pair.partition("="))
        if not (equals and name and text):
            raise InputError(f"--label requires NAME=TEXT such as chrf=chrF, not {pair!r}.")
        labels[name] = text
    return labels


def _estimate(args: argparse.Namespace, suites: Sequence[str], output: Output) -> int:
    """Print the number of requests that LLM judges would send for each suite, and their cost."""
    from dataclasses import replace

    from assay.verbs.estimate import estimate

    tables = []
    for suite in suites:
        result = estimate(suite, args.metrics or (), columns=column_map(args.columns), **pick(args, *INPUT))
        tables.append(replace(result.table(), caption=suite))
    output.emit(tables)
    return 0


def _export(args: argparse.Namespace, suites: Sequence[str], output: Output) -> int:
    """Write the texts of one suite and print how to use their scores."""
    from assay.verbs.export import export

    if len(suites) > 1:
        raise InputError(f"--export writes the texts of a single suite, but there are {len(suites)}.")
    if args.metrics is not None or args.metric_file:
        raise InputError("--export cannot be used with -m or --metric-file, because it runs no metric.")
    exported = export(suites[0], args.export, columns=column_map(args.columns), **pick(args, *INPUT))
    for problem in exported.notes:
        output.note(f"⚠ {problem}")
    pairs = "good" in exported.columns()
    columns = "id, good and incorrect" if pairs else "id and score"
    output.note(
        f"{count(len(exported), 'item' if pairs else 'segment')} in {args.export}. A file of scores has the columns {columns}: "
        f"assay run {suites[0]} --metric-file scores.tsv"
    )
    return 0


def _note_missing_figures(figures: Sequence[str], output: Output, saved: bool) -> None:
    """Print a note if figures are wanted but cannot be drawn."""
    from assay.report.figures import available

    if figures and saved and not available():
        output.note("no figures; they require the extra 'figures': pip install 'mt-assay[figures]'")


def _chosen(result: SuiteResult, names: Sequence[str] | None, *, short: bool) -> list[Table]:
    if names:
        return [result.table(name) for name in names]
    return [result.table()] if short else list(result.tables.values())


def _folder(run_dir: str | None, output: Output, suite: str, several: bool) -> str | None:
    """Return the run directory of a suite: a subfolder of --run-dir if there are several suites."""
    return f"{run_dir}/{suite}" if run_dir and several else run_folder(run_dir, output, suite)
