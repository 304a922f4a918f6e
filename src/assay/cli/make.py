"""``assay make``: challenge sets made from good translations."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.cli.corpus import (
    ShardsProgress,
    add_workers,
    corpus_group,
    engine_options,
    is_corpus,
    print_corpus,
    refuse_with_corpus,
    refuse_without_corpus,
)
from assay.cli.options import (
    add_columns,
    add_quiet,
    add_quoting,
    add_seed,
    column_map,
    langpair,
    pick,
    positive,
    table_file,
)
from assay.cli.output import Output
from assay.cli.parser import Help, Parser
from assay.cli.progress import Progress
from assay.cli.reviewing import add_review, review_settings
from assay.core.errors import InputError, count
from assay.report import TEXT_FORMATS
from assay.verbs.make import annotate, make
from assay.verbs.make_corpus import MadeCorpus
from assay.verbs.shared.made_set import card_path

HELP = Help(
    """Make a challenge set: turn good translations into incorrect ones, and record each change.

    assay make -p number-replaced -p word-swap --data demo --out set.jsonl
    assay run set.jsonl -m chrf -m bleu

    more examples:
      assay make -p demetr --data corpus.tsv --langpair de-en --n 1000 --seed 7 --out set.jsonl
      assay make --annotate --sample 60 --out set.jsonl
      assay make -p demetr corpus/ --langpair de-en --n 50 --out set/

    The input is a table with the good translations in the column mt and, if available, sources in src and references
    in ref.

    A perturbation is a name, a name with options (empty:stop=no) or a group: demetr, aces, smaug, hallucinations, all
    (assay list perturbations).

    A folder or a pattern of shards is processed shard by shard into --out FOLDER/, with at most --n items of each
    perturbation per shard.
    """,
    "files perturbations data columns langpair n words seed out annotate sample annotator format workers quiet",
)

SETTINGS = ("n", "seed", "words", "min_confidence", "pool")


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("files", nargs="*", type=table_file, metavar="FILE", help="input table, as with --data")
    parser.add_argument(
        "-p", "--perturbation", action="append", dest="perturbations", default=[], metavar="NAME",
        help="perturbation, with options after a colon; repeatable (assay list perturbations)",
    )  # fmt: skip
    group = parser.section("input")
    group.add_argument(
        "--data", type=table_file, metavar="FILE",
        help="table with columns such as mt, src, ref (docs/tables.md); 'demo' is a built-in example",
    )  # fmt: skip
    add_columns(group)
    add_quoting(group)
    group.add_argument(
        "--langpair", type=langpair, metavar="xx-yy", help="language pair of a table without that column"
    )
    parser.add_argument(
        "--n", type=positive, default=1000, metavar="N", help="items of each perturbation (default: 1000)"
    )
    parser.add_argument(
        "--words", type=_from_to, metavar="A-B", help="use only translations of A to B words (DEMETR: 15-25)"
    )
    parser.add_argument(
        "--min-confidence", type=_share, default=0.5, metavar="X",
        help="reject items if the perturbation is less confident; 0 accepts all (default: 0.5)",
    )  # fmt: skip
    parser.add_argument(
        "--pool", type=table_file, metavar="FILE", help="table to draw other sentences from (default: the input)"
    )
    add_seed(parser)
    parser.add_argument(
        "--workers", type=positive, metavar="N", help="number of processes (default: 1; for shards: all cores)"
    )
    parser.add_argument(
        "-o", "--out", metavar="FILE", required=True, help="challenge set (.jsonl); a data card is written next to it"
    )
    parser.add_argument(
        "--format", choices=TEXT_FORMATS, default="table", help="format of the summary (default: table)"
    )
    add_quiet(parser)
    review = parser.section("review")
    review.add_argument("--annotate", action="store_true", help="review the set: accept, reject or edit each item")
    review.add_argument("--sample", type=positive, metavar="N", help="review N items of each perturbation")
    review.add_argument("--annotator", metavar="NAME", help="store the decisions separately under this name")
    add_review(review)
    add_workers(corpus_group(parser))


def run(args: argparse.Namespace) -> int:
    """Make the set, review it, or both."""
    if args.files and args.data:
        raise InputError(f"specify the input as an argument ({args.files[0]}) or with --data, not both.")
    if is_corpus(args):
        return _make_corpus(args)
    refuse_without_corpus(args)
    if len(args.files) > 1:
        raise InputError(
            f"a challenge set is made from one input file, but there are {len(args.files)}. For several, use --out FOLDER/."
        )
    args.data = args.data or next(iter(args.files), None)
    output = Output(f"assay {args.verb}", args.format, quiet=args.quiet)
    if args.perturbations or args.data:
        if not args.data:
            raise InputError("assay make requires an input: --data FILE.")
        if Path(args.out).suffix != ".jsonl":
            raise InputError(
                f"a challenge set is written as JSON lines. Use --out {Path(args.out).with_suffix('.jsonl')}."
            )
        settings = pick(args, "langpair", "quoting", *SETTINGS) | {"columns": column_map(args.columns)}
        _make(output, args.perturbations, args.data, args.out, workers=args.workers or 1, **settings)
    elif not args.annotate:
        raise InputError("assay make requires a perturbation (-p number-replaced) or a group (-p demetr).")
    if args.annotate:
        _annotate(output, args.out, **pick(args, "sample", "seed", "annotator"), **review_settings(args))
    return 0


def _make(output: Output, perturbations: Sequence[str], data: str, out: str, **settings: Any) -> None:
    started = time.monotonic()
    with Progress("making", quiet=output.quiet) as progress:
        items = make(perturbations, data, out=out, progress=progress.add, **settings)
    for problem in items.problems:
        output.note(f"⚠ {problem}")
    if not output.quiet or output.format != "table":
        output.emit([items.table()])
    card = card_path(Path(out)).name
    output.note(f"wrote {out} ({count(len(items), 'item')}) and {card} · {time.monotonic() - started:.1f} s")


def _make_corpus(args: argparse.Namespace) -> int:
    """Make a set of every shard and print the table."""
    refuse_with_corpus(args)
    if not (args.files or args.data):
        raise InputError("assay make requires an input: assay make -p NAME corpus/ --out set/.")
    output, started = Output("assay make", args.format, quiet=args.quiet), time.monotonic()
    with ShardsProgress(quiet=args.quiet) as progress:
        result = make(
            args.perturbations, args.files or args.data, **pick(args, *SETTINGS), **engine_options(args, progress)
        )
    assert isinstance(result, MadeCorpus)
    print_corpus(result, args, output, started, None if output.quiet and output.format == "table" else result.table())
    return 0


def _from_to(text: str) -> tuple[int, int]:
    """Parse ``15-25``, a range of numbers."""
    first, dash, last = text.partition("-")
    if not dash or not first.isdecimal() or not last.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a range of numbers such as 15-25")
    return int(first), int(last)


def _share(text: str) -> float:
    """Parse a number between 0 and 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number between 0 and 1")
    return value


def _annotate(output: Output, path: str, **settings: Any) -> None:
    done = annotate(path, **settings)
    output.emit([table for name, table in done.tables.items() if name != "annotated"])
    output.note(
        f"{done.accepted:,} accepted, {done.edited:,} edited, {done.rejected:,} rejected, {done.left:,} left · "
        f"wrote {done.path}"
    )
