"""``assay view``: runs on a page in the browser."""

from __future__ import annotations

import argparse

from assay.cli.options import check_port, column_map, natural
from assay.cli.output import note, write_pieces
from assay.core.errors import InputError, count
from assay.verbs.view import view

SUMMARY = "Look at runs in the browser: systems, segments with their errors marked, and where a metric is blind."
EXAMPLES = """examples:
  assay view runs/
  assay view scores.jsonl --no-open
  assay view runs/demetr --out demetr.html
  assay view texts.tsv --annotate mqm.jsonl --annotator anna    # mark errors by MQM; assay campaign and spans read the file

Takes run directories (assay run keeps one), folders of them, or a table with one row per segment, such as assay score -o x.jsonl
writes; --columns says which column is which where the names differ. The page is served to this machine alone, at an address
with a token; Ctrl-C ends it. With --out the page is one file that needs no server, for up to 50,000 rows. With --annotate the page
asks for errors, their category and severity in each translation; each is on the disk when the page says so, and a .tsv is written
in Google's MQM form."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument(
        "runs", nargs="*", metavar="RUN", help="run directories, folders of them, or tables (default: runs/)"
    )
    parser.add_argument("--out", metavar="FILE", help="write the page as one file, and start no server")
    parser.add_argument("--annotate", metavar="FILE", help="mark errors by MQM, kept in this .jsonl or .tsv")
    parser.add_argument("--annotator", metavar="NAME", help="with --annotate: who marks them (default: the user)")
    parser.add_argument(
        "--columns",
        metavar="NAME=COLUMN,…",
        help="which columns of a table to take, where names differ: ref=Post-edited",
    )
    parser.add_argument("--port", type=natural, default=0, metavar="N", help="the port (default: a free one)")
    parser.add_argument("--no-open", action="store_true", help="print the address, and open no browser")
    parser.add_argument("--quiet", action="store_true", help="no notes")
    parser.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted, or write the file."""
    check_port(args.port)
    if args.out and not args.out.lower().endswith((".html", ".htm")):
        raise InputError(f"--out {args.out}: the page is HTML, so end its name in .html.")
    with view(
        args.runs, out=args.out, annotate=args.annotate, annotator=args.annotator, columns=column_map(args.columns),
        port=args.port, browser=not args.no_open,
    ) as made:  # fmt: skip
        for problem in made.notes:
            note(f"⚠ {problem}", args.quiet)
        if made.out is not None:
            size = made.out.stat().st_size / 1e6
            note(f"wrote {made.out} ({count(len(made.table().rows), 'run')}, {size:.1f} MB)", args.quiet)
            return 0
        write_pieces([f"{made.url}\n"], None)
        shown = count(len(made.table().rows), "run")
        note(f"{shown if not args.annotate else f'annotations go to {args.annotate}'} · Ctrl-C ends it", args.quiet)
        try:
            made.wait()
        except KeyboardInterrupt:
            return 0
    return 0
