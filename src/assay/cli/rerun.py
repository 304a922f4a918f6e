"""``assay rerun``: a run done again, and whether the numbers are equal."""

from __future__ import annotations

import argparse

from assay.cli.options import add_llm, add_output, add_trust
from assay.cli.output import Output
from assay.core.errors import CheckFailed
from assay.report import FORMATS
from assay.verbs.rerun import rerun

SUMMARY = "Do a run again from its manifest and say whether the numbers are equal (exit 1 when they are not)."
EXAMPLES = """examples:
  assay score -m chrf --data demo --run-dir first
  assay rerun first
  assay rerun demo.json                    # a file of --out: its manifest lies beside it
  assay rerun theirs --folder .            # the run's files lie here now

A manifest keeps the command line, every argument, the seed, the inputs with their hashes and the versions of what was used.
Nothing is written, and nothing is taken from the score store. Metrics and suites of a manifest must be registered ones:
--trust lets in module:name and paths of checkpoints."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument("run_of", metavar="RUN", help="a run directory, a manifest, or a file that --out wrote")
    parser.add_argument(
        "--folder", metavar="DIR", help="where the run's relative paths start (default: where it was made)"
    )
    add_trust(parser)
    add_llm(parser)
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Run again, compare, and say what differs."""
    output = Output.of(args)
    result = rerun(args.run_of, folder=args.folder, trust=bool(args.trust), workers=args.workers)
    output.emit([result.table()], head=result.head())
    if not result.equal:
        wrong = next(one for one in result.compared if not one.equal)
        why = " Inputs have changed since." if result.changed else ""
        raise CheckFailed(f"the numbers are not equal: {wrong.name}{f', {wrong.where}' if wrong.where else ''}.{why}")
    return 0
