"""``assay fetch``: download a suite, with checksum and resume. The only verb that touches the network."""

from __future__ import annotations

import argparse

SUMMARY = (
    "Download a suite's official files: checked by sha256, resumed when broken off. Nothing else uses the network."
)
EXAMPLES = """examples:
  assay fetch demetr
  assay fetch aces --data-dir ~/mt-data"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument("name", help="the suite (assay list suites)")
    parser.add_argument("--data-dir", metavar="DIR", help="where to put it (default: the cache folder)")
    parser.add_argument("--quiet", action="store_true", help="no progress")


def run(args: argparse.Namespace) -> int:
    """Download, then say where it lies."""
    from assay.cli.output import note
    from assay.cli.progress import Bytes
    from assay.suites.fetch import fetch

    progress = Bytes(quiet=args.quiet)
    folder = fetch(args.name, args.data_dir, progress.at)
    progress.close()
    note(f"{args.name} is in {folder}", args.quiet)
    return 0
