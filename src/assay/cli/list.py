"""``assay list``: what there is."""

from __future__ import annotations

import argparse

SUMMARY = "List metrics, suites, analyses, perturbations, tasks or translators, with what they need and what they mean."
EXAMPLES = """examples:
  assay list                       # how much there is of everything
  assay list metrics
  assay list metrics bleu          # one metric: its card and its options
  assay list suites demetr         # one suite, and how to get its data
  assay list perturbations         # name by language: on, off by default, or what to install"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    from assay.cli.options import add_output
    from assay.report import FORMATS
    from assay.verbs.list import KINDS

    parser.add_argument("what", nargs="?", choices=list(KINDS), metavar="WHAT", help=", ".join(KINDS))
    parser.add_argument("name", nargs="?", metavar="NAME", help="one of them, in full")
    add_output(parser, FORMATS, workers=False)


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    from assay.cli.output import Output
    from assay.verbs.list import listing

    Output.of(args).emit([listing(args.what, args.name).table()])
    return 0
