"""Where a review is held: on this terminal, or on a page."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from assay.cli.options import check_port, natural
from assay.cli.output import note, write_pieces
from assay.verbs.reviewing import OnPage


def add_review(parser: argparse.ArgumentParser, goes_with: str) -> None:
    """The options of a review that may be held on a page; `goes_with` is what asks for the review."""
    parser.add_argument("--page", action="store_true", help=f"{goes_with}: on a page in the browser, not here")
    parser.add_argument(
        "--port", type=natural, default=0, metavar="N", help="with --page: the port (default: a free one)"
    )
    parser.add_argument("--no-open", action="store_true", help="with --page: print the address, and open no browser")


def place(args: argparse.Namespace) -> dict[str, Any]:
    """How the verb is told where to ask: ``stream`` and ``write``, or ``page``."""
    if not args.page:
        return {"stream": sys.stdin, "write": show}

    check_port(args.port)

    def told(url: str) -> None:
        write_pieces([f"{url}\n"], None)
        note("Finish on the page, or Ctrl-C, ends the review", args.quiet)

    return {"page": OnPage(args.port, not args.no_open, told)}


def show(text: str) -> None:
    """Print at once: a prompt has no line end that would make a terminal show it."""
    sys.stdout.write(text)
    sys.stdout.flush()
