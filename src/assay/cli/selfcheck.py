"""``assay selfcheck``: verify that this installation reproduces the reference scores."""

from __future__ import annotations

import argparse

from assay.cli.options import add_metrics, add_output
from assay.cli.output import Output
from assay.cli.parser import Help, Parser
from assay.core.errors import CheckFailed, listing
from assay.report import FORMATS
from assay.verbs.selfcheck import selfcheck

HELP = Help(
    """Verify that this installation reproduces the reference scores, and fail (exit 1) if a score deviates.

    assay selfcheck
    assay selfcheck -m chrf -m bleu:tokenize=zh

    more examples:
      assay selfcheck -m comet-22

    Built-in texts are scored in several orders, batch sizes and numbers of workers, from Python and the command line,
    with every precision and device of a neural metric, and compared with the scores of the original tools. String
    metrics must agree exactly, neural metrics within their tolerance. assay list metrics NAME shows the largest
    deviation found on this machine.
    """,
    "metrics format out quiet",
)


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    add_metrics(parser)
    add_output(parser, FORMATS, workers=False)


def run(args: argparse.Namespace) -> int:
    """Check, print every deviation, and fail if one exceeds its tolerance."""
    result = selfcheck(args.metrics)
    table = result.table("selfcheck" if args.format == "table" else "ways")
    Output.of(args).emit([table], head=result.head())
    if result.failed:
        raise CheckFailed(
            f"some scores deviate by more than their tolerance: {listing((failure.sentence() for failure in result.failures), 5)}."
        )
    return 0
