"""``assay view``: runs on a web page."""

from __future__ import annotations

import argparse

from assay.cli.options import add_columns, add_quiet, check_port, column_map, natural
from assay.cli.output import note, write_parts
from assay.cli.parser import Help, Parser
from assay.core.errors import InputError, count
from assay.verbs.view import view

HELP = Help("""View runs in the browser: systems, segments with marked errors, and phenomena that a metric misses.

    assay run -m chrf --run-dir runs/first
    assay view runs/

    more examples:
      assay view scores.jsonl --no-open
      assay view runs/demetr --out demetr.html
      assay view texts.tsv --annotate mqm.jsonl --annotator anna

    The page is served to this machine only, at an address with a token. --out writes it as one file that requires no
    server, for up to 50,000 rows.

    --annotate asks for the errors of each translation with category and severity, and saves each annotation at once.
    A .tsv file has Google's MQM format. assay campaign and assay spans read both.
""")


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "runs", nargs="*", metavar="RUN",
        help="run directories, folders of them, or tables with one row per segment (default: runs/)",
    )  # fmt: skip
    parser.add_argument("--out", metavar="FILE", help="write the page as one HTML file without starting a server")
    parser.add_argument("--annotate", metavar="FILE", help="annotate errors by MQM, saved in this .jsonl or .tsv file")
    parser.add_argument("--annotator", metavar="NAME", help="name of the annotator (default: the user)")
    add_columns(parser)
    parser.add_argument("--port", type=natural, default=0, metavar="N", help="port of the page (default: a free one)")
    parser.add_argument("--no-open", action="store_true", help="print the address without opening a browser")
    add_quiet(parser)


def run(args: argparse.Namespace) -> int:
    """Serve the page until interrupted, or write it to a file."""
    check_port(args.port)
    if args.out and not args.out.lower().endswith((".html", ".htm")):
        raise InputError(f"--out {args.out}: the page is written as HTML. Use a file name that ends in .html.")
    with view(
        args.runs, out=args.out, annotate=args.annotate, annotator=args.annotator, columns=column_map(args.columns),
        port=args.port, browser=not args.no_open,
    ) as page:  # fmt: skip
        for problem in page.notes:
            note(f"⚠ {problem}", args.quiet)
        runs = count(len(page.table().rows), "run")
        if page.out is not None:
            note(f"wrote {page.out} ({runs}, {page.out.stat().st_size / 1e6:.1f} MB)", args.quiet)
            return 0
        write_parts([f"{page.url}\n"], None)
        note(
            f"{f'annotations are saved in {args.annotate}' if args.annotate else runs} · press Ctrl-C to stop",
            args.quiet,
        )
        try:
            page.wait()
        except KeyboardInterrupt:
            return 0
    return 0
