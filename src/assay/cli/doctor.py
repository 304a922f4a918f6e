"""``assay doctor``: what there is on this machine."""

from __future__ import annotations

import argparse

from assay.cli.options import add_output
from assay.cli.output import Output
from assay.report import FORMATS
from assay.verbs.doctor import doctor

SUMMARY = "What is installed and what it gives: packages and extras, GPU, caches and their sizes, data, versions."
EXAMPLES = """examples:
  assay doctor
  assay doctor --format json

Nothing is fetched or changed. A report of trouble does well to begin with it; assay selfcheck says whether the numbers are
right here."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    add_output(parser, FORMATS, workers=False)


def run(args: argparse.Namespace) -> int:
    """Look, and say."""
    Output.of(args).emit(list(doctor().tables.values()))
    return 0
