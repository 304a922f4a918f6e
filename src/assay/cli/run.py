"""``assay run``: metrics on challenge sets, and where they are blind."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.api.suites import SuiteResult
    from assay.core.table import Table

SUMMARY = "Run metrics on challenge sets and judged sets: where is a metric blind?"
EXAMPLES = """examples:
  assay run                                          # the embedded suite, the embedded metrics
  assay run demetr -m chrf -m bleu
  assay run my_pairs.tsv -m my_module:MyMetric --metric-file theirs.tsv --langpair en-de

A suite is a name (assay list suites) or the path of a contrastive file: TSV, CSV, JSONL or Parquet with source,
good-translation, incorrect-translation, reference, phenomena, langpair or near variants (--columns maps others).
A file of scores (--metric-file FILE, or FILE:lower where lower is better) lets a metric in any language take part."""
DEFAULT_METRICS = ["chrf", "chrf++", "bleu", "ter", "cer", "rouge2"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    from assay.cli.options import add_metrics, add_output, langpair, natural, positive
    from assay.report import FORMATS

    parser.add_argument("suites", nargs="*", metavar="SUITE", help="names or paths (default: the embedded suite)")
    add_metrics(parser)
    parser.add_argument(
        "--metric-file", action="append", default=[], metavar="FILE", help="scores of a metric that lives elsewhere"
    )
    parser.add_argument("--data-dir", metavar="DIR", help="local copies of the suites (default: $ASSAY_DATA)")
    parser.add_argument("--columns", metavar="NAME=COLUMN,…", help="which columns of a contrastive file to take")
    parser.add_argument(
        "--langpair", type=langpair, metavar="xx-yy", help="language pair of a contrastive file that has none"
    )
    parser.add_argument("--verify", action="store_true", help="check the checksums of the suite's files first")
    parser.add_argument("--skip-bad", action="store_true", help="leave malformed rows out, count and list them")
    parser.add_argument(
        "--table", action="append", metavar="NAME", help="only these tables (default on a terminal: the summary)"
    )
    parser.add_argument("--all", action="store_true", help="every table on the terminal, not the summary alone")
    parser.add_argument(
        "--correction",
        choices=["none", "holm", "bonferroni", "benjamini-hochberg"],
        default="none",
        help="for many comparisons",
    )
    parser.add_argument(
        "--samples", type=positive, default=1000, metavar="N", help="bootstrap resamples (default: 1000)"
    )
    parser.add_argument(
        "--seed", type=natural, default=12345, metavar="N", help="seed of the resampling (default: 12345)"
    )
    parser.add_argument(
        "--run-dir", metavar="DIR", help="where to keep the run (default on a terminal: runs/TIME-SUITE)"
    )
    parser.add_argument(
        "--figures", type=_formats, default=("svg",), metavar="svg,png|none",
        help="figures in the run directory and in the HTML page (default: svg; needs the extra 'figures')",
    )  # fmt: skip
    add_output(parser, FORMATS)


def _formats(text: str) -> tuple[str, ...]:
    """``svg,png`` or ``none``."""
    from assay.report.figures import FORMATS as FIGURES

    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    if names == ("none",):
        return ()
    for name in names:
        if name not in FIGURES:
            raise argparse.ArgumentTypeError(f"{name!r} is not a figure format (svg, png, svg,png or none)")
    return names


def run(args: argparse.Namespace) -> int:
    """Run every suite; print, render or keep the tables."""
    import json

    from assay.api.suites import run as run_suite
    from assay.cli.options import column_map
    from assay.cli.output import emit, note, write
    from assay.report.data import plain, rows

    metrics = args.metrics if args.metrics is not None else ([] if args.metric_file else DEFAULT_METRICS)
    documents, shown, sections, kept = [], [], [], []
    _note_missing_figures(args)
    for suite in args.suites or ["embedded"]:
        started = time.monotonic()
        result = run_suite(
            suite,
            metrics,
            metric_files=args.metric_file,
            data_dir=args.data_dir,
            columns=column_map(args.columns),
            langpair=args.langpair,
            skip_bad=args.skip_bad,
            verify=args.verify,
            seed=args.seed,
            samples=args.samples,
            correction=args.correction,
            workers=args.workers,
        )
        chosen = _chosen(result, args)
        documents.append({"suite": result.suite, "tables": {table.name: rows(table) for table in chosen}})
        shown += chosen
        if args.format == "html":
            sections.append(result.section(chosen, figures=bool(args.figures)))
        for problem in result.problems:
            note(f"⚠ {problem}", args.quiet)
        kept += _keep(result, args, time.monotonic() - started)
    if args.format == "json":
        whole = documents[0] if len(documents) == 1 else {"suites": documents}
        write(json.dumps(plain(whole), ensure_ascii=False, indent=1, allow_nan=False) + "\n", args.out)
    elif args.format == "html":
        from assay.report.page import page

        write(page(sections, title=" ".join(["assay run", *args.suites])), args.out)
    else:
        emit(shown, args)
    for sentence in kept:
        note(sentence, args.quiet)
    return 0


def _note_missing_figures(args: argparse.Namespace) -> None:
    """Say once that there will be no figures, and what would bring them."""
    from assay.cli.output import note
    from assay.report.figures import available

    if args.figures and (args.format == "html" or _folder(args, "")) and not available():
        note("no figures: they need the extra 'figures': pip install 'mt-assay[figures]'", args.quiet)


def _chosen(result: SuiteResult, args: argparse.Namespace) -> list[Table]:
    from assay.core.errors import unknown

    if args.table:
        for name in args.table:
            if name not in result.tables:
                raise unknown(f"table of {result.suite}", name, result.tables)
        return [result.tables[name] for name in args.table]
    if args.format == "table" and not args.all and not args.out:
        return [result.table()]
    return list(result.tables.values())


def _folder(args: argparse.Namespace, suite: str) -> str | None:
    """Where this suite's run is kept, if at all: in a folder of its own where there are several suites."""
    from assay.cli.keeping import run_folder

    return f"{args.run_dir}/{suite}" if args.run_dir and len(args.suites) > 1 else run_folder(args, suite)


def _keep(result: SuiteResult, args: argparse.Namespace, seconds: float) -> list[str]:
    """Write the run directory, if there is to be one, and say so."""
    from assay.cli.keeping import keep

    folder = _folder(args, result.suite)
    if folder is None:
        return []
    return [keep(lambda path: result.write(path, args.figures), folder, seconds, asked=args.run_dir is not None)]
