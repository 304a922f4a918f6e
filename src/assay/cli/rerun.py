"""``assay rerun``: repeat a run from its manifest and compare the numbers."""

from __future__ import annotations

import argparse

from assay.cli.options import add_llm, add_output, add_trust
from assay.cli.output import Output
from assay.cli.parser import Help, Parser
from assay.core.errors import CheckFailed
from assay.report import FORMATS
from assay.verbs.rerun import rerun

HELP = Help(
    """Repeat a run from its manifest and fail (exit 1) if a number differs.

    assay score -m chrf --data demo --run-dir first
    assay rerun first

    more examples:
      assay rerun demo.json
      assay rerun theirs --folder .

    A manifest records the command line, all arguments, the seed, the hashes of the inputs and the versions of the
    software. It is part of a run directory, or next to a file of --out. rerun writes nothing and does not use the
    score store. The manifest may name registered metrics and suites only, unless --trust allows module:name and paths
    of checkpoints.
    """,
    "run_of folder trust format out workers quiet",
)


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("run_of", metavar="RUN", help="a run directory, a manifest, or a file written by --out")
    parser.add_argument("--folder", metavar="DIR", help="base folder of relative paths (default: that of the run)")
    add_trust(parser, "the manifest")
    add_llm(parser)
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Repeat the run, compare, and fail if a number differs."""
    output = Output.of(args)
    result = rerun(args.run_of, folder=args.folder, trust=bool(args.trust), workers=args.workers)
    output.emit([result.table()], head=result.head())
    if not result.equal:
        first = next(comparison for comparison in result.compared if not comparison.equal)
        why = " The inputs have changed since the run." if result.changed else ""
        raise CheckFailed(f"the numbers differ: {first.name}{f', {first.where}' if first.where else ''}.{why}")
    return 0
