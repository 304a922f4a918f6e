"""``assay fetch``: download a suite, checkpoint, tokenizer or prompts. No other verb downloads files."""

from __future__ import annotations

import argparse

from assay.cli.options import add_quiet
from assay.cli.output import note
from assay.cli.parser import Help, Parser
from assay.cli.progress import DownloadProgress
from assay.verbs.fetch import fetch

HELP = Help("""Download the official files of a suite or a checkpoint; an interrupted download resumes.

    assay fetch demetr
    assay fetch comet-22

    Files are verified by SHA-256 if a checksum is known. No other verb downloads files.
""")


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "name", metavar="NAME",
        help="a suite, a metric (assay list), an encoder such as labse, flores101, flores200 or gemba",
    )  # fmt: skip
    parser.add_argument("--data-dir", metavar="DIR", help="folder to download to (default: the cache folder)")
    add_quiet(parser)


def run(args: argparse.Namespace) -> int:
    """Download, and print the folder."""
    with DownloadProgress(quiet=args.quiet) as progress:
        fetched = fetch(args.name, data_dir=args.data_dir, progress=progress.update)
    for warning in fetched.notes:
        note(f"⚠ {warning}")
    note(f"{fetched.name} is in {fetched.path}", args.quiet)
    return 0
