"""``assay dfki``: the test suite's outputs judged by rules, the rest decided by a person, items built from both."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.core.table import Table

SUMMARY = "Judge the DFKI test suite's outputs, decide what its rules leave open, and build challenge items."
EXAMPLES = """examples:
  assay dfki judge                       # pass, fail and open outputs
  assay dfki review --langpair de-en     # decide the open ones, a key each
  assay dfki build --n 10000 --seed 7 --out items.jsonl
  assay run items.jsonl -m chrf

A decision is kept the moment a key is pressed (--decisions FILE, by default
dfki-decisions.jsonl here), and all three actions use it from then on."""
DECISIONS = "dfki-decisions.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    from assay.cli.options import add_output, natural, positive
    from assay.report import FORMATS

    parser.add_argument("action", choices=["judge", "review", "build"], help="what to do")
    parser.add_argument("--langpair", choices=["de-en", "en-de"], help="the direction (default: both; build: de-en)")
    parser.add_argument("--data-dir", metavar="DIR", help="local copies of the suites (default: $ASSAY_DATA)")
    parser.add_argument("--decisions", metavar="FILE", help=f"people's decisions (default: {DECISIONS} where it is)")
    parser.add_argument("--skipped", action="store_true", help="review: ask again what was skipped before")
    parser.add_argument("--systems", action="store_true", help="judge: a line for each system, too")
    parser.add_argument("--n", type=positive, default=10_000, metavar="N", help="build: how many (default: 10000)")
    parser.add_argument("--seed", type=natural, default=12345, metavar="N", help="build: the seed (default: 12345)")
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Judge, review or build."""
    from assay.core.errors import InputError

    if args.action != "judge" and args.format != "table":
        raise InputError(f"--format goes with assay dfki judge; {args.action} has one form only.")
    return {"judge": _judge, "review": _review, "build": _build}[args.action](args)


def _decisions(args: argparse.Namespace) -> Path | None:
    """The file that was named, or the usual one when it is there."""
    from assay.core.errors import InputError

    if args.decisions:
        path = Path(args.decisions)
        if args.action != "review" and not path.is_file():
            raise InputError(f"there is no file {path}. assay dfki review --decisions {path} makes it.")
        return path
    return Path(DECISIONS) if Path(DECISIONS).is_file() else None


def _directions(args: argparse.Namespace) -> list[str]:
    return [args.langpair] if args.langpair else ["de-en", "en-de"]


def _judge(args: argparse.Namespace) -> int:
    from assay.api.dfki import judge_dfki, summary
    from assay.cli.output import emit, note

    path = _decisions(args)
    table = summary([judge_dfki(direction, args.data_dir, path) for direction in _directions(args)])
    emit([table if args.systems or args.format != "table" else _totals(table)], args)
    if path is not None:
        note(f"with the decisions in {path}", args.quiet)
    return 0


def _totals(table: Table) -> Table:
    """The lines of whole directions, with the number of systems that they sum up."""
    from dataclasses import replace

    from assay.core.table import TableColumn

    rows, notes = [], []
    for row in table.rows:
        if row["system"] == "all":
            systems = sum(other["langpair"] == row["langpair"] for other in table.rows) - 1
            rows.append({**row, "systems": systems})
            notes.append(
                f"{row['langpair']} open: both kinds of rule fired {row['both']:,}, neither {row['neither']:,}"
            )
    left_out = ("year", "system", "both", "neither")
    columns = [column for column in table.columns if column.key not in left_out]
    columns.insert(1, TableColumn("systems", kind="count"))
    return replace(table, columns=columns, rows=rows, notes=(*notes, *table.notes))


def _review(args: argparse.Namespace) -> int:
    from assay.api.dfki import judge_dfki
    from assay.cli.output import note
    from assay.review.decisions import Decisions
    from assay.review.screen import keys, review

    path = _decisions(args) or Path(DECISIONS)
    questions = [
        question
        for direction in _directions(args)
        for question in judge_dfki(direction, args.data_dir, path).questions()
    ]
    with keys(sys.stdin) as read:
        progress = review(questions, Decisions(path), read, _show, skipped=args.skipped)
    note(
        f"{progress.answered:,} decided, {progress.skipped:,} skipped, {progress.left:,} left · kept in {path}",
        args.quiet,
    )
    return 0


def _show(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _build(args: argparse.Namespace) -> int:
    from assay.api.dfki import items_as_jsonl, judge_dfki
    from assay.cli.output import note, write

    path = _decisions(args)
    built = judge_dfki(args.langpair or "de-en", args.data_dir, path).build(args.n, args.seed)
    write(items_as_jsonl(built), args.out)
    phenomena = len({item.phenomenon for item in built})
    sentences = len({item.meta["test_item"] for item in built})
    where = f" · assay run {args.out} -m chrf" if args.out and args.out != "-" else ""
    decided = f", with the decisions in {path}" if path is not None else ""
    note(
        f"{len(built):,} items on {phenomena} phenomena from {sentences:,} sentences, seed {args.seed}{decided}{where}",
        args.quiet,
    )
    return 0
