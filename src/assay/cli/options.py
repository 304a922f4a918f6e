"""Options that have the same meaning in every verb."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from assay.cli.parser import Parser
from assay.core.errors import InputError
from assay.core.langpair import plain_pair

CORRECTIONS = ("holm", "benjamini-hochberg", "bonferroni", "none")
JUDGED = "judged.jsonl"
QUOTING = ("auto", "csv", "none")
SEED = 12345


class Specs(argparse.Action):
    """Action that splits ``chrf,bleu:tokenize=zh,ter`` into three specs and appends them."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        """Split and append."""
        from assay.core.spec import split

        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), *split(values)])


class References(argparse.Action):
    """Action that appends reference files; `after_ref` collects the files after the first one of each ``--ref``."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        """Append the files."""
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), *values])
        namespace.after_ref = [*getattr(namespace, "after_ref", ()), *values[1:]]


def add_metrics(parser: Parser) -> None:
    """Add -m/--metric and the options of LLM judges."""
    parser.add_argument(
        "-m", "--metric", action=Specs, dest="metrics", default=None, metavar="METRIC",
        help="metric, with options after a colon: chrf, bleu:tokenize=zh; repeatable (see assay list metrics)",
    )  # fmt: skip
    add_llm(parser)


def add_llm(parser: Parser) -> None:
    """Add the options for metrics that query a language model."""
    group = parser.section(
        "LLM judges", "for judge-mqm, judge-da, gemba-mqm, judge:prompt=FILE …; $ASSAY_LLM_KEY holds the key"
    )
    for option, kind, metavar, text in (
        ("endpoint", str, "URL", "OpenAI-compatible endpoint, such as http://localhost:8000/v1"),
        ("llm", str, "MODEL", "name of the model at the endpoint"),
        ("price", _price, "IN,OUT", "price per million input and output tokens"),
        ("max-cost", float, "N", "budget: stop before the cost exceeds N"),
        ("max-requests", positive, "N", "stop after N requests"),
        ("rpm", float, "N", "rate limit: requests per minute"),
        ("concurrency", positive, "N", "concurrent requests (default: 8)"),
        ("timeout", float, "S", "seconds to wait for a response (default: 120)"),
        ("retries", natural, "N", "retries after status 429 or 5xx, or no response (default: 6)"),
    ):
        group.add_argument(f"--{option}", type=kind, metavar=metavar, help=text)
    group.add_argument("--stream", action="store_true", default=None, help="request streamed responses")
    group.add_argument(
        "--no-keep", action="store_false", dest="keep_answers", default=None, help="do not use the response cache"
    )


def add_estimate(parser: Parser) -> None:
    """Add --estimate."""
    parser.section("LLM judges").add_argument(
        "--estimate", action="store_true", help="dry run: estimate requests, tokens and cost without calling the model"
    )


def llm_settings(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of `add_llm` as arguments of `assay.llm`; empty for a verb without metrics."""
    names = ("endpoint", "price", "max_cost", "max_requests", "rpm", "concurrency", "timeout", "retries", "stream")
    settings = {name: getattr(args, name, None) for name in names}
    settings |= {"model": getattr(args, "llm", None), "keep": getattr(args, "keep_answers", None)}
    return {name: value for name, value in settings.items() if value is not None}


def _price(text: str) -> tuple[float, float]:
    """Parse two prices separated by a comma."""
    try:
        question, answer = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not two prices such as 2.50,10") from None
    return question, answer


def add_texts(parser: Parser, *, bare: bool = False) -> None:
    """Add the input options for texts to score; with `bare`, also positional translations and test sets."""
    if bare:
        parser.add_argument("files", nargs="*", metavar="FILE", help="translations, as with --mt")
    group = parser.section(
        "input", "text files with one segment per line, optionally compressed (.gz, .xz, .zst); - is stdin"
    )
    group.add_argument(
        "--mt",
        action="extend",
        nargs="+",
        metavar="FILE",
        help="translations, one file per system; NAME=FILE sets the name",
    )
    group.add_argument(
        "--ref", action=References, nargs="+", metavar="FILE", help="reference translations, one file per reference"
    )
    group.add_argument("--src", metavar="FILE", help="sources")
    group.add_argument(
        "--data", type=table_file, metavar="FILE",
        help="a table with columns such as src, mt, ref, system (docs/tables.md); 'demo' is a built-in example",
    )  # fmt: skip
    add_columns(group)
    add_quoting(group)
    group.add_argument(
        "--empty-reference", choices=("score", "skip", "error"), dest="empty_reference",
        help="rows whose references are all empty: score them against an empty text (default for text files), "
        "skip them in metrics that require a reference (default for tables), or stop with an error",
    )  # fmt: skip
    group.add_argument("-l", "--langpair", type=langpair, metavar="xx-yy", help="language pair, such as en-de")
    if bare:
        group.add_argument(
            "-t", "--testset", metavar="SET",
            help="read sources and references from wmt23, an mt-metrics-eval folder or a sacrebleu test set",
        )  # fmt: skip
        add_data_dir(group, "test sets")


def add_columns(parser: argparse._ActionsContainer) -> None:
    """Add --columns."""
    parser.add_argument(
        "--columns", metavar="NAME=COLUMN,…",
        help="map column names that differ from the standard ones, such as mt=Output,ref=Gold; repeat mt for several systems "
        "(mt=A,mt=B); use column numbers if there is no header line",
    )  # fmt: skip


def add_quoting(parser: argparse._ActionsContainer) -> None:
    """Add --quoting."""
    parser.add_argument(
        "--quoting", choices=QUOTING, default="auto",
        help="treat quotation marks in a TSV file as enclosing cells (csv) or as text (none); auto (default) checks the whole file",
    )  # fmt: skip


def add_data_dir(parser: argparse._ActionsContainer, what: str = "suites") -> None:
    """Add --data-dir."""
    parser.add_argument("--data-dir", metavar="DIR", help=f"folder with local copies of {what} (default: $ASSAY_DATA)")


def add_metric_files(parser: argparse._ActionsContainer) -> None:
    """Add --metric-file."""
    parser.add_argument(
        "--metric-file", action="append", default=[], metavar="FILE",
        help="file or folder with precomputed scores of another metric; repeatable",
    )  # fmt: skip


def add_language_pairs(parser: argparse._ActionsContainer) -> None:
    """Add --langpair for verbs that accept several; it also specifies the pair for a file without such a column."""
    parser.add_argument(
        "--langpair", action="append", dest="langpairs", type=langpair, metavar="xx-yy",
        help="use only this language pair; for a file without such a column, its language pair; repeatable",
    )  # fmt: skip


def add_skip_bad(parser: argparse._ActionsContainer) -> None:
    """Add --skip-bad."""
    parser.add_argument("--skip-bad", action="store_true", help="skip malformed rows; count and list them")


def add_resampling(parser: Parser) -> None:
    """Add --samples and --seed."""
    group = parser.section("statistics")
    group.add_argument("--samples", type=positive, default=1000, metavar="N", help="bootstrap samples (default: 1000)")
    add_seed(group)


def add_seed(parser: argparse._ActionsContainer) -> None:
    """Add --seed."""
    parser.add_argument("--seed", type=natural, default=SEED, metavar="N", help=f"random seed (default: {SEED})")


def add_correction(parser: argparse._ActionsContainer, default: str) -> None:
    """Add --correction."""
    parser.add_argument(
        "--correction", choices=CORRECTIONS, default=default, metavar="NAME",
        help=f"correction for multiple comparisons: {', '.join(CORRECTIONS)} (default: {default})",
    )  # fmt: skip


def add_kept_tables(parser: Parser, first: str, run: str) -> None:
    """Add --table, --all and --run-dir: a terminal shows the table `first`, and `run` names the default folder."""
    group = parser.section("output")
    group.add_argument(
        "--table", action="append", metavar="NAME", help=f"show this table (default: {first}); repeatable"
    )
    group.add_argument("--all", action="store_true", help="show every table on the terminal")
    group.add_argument("--run-dir", metavar="DIR", help=f"run directory (default on a terminal: runs/TIME-{run})")


def add_by(parser: Parser) -> None:
    """Add --by."""
    parser.add_argument(
        "--by", metavar="COLUMN", help="also report scores by doc, domain, any other column of --data, or by length"
    )


def add_output(parser: Parser, formats: tuple[str, ...], *, workers: bool = True) -> None:
    """Add the output options, and --workers for a verb that computes in parallel."""
    group = parser.section("output")
    group.add_argument(
        "--format", choices=formats, metavar="FORMAT",
        help=f"{', '.join(formats)} (default: from the suffix of --out, else {formats[0]})",
    )  # fmt: skip
    group.add_argument(
        "-o", "--out", metavar="FILE", help="output file, written atomically; the suffix selects the format"
    )
    if {"csv", "tsv", "xlsx"} & {*formats}:
        group.add_argument(
            "--spreadsheet-safe", action="store_true", help="csv, tsv, xlsx: quote cells that start with =, +, - or @"
        )
    add_quiet(group)
    group.add_argument("-v", "--verbose", action="store_true", help="report the options that a configuration file sets")
    group.add_argument("--no-config", action="store_true", help="ignore assay.toml and pyproject.toml")
    if workers:
        parser.add_argument("--workers", type=positive, metavar="N", help="number of threads (default: all cores)")
    parser.set_defaults(formats=formats)


def add_quiet(parser: argparse._ActionsContainer) -> None:
    """Add --quiet."""
    parser.add_argument("-q", "--quiet", action="store_true", help="suppress progress and notes")


def add_flags(parser: Parser) -> None:
    """Add --flags and --no-flags."""
    parser.add_argument(
        "--flags", choices=("auto", "all", "none"), default="auto",
        help="flag empty, copied, very long, very short and wrong-language translations; all identifies languages "
        "however many rows there are (default: auto)",
    )  # fmt: skip
    parser.add_argument("--no-flags", action="store_const", const="none", dest="flags", help="same as --flags none")


def add_kept_texts(parser: Parser) -> None:
    """Add --texts."""
    parser.section("output").add_argument(
        "--texts",
        action="store_true",
        help="json: add all input columns (formats with one row per segment always include them)",
    )


def add_trust(parser: argparse._ActionsContainer, what: str) -> None:
    """Add --trust, for a verb whose input file `what` can name code to run."""
    parser.add_argument(
        "--trust", action="store_true", default=None,
        help=f"trust {what}: run any module:name and read any path that it names",
    )  # fmt: skip


def add_components(parser: Parser) -> None:
    """Add --components, for verbs that show corpus scores."""
    parser.section("output").add_argument(
        "--components", action="store_true",
        help="show the components of scores, such as BLEU's brevity penalty and precisions (always in json)",
    )  # fmt: skip


def add_judge(parser: argparse._ActionsContainer) -> None:
    """Add the options for graded outcomes and for a command that judges rows."""
    parser.add_argument(
        "--success-at", type=float, metavar="GRADE", help="graded outcomes: lowest grade that counts as a success"
    )
    parser.add_argument("--judge", metavar="cmd:COMMAND", help="command that returns the outcome of each row of --data")
    parser.add_argument("--judged", metavar="FILE", help=f"cache file for outcomes from --judge (default: {JUDGED})")


def judging(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of `add_judge` as arguments of the verbs."""
    if args.judged and not args.judge:
        raise InputError("--judged requires --judge.")
    return {"success_at": args.success_at, "judge": args.judge, "judged": args.judge and (args.judged or JUDGED)}


def table_file(text: str) -> str:
    """Return the path of a table; ``demo`` is the built-in example."""
    if text == "demo" and not Path(text).exists():
        from assay.verbs.shared.request import demo_table

        return str(demo_table())
    return text


def positive(text: str) -> int:
    """Parse a whole number above 0."""
    if (value := _whole(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return value


def natural(text: str) -> int:
    """Parse a whole number, including 0."""
    if (value := _whole(text)) < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return value


def _whole(text: str) -> int:
    """Parse a whole number; -1 for other text."""
    try:
        return int(text)
    except ValueError:
        return -1


def langpair(text: str) -> str:
    """Parse a language pair: two language codes separated by a hyphen."""
    language = r"[A-Za-z]{2,3}([-_]([A-Za-z]{2,4}|\d{3}))*"
    text = plain_pair(text)
    if not re.fullmatch(f"{language}-{language}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a language pair such as en-de")
    return text


def pick(args: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return some arguments as keyword arguments for a verb that uses the same names."""
    return {name: getattr(args, name) for name in names}


def comma_separated(text: str | None) -> list[str]:
    """Split ``de, fr`` into its items."""
    return [item.strip() for item in (text or "").split(",") if item.strip()]


def check_port(port: int) -> None:
    """Raise InputError for a number that is not a port."""
    if port > 65535:
        raise InputError(f"--port {port}: the highest port is 65535.")


def column_map(text: str | None) -> dict[str, Any] | None:
    """Parse ``mt=Translation,ref=Gold``; a repeated name gets a list of columns."""
    if not text:
        return None
    pairs: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, column = part.partition("=")
        if not equals or not name or not column:
            raise InputError(f"--columns requires NAME=COLUMN pairs such as mt=Translation,ref=Gold, not {part!r}.")
        before, column = pairs.get(name.strip()), column.strip()
        pairs[name.strip()] = column if before is None else [*([before] if isinstance(before, str) else before), column]
    return pairs
