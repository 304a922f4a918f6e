"""``assay list``: what there is."""

from __future__ import annotations

import argparse
from dataclasses import replace

from assay.cli.options import add_output
from assay.cli.output import Output
from assay.report import FORMATS
from assay.report.terminal import width_of
from assay.verbs.list import KINDS, listing

SUMMARY = "List metrics, suites, analyses, perturbations, tasks or translators, with what they need and what they mean."
EXAMPLES = """examples:
  assay list                       # how much there is of everything
  assay list metrics
  assay list metrics bleu          # one metric: its card and its options
  assay list suites demetr         # one suite, and how to get its data
  assay list perturbations         # name by language: on, off by default, or what to install"""

WIDE = 120
"""Columns from which on a terminal has room for what a metric means beside its state; on others each has its line without."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument("what", nargs="?", choices=list(KINDS), metavar="WHAT", help=", ".join(KINDS))
    parser.add_argument("name", nargs="?", metavar="NAME", help="one of them, in full")
    add_output(parser, FORMATS, workers=False)


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    output, table = Output.of(args), listing(args.what, args.name).table()
    if args.what == "metrics" and not args.name and output.on_screen and (width_of() or WIDE) < WIDE:
        table = replace(table, columns=[replace(one, hidden=one.hidden or one.key == "about") for one in table.columns])
    output.emit([table])
    return 0
