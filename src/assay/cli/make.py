"""``assay make``: challenge sets from your own sentences."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

SUMMARY = "Make a challenge set: incorrect translations from your own good ones, with exactly what was changed."
EXAMPLES = """examples:
  assay make -p number-replaced -p word-swap --data demo --out set.jsonl
  assay run set.jsonl -m chrf -m bleu                # where is a metric blind?
  assay make -p demetr --data corpus.tsv --langpair de-en --n 1000 --seed 7 --out set.jsonl
  assay make --annotate --out set.jsonl              # look through a set that was made: accept, reject, edit

The corpus is a table with the good translations in mt, beside src and ref where there are any. A perturbation is a name,
a name with options (empty:stop=no) or a group: demetr, aces, smaug, hallucinations, all (assay list perturbations)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    from assay.cli.options import langpair, natural, positive, table_file
    from assay.report import FORMATS

    parser.add_argument(
        "-p",
        "--perturbation",
        action="append",
        dest="perturbations",
        default=[],
        metavar="NAME",
        help="what to make; repeat for several",
    )
    parser.add_argument(
        "--data", type=table_file, metavar="FILE",
        help="the corpus: .tsv .csv .jsonl .parquet with columns mt, src, ref …; demo is one to try",
    )  # fmt: skip
    parser.add_argument(
        "--columns", metavar="NAME=COLUMN,…", help="which columns of --data to take, where the names differ"
    )
    parser.add_argument("--langpair", type=langpair, metavar="xx-yy", help="language pair of a corpus that has none")
    parser.add_argument(
        "--n", type=positive, default=1000, metavar="N", help="items of each perturbation (default: 1000)"
    )
    parser.add_argument("--seed", type=natural, default=12345, metavar="N", help="seed (default: 12345)")
    parser.add_argument("--workers", type=positive, default=1, metavar="N", help="processes to use (default: 1)")
    parser.add_argument("--out", metavar="FILE", required=True, help="the set (.jsonl); its data card goes beside it")
    parser.add_argument("--annotate", action="store_true", help="review the set: accept, reject or edit each item")
    parser.add_argument("--format", choices=FORMATS, default="table", help="of the summary (default: table)")
    parser.add_argument("--quiet", action="store_true", help="no progress, no notes")
    parser.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Make the set, review it, or both."""
    from assay.core.errors import InputError

    if args.perturbations or args.data:
        if not args.data:
            raise InputError("there is nothing to change: give the corpus with --data FILE.")
        if Path(args.out).suffix != ".jsonl":
            raise InputError(f"a set is written as JSON lines: --out {Path(args.out).with_suffix('.jsonl')}.")
        _make(args)
    elif not args.annotate:
        raise InputError("nothing to make: name a perturbation (-p number-replaced) or a group (-p demetr).")
    return _annotate(args) if args.annotate else 0


def _make(args: argparse.Namespace) -> None:
    from assay.api.make import card_path, make
    from assay.cli.options import column_map
    from assay.cli.output import note, write
    from assay.cli.progress import Progress
    from assay.report import render, terminal

    started = time.monotonic()
    progress = Progress("making", quiet=args.quiet)
    try:
        made = make(
            args.perturbations,
            args.data,
            langpair=args.langpair,
            columns=column_map(args.columns),
            n=args.n,
            seed=args.seed,
            workers=args.workers,
            out=args.out,
            progress=progress.add,
        )
    finally:
        progress.close()
    for problem in made.problems:
        note(f"⚠ {problem}", args.quiet)
    if not args.quiet or args.format != "table":
        write(render([made.table()], args.format, width=terminal.width_of(), colour=terminal.wants_colour()), None)
    card = card_path(Path(args.out)).name
    note(f"wrote {args.out} ({len(made):,} items) and {card} · {time.monotonic() - started:.1f} s", args.quiet)


def _annotate(args: argparse.Namespace) -> int:
    import sys

    from assay.api.annotate import annotate
    from assay.cli.output import note

    result = annotate(args.out, sys.stdin, sys.stdout.write)
    note(
        f"{result.accepted:,} accepted, {result.edited:,} edited, {result.rejected:,} rejected, {result.left:,} left · "
        f"wrote {result.path}",
        args.quiet,
    )
    return 0
