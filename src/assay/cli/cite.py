"""``assay cite``: citations for metrics, suites, methods and runs."""

from __future__ import annotations

import argparse

from assay.cli.options import add_output
from assay.cli.output import Output, write
from assay.cli.parser import Help, Parser
from assay.verbs.cite import cite

HELP = Help("""Print what to cite for metrics, suites and methods, or for everything that a run used.

    assay cite bleu chrf demetr
    assay cite comet-22 --format bibtex

    more examples:
      assay cite compare -o references.bib
      assay cite runs/demetr

    Without a name: the citation of assay. A paper should also report the metric's signature, which is printed under
    each table.
""")
FORMATS = ("table", "bibtex", "json", "jsonl", "tsv", "csv", "md")


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="metrics, suites, analyses, methods or run directories"
    )
    add_output(parser, FORMATS, workers=False)


def run(args: argparse.Namespace) -> int:
    """Print the citations."""
    output, result = Output.of(args), cite(*args.names)
    if args.format == "bibtex":
        write(result.bibtex, output.out)
    elif args.format == "table":
        write(result.text, output.out)
    else:
        output.emit([result.table()])
    for note in result.notes:
        output.note(f"⚠ {note}")
    return 0
