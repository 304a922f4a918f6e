"""``assay cache``: what the score store holds, and emptying it."""

from __future__ import annotations

import argparse

from assay.cli.options import add_output
from assay.cli.output import Output
from assay.core.errors import count
from assay.report import FORMATS
from assay.verbs.cache import clear, info

SUMMARY = "Look at the score store and the progress files of unfinished runs, or empty them."
EXAMPLES = """examples:
  assay cache info
  assay cache clear"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument("action", choices=["info", "clear"])
    parser.add_argument(
        "--answers", action="store_true", help="clear: the answers of language models too, which were paid for"
    )
    add_output(parser, FORMATS, workers=False)


def run(args: argparse.Namespace) -> int:
    """Show or clear."""
    output = Output.of(args)
    if args.action == "clear":
        cleared = clear(answers=args.answers)
        output.note(f"cleared {cleared.folder} ({count(cleared.unfinished, 'unfinished run')})")
    else:
        output.emit([info().table()])
    return 0
