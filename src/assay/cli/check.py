"""``assay check``: fail if a metric became worse than its card."""

from __future__ import annotations

import argparse

from assay.cli.options import add_data_dir, add_llm, add_output, add_trust
from assay.cli.output import Output
from assay.cli.parser import Help, Parser
from assay.core.errors import CheckFailed, InputError
from assay.report import FORMATS
from assay.report.writing import write
from assay.verbs.check import check

HELP = Help(
    """Run a metric again and fail (exit 1) if it became worse than its card on any phenomenon, as a check in CI.

    assay card chrf --suite embedded --format json --out card.json
    assay check --against card.json --tolerance 0.01

    more examples:
      assay check --against card.json --tolerance 0.01 --tolerance omission=0.03
      assay check --against card.json --summary summary.md

    The values are accuracies (0 to 1), taus (-1 to 1) or areas under the ROC curve (0 to 1); higher is better for all
    of them. The check also fails if a phenomenon is missing or its items no longer get a score. Improvements are
    reported.
    """,
    "against metric suite data_dir tolerance trust all summary format out workers quiet",
)


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("--against", required=True, metavar="FILE", help="card, from assay card METRIC --format json")
    parser.add_argument("-m", "--metric", metavar="METRIC", help="metric to run (default: the metric of the card)")
    parser.add_argument("--suite", action="append", metavar="SUITE", help="only this suite of the card; repeatable")
    add_data_dir(parser)
    parser.add_argument(
        "--tolerance", action="append", default=[], metavar="X",
        help="accepted decrease (default: 0); NAME=X for one suite or phenomenon; repeatable",
    )  # fmt: skip
    add_trust(parser, "the card")
    parser.add_argument("--all", action="store_true", help="show every phenomenon, not only changed ones")
    parser.section("output").add_argument(
        "--summary", metavar="FILE", help="also write a summary in Markdown, for the page of a CI job"
    )
    add_llm(parser)
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Run the metric, compare, and fail if it became worse."""
    if args.summary and args.summary == (args.out or "-"):
        raise InputError("--summary and --out name the same file. Choose a different file for one of them.")
    tolerance, by_name = _tolerances(args.tolerance)
    result = check(
        args.against,
        args.metric,
        suites=args.suite,
        data_dir=args.data_dir,
        tolerance=tolerance,
        tolerances=by_name,
        workers=args.workers,
        trust=bool(args.trust),
    )
    everything = args.all or args.format != "table"
    Output.of(args).emit([result.table("phenomena" if everything else "check")], head=result.head())
    if args.summary:
        write(result.summary(), args.summary)
    if result.failed:
        raise CheckFailed(f"{result.sentence()}.")
    return 0


def _tolerances(texts: list[str]) -> tuple[float, dict[str, float]]:
    """Parse ``0.01``, the general tolerance, and ``NAME=0.03``, the tolerance for one suite or phenomenon."""
    general, by_name = 0.0, {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        if not 0 <= value < float("inf"):
            raise InputError(f"--tolerance requires a number such as 0.01, or NAME=0.01, not {text!r}.")
        if equals:
            by_name[name.strip()] = value
        else:
            general = value
    return general, by_name
