"""``assay check``: has a metric got worse than its card?"""

from __future__ import annotations

import argparse

from assay.cli.options import add_llm, add_output, add_trust
from assay.cli.output import Output
from assay.core.errors import CheckFailed, InputError
from assay.report import FORMATS
from assay.report.writing import write
from assay.verbs.check import check

SUMMARY = "Run a metric again and fail (exit 1) when it got worse than its card on any phenomenon: a gate for CI."
EXAMPLES = """examples:
  assay card chrf --suite embedded --format json --out card.json
  assay check --against card.json --tolerance 0.01
  assay check --against card.json --tolerance 0.01 --tolerance omission=0.03
  assay check --against card.json --summary summary.md

Figures are accuracies (0 to 1), taus (-1 to 1) or areas under the ROC curve
(0 to 1); higher is better for all of them. A phenomenon that is missing now, or
whose items are no longer scored, fails too. One that got better is mentioned."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument("--against", required=True, metavar="FILE", help="the card (assay card METRIC --format json)")
    parser.add_argument("-m", "--metric", metavar="METRIC", help="the metric to run (default: the card's)")
    parser.add_argument("--suite", action="append", metavar="SUITE", help="only this suite of the card; repeat")
    parser.add_argument("--data-dir", metavar="DIR", help="local copies of the suites (default: $ASSAY_DATA)")
    parser.add_argument(
        "--tolerance",
        action="append",
        default=[],
        metavar="X",
        help="how much worse is still well (default: 0); NAME=X for one suite or phenomenon",
    )
    add_trust(parser)
    parser.add_argument("--all", action="store_true", help="show every phenomenon, not only what changed")
    parser.add_argument(
        "--summary",
        metavar="FILE",
        help="write a Markdown summary here as well, whatever the --format (for a CI's page)",
    )
    add_llm(parser)
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Run again, compare, and name what got worse."""
    if args.summary and args.summary == (args.out or "-"):
        raise InputError("--summary and --out name the same file. Give another name to one of them.")
    tolerance, own = _tolerances(args.tolerance)
    result = check(
        args.against,
        args.metric,
        suites=args.suite,
        data_dir=args.data_dir,
        tolerance=tolerance,
        tolerances=own,
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


def _tolerances(given: list[str]) -> tuple[float, dict[str, float]]:
    """``0.01`` for all, ``NAME=0.03`` for one suite or phenomenon."""
    general, own = 0.0, {}
    for text in given:
        name, equals, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        if not 0 <= value < float("inf"):
            raise InputError(f"--tolerance takes a number such as 0.01, or NAME=0.01, not {text!r}.")
        if equals:
            own[name.strip()] = value
        else:
            general = value
    return general, own
