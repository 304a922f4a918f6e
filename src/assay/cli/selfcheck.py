"""``assay selfcheck``: do the same texts give the same numbers on this machine?"""

from __future__ import annotations

import argparse

from assay.cli.options import add_metrics, add_output
from assay.cli.output import Output
from assay.core.errors import CheckFailed, listing
from assay.report import FORMATS
from assay.verbs.selfcheck import selfcheck

SUMMARY = "Score built-in texts by every way there is and fail (exit 1) when a number moves further than it may."
EXAMPLES = """examples:
  assay selfcheck                        # every string metric that is ready, in a few seconds
  assay selfcheck -m chrf -m bleu:tokenize=zh
  assay selfcheck -m comet-22            # order, batch, precision, device: a network's drift

The ways are the order of the segments, the size of a batch, the number of workers, Python and the command
line, a network's precision and device, and the numbers of the original tools. A string metric must give the
same bits, a network the same numbers within its tolerance. The largest drift is kept, and assay list metrics
NAME shows it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    add_metrics(parser)
    add_output(parser, FORMATS, workers=False)


def run(args: argparse.Namespace) -> int:
    """Check, show every drift, and name what moved too far."""
    result = selfcheck(args.metrics)
    table = result.table("selfcheck" if args.format == "table" else "ways")
    Output.of(args).emit([table], head=result.head())
    if result.failed:
        raise CheckFailed(
            f"numbers move further than they may: {listing((one.sentence() for one in result.failures), 5)}."
        )
    return 0
