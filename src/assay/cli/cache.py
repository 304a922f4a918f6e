"""``assay cache``: show and clear the score store."""

from __future__ import annotations

import argparse

from assay.cli.options import add_output
from assay.cli.output import Output
from assay.cli.parser import Help, Parser
from assay.core.errors import count
from assay.report import FORMATS
from assay.verbs.cache import clear, info

HELP = Help("""Show or delete stored scores, responses of language models and progress files of unfinished runs.

    assay cache show
    assay cache clear
""")
SHOW = Help("""Show the size and the contents of the score store.

    assay cache show
    assay cache show --format json
""")
CLEAR = Help("""Delete stored scores and progress files.

    assay cache clear
    assay cache clear --answers
""")


def add_show(parser: Parser) -> None:
    """Add the arguments of ``assay cache show``."""
    add_output(parser, FORMATS, workers=False)


def add_clear(parser: Parser) -> None:
    """Add the arguments of ``assay cache clear``."""
    parser.add_argument(
        "--answers", action="store_true", help="also delete the responses of language models, which you paid for"
    )
    add_show(parser)


MODES = {"show": (SHOW, add_show, "info"), "clear": (CLEAR, add_clear)}


def run(args: argparse.Namespace) -> int:
    """Show or clear the cache."""
    output = Output.of(args)
    if args.action == "clear":
        cleared = clear(answers=args.answers)
        output.note(f"cleared {cleared.folder} ({count(cleared.unfinished, 'unfinished run')})")
    else:
        output.emit([info().table()])
    return 0
