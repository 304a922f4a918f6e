"""``assay doctor``: report on the installation."""

from __future__ import annotations

import argparse

from assay.cli.options import add_output
from assay.cli.output import Output
from assay.cli.parser import Help, Parser
from assay.report import FORMATS
from assay.verbs.doctor import doctor

HELP = Help("""Show what is installed: packages, extras, GPUs, caches and their sizes, data and versions.

    assay doctor
    assay doctor --format json

    Downloads and changes nothing. Include the output in a bug report. assay selfcheck verifies the numbers.
""")


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    add_output(parser, FORMATS, workers=False)


def run(args: argparse.Namespace) -> int:
    """Print the tables."""
    Output.of(args).emit(list(doctor().tables.values()))
    return 0
