"""``assay compare``: differences between systems, with confidence intervals and significance."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from assay.cli.options import (
    add_by,
    add_components,
    add_correction,
    add_estimate,
    add_flags,
    add_metrics,
    add_output,
    add_resampling,
    add_texts,
    natural,
    positive,
)
from assay.cli.output import Output, write
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
from assay.report import FORMATS

if TYPE_CHECKING:
    from assay.core.table import Table
    from assay.verbs.compare import Comparison
    from assay.verbs.shared.request import TextRequest

HELP = Help(
    """Compare systems: scores, differences with 95% confidence intervals, and paired significance tests.

    assay compare --data demo
    assay compare -m chrf -m ter --data demo --worst 5

    more examples:
      assay compare -m chrf,bleu,ter --mt Online=online.de Ours=ours.de --ref ref.de
      assay compare -m chrf --data outputs.tsv --baseline online --by domain --worst 5
      assay compare -m chrf --data outputs.tsv --pairs --format json

    The tests compare each system with the baseline. The same seed gives the p-values of sacrebleu. A system is marked
    as better (*) or worse (!) if all tests agree and p < 0.05. No conclusion is drawn from fewer than 10 segments.
    """,
    "files metrics mt ref src data columns langpair testset baseline by worst changed pairs format out run_dir "
    "workers quiet",
)
DATA = ("csv", "tsv", "jsonl")
"""Formats in which the table of systems includes the differences."""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    add_metrics(parser)
    add_texts(parser, bare=True)
    add_output(parser, FORMATS)
    parser.add_argument("--baseline", metavar="SYSTEM", help="system to test against (default: the first)")
    parser.add_argument("--pairs", action="store_true", help="also compare every pair of systems")
    add_by(parser)
    parser.add_argument(
        "--worst", type=positive, default=0, metavar="N", help="also show the N worst segments per system"
    )
    parser.add_argument(
        "--changed", type=positive, default=0, metavar="N",
        help="also show the N segments that differ most from the baseline",
    )  # fmt: skip
    parser.add_argument("--sort-by", metavar="METRIC", help="metric that selects these segments (default: the first)")
    add_flags(parser)
    add_resampling(parser)
    group = parser.section("statistics")
    group.add_argument(
        "--trials", type=natural, default=10_000, metavar="N", help="randomization trials; 0 for none (default: 10000)"
    )
    add_correction(group, "holm")
    add_run_dir(parser)
    add_appearance(parser)
    add_components(parser)
    add_estimate(parser)


def run(args: argparse.Namespace) -> int:
    """Score every system, then test the differences."""
    from assay.verbs.shared.live_progress import live

    with_rows = bool(args.run_dir) or args.format == "html"
    output, request, started = Output.of(args), text_request(args, rows=with_rows), time.monotonic()
    if args.estimate:
        return print_estimate(request, output)
    with live(args.run_dir, "compare", request.metrics, request.rows):
        _compare(args, request, output, started)
    return 0


def _compare(args: argparse.Namespace, request: TextRequest, output: Output, started: float) -> None:
    from assay.verbs.compare import compare_request

    with rows_progress(request, args.quiet) as progress:
        result = compare_request(
            request, baseline=args.baseline, flags=args.flags, samples=args.samples, trials=args.trials, seed=args.seed,
            correction=args.correction, pairs=args.pairs, by=args.by, worst=args.worst, changed=args.changed,
            sort_by=args.sort_by, texts=bool(args.run_dir) or args.format == "html", workers=args.workers, progress=progress.add,
        )  # fmt: skip
    with result:
        if args.format == "json":
            output.emit_json(result.to_dict())
        elif args.format == "html":
            from assay.verbs.shared.pages import page_of

            write(page_of([result]), args.out)
        else:
            output.emit(_tables(result, output, args))
        save_run(result, args, output, started)
    finish(result, output)


def _tables(result: Comparison, output: Output, args: argparse.Namespace) -> list[Table]:
    """Return the tables to show, with the signatures below the last table about systems."""
    left_out = ("components", "differences") if output.format in DATA else ("components",)
    tables = [table for name, table in result.tables.items() if name not in left_out]
    signed = 1 if len(tables) > 1 and tables[1].name == "differences" else 0
    signed_tables = [
        with_signatures(table, result.signatures if i == signed else {}, args, output) for i, table in enumerate(tables)
    ]
    return [*signed_tables, *chosen_components(result, args)]
