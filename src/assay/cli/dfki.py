"""``assay dfki``: the test suite's outputs judged by rules, the rest decided by a person, items built from both."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from assay.cli.options import add_output, natural, positive
from assay.cli.output import Output, write
from assay.cli.reviewing import add_review, place
from assay.core.errors import InputError
from assay.report import FORMATS
from assay.verbs.dfki import DECISIONS, build, judge, review

SUMMARY = "Judge the DFKI test suite's outputs, decide what its rules leave open, and build challenge items."
EXAMPLES = """examples:
  assay dfki judge                       # pass, fail and open outputs
  assay dfki judge --table verdicts --format tsv --out verdicts.tsv
  assay dfki review --langpair de-en     # decide the open ones, a key each
  assay dfki review --page               # the same on a page in the browser
  assay dfki build --n 10000 --seed 7 --out items.jsonl
  assay run items.jsonl -m chrf

A decision is kept the moment a key is pressed (--decisions FILE, by default
dfki-decisions.jsonl here), and all three actions use it from then on."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument("action", choices=["judge", "review", "build"], help="what to do")
    parser.add_argument(
        "--langpair",
        choices=["de-en", "en-de", "en-ru"],
        help="the direction (default: both public ones; build: de-en)",
    )
    parser.add_argument("--data-dir", metavar="DIR", help="local copies of the suites (default: $ASSAY_DATA)")
    parser.add_argument("--decisions", metavar="FILE", help=f"people's decisions (default: {DECISIONS} where it is)")
    parser.add_argument("--skipped", action="store_true", help="review: ask again what was skipped before")
    parser.add_argument("--annotator", metavar="NAME", help="review: who decides (default: the user)")
    add_review(parser, "review")
    parser.add_argument("--systems", action="store_true", help="judge: a line for each system, too")
    parser.add_argument(
        "--table", choices=["judged", "phenomena", "verdicts"], default="judged",
        help="judge: outputs by system (default), pass rates by phenomenon, or the verdict of each output",
    )  # fmt: skip
    parser.add_argument(
        "--n", type=positive, metavar="N", help="build: how many (default: 10000, or all that there are if fewer)"
    )
    parser.add_argument("--seed", type=natural, default=12345, metavar="N", help="build: the seed (default: 12345)")
    add_output(parser, FORMATS)


def names_result(args: argparse.Namespace) -> bool:
    """Whether --out is the table of judgements; build writes items there, whatever the name."""
    return bool(args.action == "judge")


def run(args: argparse.Namespace) -> int:
    """Judge, review or build."""
    if args.action != "judge" and args.format != "table":
        raise InputError(f"--format goes with assay dfki judge; {args.action} has one form only.")
    output, kept = Output.of(args), args.decisions or (DECISIONS if Path(DECISIONS).is_file() else None)
    where: dict[str, Any] = {"data_dir": args.data_dir, "decisions": kept}
    if args.action == "judge":
        _judge(output, args.langpair, where, table=args.table, systems=args.systems)
    elif args.action == "review":
        _review(args, output, {**where, "decisions": kept or DECISIONS})
    else:
        _build(output, args.langpair or "de-en", where, n=args.n, seed=args.seed)
    return 0


def _judge(output: Output, langpair: str | None, where: dict[str, Any], *, table: str, systems: bool) -> None:
    result = judge(langpair, **where)
    if table == "judged":
        output.emit([result.table() if systems or output.format != "table" else result.totals()])
    else:
        output.emit([result.verdicts() if table == "verdicts" else result.pass_rates()])
    if where["decisions"]:
        output.note(f"with the decisions in {where['decisions']}")


def _review(args: argparse.Namespace, output: Output, where: dict[str, Any]) -> None:
    done = review(args.langpair, skipped=args.skipped, annotator=args.annotator, **place(args), **where)
    output.note(f"{done.decided:,} decided, {done.skipped:,} skipped, {done.left:,} left · kept in {done.path}")


def _build(output: Output, langpair: str, where: dict[str, Any], *, n: int | None, seed: int) -> None:
    built = build(langpair, n=n, seed=seed, **where)
    write(built.to_jsonl(), output.out)
    (row,) = built.table().rows
    told = f"{row['items']:,} items on {row['phenomena']} phenomena from {row['sentences']:,} sentences, seed {seed}"
    decided = f", with the decisions in {where['decisions']}" if where["decisions"] else ""
    then = f" · assay run {output.out} -m chrf" if output.out and output.out != "-" else ""
    output.note(f"{told}{decided}{then}")
