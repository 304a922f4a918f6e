"""``assay list``: the available metrics, suites, analyses, perturbations, tasks and translators."""

from __future__ import annotations

import argparse
from dataclasses import replace

from assay.cli.options import add_output
from assay.cli.output import Output
from assay.cli.parser import Help, Parser
from assay.report import FORMATS
from assay.report.terminal import width_of
from assay.verbs.list import KINDS, listing

HELP = Help("""List metrics, suites, analyses, perturbations, tasks or translators, or show one in full.

    assay list metrics
    assay list metrics bleu

    more examples:
      assay list
      assay list suites demetr
      assay list perturbations
""")
WIDE = 120
"""Terminal width from which the list of metrics has a column with descriptions."""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("what", nargs="?", choices=list(KINDS), metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("name", nargs="?", metavar="NAME", help="show this one in full")
    add_output(parser, FORMATS, workers=False)


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    output, table = Output.of(args), listing(args.what, args.name).table()
    if args.what == "metrics" and not args.name and output.on_screen and (width_of() or WIDE) < WIDE:
        table = replace(table, columns=[replace(one, hidden=one.hidden or one.key == "about") for one in table.columns])
    output.emit([table])
    return 0
