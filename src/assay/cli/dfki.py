"""``assay dfki``: judge the outputs of the DFKI test suite, review open ones, and build challenge items."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from assay.cli.options import add_data_dir, add_output, add_seed, positive
from assay.cli.output import Output, write
from assay.cli.parser import Help, Parser
from assay.cli.reviewing import add_review, review_settings
from assay.report import FORMATS
from assay.verbs.dfki import DECISIONS, build, judge, review

HELP = Help("""Judge the outputs of the DFKI test suite by its rules, review open cases, and build challenge items.

    assay dfki judge
    assay dfki build --n 10000 --seed 7 --out items.jsonl
""")
JUDGE = Help("""Judge each output by the rules of the test suite: pass, fail or open.

    assay dfki judge
    assay dfki judge --table verdicts --format tsv --out verdicts.tsv
""")
REVIEW = Help(f"""Decide the open outputs with one key each; every decision is saved at once (default: {DECISIONS}).

    assay dfki review --langpair de-en
    assay dfki review --page
""")
BUILD = Help("""Build challenge items from passed and failed outputs.

    assay dfki build --n 10000 --seed 7 --out items.jsonl
    assay run items.jsonl -m chrf
""")


def _add_common(parser: Parser, langpair: str) -> None:
    parser.add_argument(
        "--langpair", choices=["de-en", "en-de", "en-ru"], help=f"translation direction (default: {langpair})"
    )
    add_data_dir(parser)
    parser.add_argument(
        "--decisions", metavar="FILE", help=f"decisions of a review (default: {DECISIONS}, if it exists)"
    )


def add_judge(parser: Parser) -> None:
    """Add the arguments of ``assay dfki judge``."""
    _add_common(parser, "both public ones")
    parser.add_argument("--systems", action="store_true", help="add one row per system")
    parser.add_argument(
        "--table", choices=["judged", "phenomena", "verdicts"], default="judged",
        help="outputs by system (default), pass rates by phenomenon, or the verdict of each output",
    )  # fmt: skip
    add_output(parser, FORMATS, workers=False)


def add_reviewing(parser: Parser) -> None:
    """Add the arguments of ``assay dfki review``."""
    _add_common(parser, "both public ones")
    parser.add_argument("--skipped", action="store_true", help="ask again about skipped outputs")
    parser.add_argument("--annotator", metavar="NAME", help="name of the annotator (default: the user)")
    add_review(parser)
    add_output(parser, ("table",), workers=False)


def add_build(parser: Parser) -> None:
    """Add the arguments of ``assay dfki build``."""
    _add_common(parser, "de-en")
    parser.add_argument("--n", type=positive, metavar="N", help="number of items (default: 10000, or all if fewer)")
    add_seed(parser)
    add_output(parser, ("table",), workers=False)


MODES = {"judge": (JUDGE, add_judge), "review": (REVIEW, add_reviewing), "build": (BUILD, add_build)}


def names_result(args: argparse.Namespace) -> bool:
    """Return whether --out is rendered in --format, which applies only to the tables from judge."""
    return bool(args.action == "judge")


def run(args: argparse.Namespace) -> int:
    """Judge, review or build."""
    decisions = args.decisions or (DECISIONS if Path(DECISIONS).is_file() else None)
    settings: dict[str, Any] = {"data_dir": args.data_dir, "decisions": decisions}
    {"judge": _judge, "review": _review, "build": _build}[args.action](args, Output.of(args), settings)
    return 0


def _judge(args: argparse.Namespace, output: Output, settings: dict[str, Any]) -> None:
    result = judge(args.langpair, **settings)
    if args.table == "judged":
        output.emit([result.table() if args.systems or output.format != "table" else result.totals()])
    else:
        output.emit([result.verdicts() if args.table == "verdicts" else result.pass_rates()])
    if settings["decisions"]:
        output.note(f"including the decisions in {settings['decisions']}")


def _review(args: argparse.Namespace, output: Output, settings: dict[str, Any]) -> None:
    settings["decisions"] = settings["decisions"] or DECISIONS
    done = review(args.langpair, skipped=args.skipped, annotator=args.annotator, **review_settings(args), **settings)
    output.note(f"{done.decided:,} decided, {done.skipped:,} skipped, {done.left:,} left · saved in {done.path}")


def _build(args: argparse.Namespace, output: Output, settings: dict[str, Any]) -> None:
    built = build(args.langpair or "de-en", n=args.n, seed=args.seed, **settings)
    write(built.to_jsonl(), output.out)
    (row,) = built.table().rows
    size = (
        f"{row['items']:,} items on {row['phenomena']} phenomena from {row['sentences']:,} sentences, seed {args.seed}"
    )
    decided = f", including the decisions in {settings['decisions']}" if settings["decisions"] else ""
    then = f" · assay run {output.out} -m chrf" if output.out and output.out != "-" else ""
    output.note(f"{size}{decided}{then}")
