"""``assay cite``: what to cite."""

from __future__ import annotations

import argparse

from assay.cli.options import add_output
from assay.cli.output import Output, write
from assay.verbs.cite import cite

SUMMARY = "What to cite for metrics, suites and methods, or for all that a run used; text or BibTeX."
EXAMPLES = """examples:
  assay cite bleu chrf demetr
  assay cite comet-22 --format bibtex
  assay cite compare -o references.bib     # a run directory does as well: assay cite runs/first

Without a name: assay itself. The signature that stands under a table belongs into a paper, too."""
FORMATS = ("table", "bibtex", "json", "jsonl", "tsv", "csv", "md")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="metrics, suites, analyses, methods, or runs")
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
