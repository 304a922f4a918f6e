"""``assay fetch``: download a suite or a tokenizer, with checksum and resume. The only verb that touches the network."""

from __future__ import annotations

import argparse

from assay.cli.output import note
from assay.cli.progress import Bytes
from assay.verbs.fetch import fetch

SUMMARY = (
    "Download a suite's official files or a checkpoint: checked by sha256 where one is known, resumed when broken off. "
    "Nothing else uses the network."
)
EXAMPLES = """examples:
  assay fetch demetr
  assay fetch aces --data-dir ~/mt-data
  assay fetch comet-22"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument(
        "name",
        help="a suite (assay list suites), a metric (assay list metrics), an encoder (labse …), flores101, flores200, or gemba",
    )
    parser.add_argument(
        "--data-dir",
        metavar="DIR",
        help="where to put a suite, a checkpoint or prompts (default: the cache folder)",
    )
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="no progress; what could not be verified is still said"
    )


def run(args: argparse.Namespace) -> int:
    """Download, then say where it lies."""
    progress = Bytes(quiet=args.quiet)
    try:
        fetched = fetch(args.name, data_dir=args.data_dir, progress=progress.at)
    finally:
        progress.close()
    for sentence in fetched.notes:
        note(f"⚠ {sentence}")
    note(f"{fetched.name} is in {fetched.path}", args.quiet)
    return 0
