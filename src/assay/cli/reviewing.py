"""Options for review sessions in a terminal or on a web page."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from assay.cli.options import check_port, natural
from assay.cli.output import note, write_parts
from assay.verbs.shared.review_sessions import OnPage


def add_review(parser: argparse._ActionsContainer) -> None:
    """Add --page, --port and --no-open."""
    parser.add_argument("--page", action="store_true", help="review on a page in the browser instead of the terminal")
    parser.add_argument("--port", type=natural, default=0, metavar="N", help="port of the page (default: a free one)")
    parser.add_argument("--no-open", action="store_true", help="print the page's address without opening a browser")


def review_settings(args: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments for the review's user interface: ``stream`` and ``write``, or ``page``."""
    if not args.page:
        return {"stream": sys.stdin, "write": show}
    check_port(args.port)

    def announce(url: str) -> None:
        write_parts([f"{url}\n"], None)
        note("Click Finish on the page or press Ctrl-C to end the review", args.quiet)

    return {"page": OnPage(args.port, not args.no_open, announce)}


def show(text: str) -> None:
    """Print and flush: a prompt does not end with a newline."""
    sys.stdout.write(text)
    sys.stdout.flush()
