"""Options that mean the same thing under every verb."""

from __future__ import annotations

import argparse
import itertools
import re
import shutil
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from assay.core.errors import AssayError, InputError, unknown
from assay.core.langpair import plain_pair

CORRECTIONS = ("holm", "benjamini-hochberg", "bonferroni", "none")
JUDGED = "judged.jsonl"
QUOTING = ("auto", "csv", "none")
QUOTING_HELP = "quotation marks in a TSV: csv (they wrap cells), none (they are text), auto (what the whole file shows)"


HABITS = {
    "-i": "give the translations bare or with --mt, the references with --ref",
    "--input": "give the translations bare or with --mt, the references with --ref",
    "-tok": "write it into the metric, -m bleu:tokenize=zh",
    "--tokenize": "write it into the metric, -m bleu:tokenize=zh",
    "-lc": "write it into the metric, -m bleu:lowercase=yes",
    "--gpus": "GPUs are used where there are any",
    "--model": "a metric is named with -m",
}
"""Options of other tools, and what they are here."""


class Parser(argparse.ArgumentParser):
    """argparse, speaking in assay's voice: one line, exit code 2, the nearest option suggested."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the whole usage."""
        raise InputError(f"{message} ({self.prog} --help)")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """A wrong choice names the nearest ones."""
        if action.choices is not None and value not in action.choices:
            kind = action.option_strings[-1].lstrip("-") if action.option_strings else "argument"
            raise unknown(kind, value, map(str, action.choices), f"{self.prog} --help")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and name the nearest option for one that does not exist."""
        for word in args or ():
            if word in HABITS and word not in self._option_string_actions:
                raise InputError(f"{self.prog} has no {word}: {HABITS[word]} ({self.prog} --help).")
        many = any(action.nargs == "*" and not action.option_strings for action in self._actions)
        parse = self.parse_known_intermixed_args if many else self.parse_known_args
        parsed, extra = parse(args, namespace)
        if extra:
            options = [
                option for action in self._actions for option in action.option_strings if option.startswith("--")
            ]
            if extra[0].startswith("-"):
                raise unknown("option", extra[0].partition("=")[0], options, f"{self.prog} --help")
            raise InputError(f"{self.prog} does not know what to do with {extra[0]!r} ({self.prog} --help).")
        return parsed


def parser_for(verb: str, module: ModuleType) -> Parser:
    """The parser of one verb, from its module."""
    examples, _, more = module.EXAMPLES.partition("\n\n")
    parser = Parser(
        prog=f"assay {verb}",
        description=f"{_filled(module.SUMMARY)}\n\n{examples}",
        epilog=f"{_filled(more)}\nMore: docs/{verb}.md".lstrip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    parser.usage = " ".join([parser.prog, *filter(None, map(_word, parser._actions)), "[options]"])
    parser.set_defaults(verb=verb)
    return parser


def _word(action: argparse.Action) -> str:
    """How an argument that must or may stand before the options appears in the line of usage; nothing for an option."""
    name = str(action.metavar or "|".join(map(str, action.choices or ())) or action.dest)
    if action.option_strings:
        return f"{action.option_strings[-1]} {name}" if action.required else ""
    return {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ..."}.get(str(action.nargs), name)


def _filled(text: str) -> str:
    """Prose filled to the width of the terminal; lines that are set in stay as they are."""
    width = min(shutil.get_terminal_size().columns - 2, 100)
    lines: list[str] = []
    for indented, group in itertools.groupby(text.splitlines(), key=lambda line: line.startswith(" ")):
        block = list(group)
        lines += block if indented else textwrap.wrap(" ".join(block), width, break_on_hyphens=False)
    return "\n".join(lines)


class Specs(argparse.Action):
    """``chrf,bleu:tokenize=zh,ter`` as three specs, added to those given before."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        """Split, and append."""
        from assay.core.spec import split

        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), *split(values)])


class References(argparse.Action):
    """Files of references, added to those given before; `after_ref` are the further files of each --ref."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        """Append, and note which files came after the first."""
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), *values])
        namespace.after_ref = [*getattr(namespace, "after_ref", ()), *values[1:]]


def add_metrics(parser: argparse.ArgumentParser) -> None:
    """-m / --metric."""
    parser.add_argument(
        "-m",
        "--metric",
        action=Specs,
        dest="metrics",
        default=None,
        metavar="METRIC",
        help="a metric, with options after a colon: chrf, bleu:tokenize=zh; several with commas or repeated "
        "(assay list metrics)",
    )
    add_llm(parser)


def add_llm(parser: argparse.ArgumentParser) -> None:
    """How metrics that ask a language model do so: wherever metrics are named."""
    group = parser.add_argument_group(
        "metrics that ask a language model",
        "judge-mqm, judge-da, gemba-mqm, judge:prompt=FILE …; the key is $ASSAY_LLM_KEY",
    )
    group.add_argument("--endpoint", metavar="URL", help="an OpenAI-compatible endpoint: http://localhost:8000/v1")
    group.add_argument("--llm", metavar="MODEL", help="the model to ask there")
    group.add_argument(
        "--price", type=_price, metavar="IN,OUT", help="what a million tokens cost, in questions and answers"
    )
    group.add_argument("--max-cost", type=float, metavar="N", help="stop before more than this is spent")
    group.add_argument("--max-requests", type=positive, metavar="N", help="stop after so many requests")
    group.add_argument("--rpm", type=float, metavar="N", help="at most so many requests a minute")
    group.add_argument("--concurrency", type=positive, metavar="N", help="requests under way at once (default: 8)")
    group.add_argument("--timeout", type=float, metavar="S", help="seconds to wait for an answer (default: 120)")
    group.add_argument(
        "--retries", type=natural, metavar="N", help="further tries after 429, 5xx, no answer (default: 6)"
    )
    group.add_argument("--stream", action="store_true", default=None, help="let answers come in pieces")
    group.add_argument(
        "--no-keep",
        action="store_false",
        dest="keep_answers",
        default=None,
        help="keep no answers, and take none that are kept",
    )


def add_estimate(parser: argparse.ArgumentParser) -> None:
    """--estimate."""
    parser.add_argument(
        "--estimate",
        action="store_true",
        help="ask no language model: how many requests, tokens and what they would cost",
    )


def llm_settings(args: argparse.Namespace) -> dict[str, Any]:
    """What `add_llm` brought, as `assay.llm` takes it; nothing for a verb without metrics."""
    names = (
        "endpoint",
        "price",
        "max_cost",
        "max_requests",
        "rpm",
        "concurrency",
        "timeout",
        "retries",
        "stream",
    )
    given = {name: getattr(args, name, None) for name in names}
    given |= {"model": getattr(args, "llm", None), "keep": getattr(args, "keep_answers", None)}
    return {name: value for name, value in given.items() if value is not None}


def _price(text: str) -> tuple[float, float]:
    """Two prices with a comma between."""
    try:
        question, answer = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not two prices such as 2.50,10") from None
    return question, answer


def add_texts(parser: argparse.ArgumentParser, *, bare: bool = False) -> None:
    """--src --mt --ref --data --langpair --columns; with `bare`, translations without --mt and test sets too."""
    if bare:
        parser.add_argument("files", nargs="*", metavar="FILE", help="translations, as with --mt")
    group = parser.add_argument_group(
        "input", "text files of one segment a line (.gz, .xz, .zst as they are; - is stdin)"
    )
    group.add_argument(
        "--mt", action="extend", nargs="+", metavar="FILE", help="translations, one file a system; NAME=FILE names it"
    )
    group.add_argument(
        "--ref",
        action=References,
        nargs="+",
        metavar="FILE",
        help="references, one file for each of several references",
    )
    group.add_argument("--src", metavar="FILE", help="sources")
    group.add_argument(
        "--data", type=table_file, metavar="FILE",
        help="a table instead (.tsv .csv .jsonl .xlsx .parquet .tmx .xlf …: docs/tables.md) with columns src, mt, ref, system …; "
        "demo is one to try",
    )  # fmt: skip
    group.add_argument(
        "--columns",
        metavar="NAME=COLUMN,…",
        help="which columns of --data to take, where the names differ: mt=Output,ref=Gold; mt=A,mt=B where each is a system; "
        "numbers where there is no header line",
    )
    group.add_argument("--quoting", choices=QUOTING, default="auto", help=QUOTING_HELP)
    group.add_argument(
        "--empty-reference", choices=("score", "skip", "error"), dest="empty_reference",
        help="rows whose references are all empty: leave them out of metrics that need one (skip, default for tables), score them "
        "against an empty text (score, default for text files), or stop (error)",
    )  # fmt: skip
    group.add_argument("-l", "--langpair", type=langpair, metavar="xx-yy", help="language pair, as in en-de")
    if bare:
        group.add_argument(
            "-t", "--testset", metavar="SET",
            help="sources and references of a test set instead: wmt23, an mt-metrics-eval tree, or one of sacrebleu's",
        )  # fmt: skip
        group.add_argument("--data-dir", metavar="DIR", help="local copies of test sets (default: $ASSAY_DATA)")


def add_resampling(parser: argparse.ArgumentParser, seeded: str = "the resampling") -> None:
    """--samples and --seed."""
    parser.add_argument(
        "--samples", type=positive, default=1000, metavar="N", help="bootstrap resamples (default: 1000)"
    )
    parser.add_argument("--seed", type=natural, default=12345, metavar="N", help=f"seed of {seeded} (default: 12345)")


def add_kept_tables(parser: argparse.ArgumentParser, first: str, run: str) -> None:
    """--table, --all and --run-dir: `first` is the table that a terminal shows, `run` what the folder is called after."""
    parser.add_argument(
        "--table", action="append", metavar="NAME", help=f"only these tables (default on a terminal: {first})"
    )
    parser.add_argument("--all", action="store_true", help="every table on the terminal")
    parser.add_argument(
        "--run-dir", metavar="DIR", help=f"where to keep the run (default on a terminal: runs/TIME-{run})"
    )


def add_by(parser: argparse.ArgumentParser) -> None:
    """--by."""
    parser.add_argument(
        "--by", metavar="COLUMN", help="also scores by group: doc, domain or any column of --data, or length"
    )


def add_output(parser: argparse.ArgumentParser, formats: tuple[str, ...], *, workers: bool = True) -> None:
    """--format --out --quiet, and --workers where there is work to spread."""
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=formats, help="default: what the suffix of --out says, or table")
    group.add_argument(
        "-o",
        "--out",
        metavar="FILE",
        help="write here, only when whole; the suffix chooses the format: x.json, x.xlsx …",
    )
    group.add_argument(
        "--spreadsheet-safe",
        action="store_true",
        help="csv, tsv: quote texts that a spreadsheet would run (=, +, -, @)",
    )
    group.add_argument("-q", "--quiet", action="store_true", help="no progress, no notes")
    group.add_argument("-v", "--verbose", action="store_true", help="say which options a configuration file filled in")
    group.add_argument("--no-config", action="store_true", help="read no assay.toml and no pyproject.toml")
    if workers:
        parser.add_argument("--workers", type=positive, metavar="N", help="threads to use (default: all cores)")
    parser.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(formats=formats)


def add_flags(parser: argparse.ArgumentParser) -> None:
    """--flags, --no-flags."""
    parser.add_argument(
        "--flags", choices=("auto", "all", "none"), default="auto",
        help="flag rows that are empty, copied, far too long or short, in another language; all: identify languages in any "
        "number of rows beside fast metrics, too (default: auto)",
    )  # fmt: skip
    parser.add_argument("--no-flags", action="store_const", const="none", dest="flags", help="the same as --flags none")


def add_kept_texts(parser: argparse.ArgumentParser) -> None:
    """--texts."""
    parser.add_argument(
        "--texts",
        action="store_true",
        help="json: all columns of the input beside the scores (formats with one row per segment have them anyway)",
    )


def add_trust(parser: argparse.ArgumentParser, action: str = "") -> None:
    """--trust, where a file says what is run."""
    parser.add_argument(
        "--trust",
        action="store_true",
        default=None,
        help=f"{action}the file is my own: run the module:name and read the paths that it names",
    )


def add_components(parser: argparse.ArgumentParser) -> None:
    """--components, where corpus scores are shown."""
    parser.add_argument(
        "--components",
        action="store_true",
        help="what the scores are made of: BLEU's brevity penalty, lengths and precisions (always in json)",
    )


def add_judge(parser: Any, action: str = "") -> None:
    """Outcomes that are graded, or that a command gives; the same for every verb that learns from outcomes."""
    parser.add_argument(
        "--success-at", type=float, metavar="GRADE", help=f"{action}graded outcomes: a success from this grade on"
    )
    parser.add_argument(
        "--judge", metavar="cmd:COMMAND", help=f"{action}a command that says how each row of --data came out"
    )
    parser.add_argument(
        "--judged",
        metavar="FILE",
        help=f"{action}what the judge said already (default: {JUDGED}); it is not asked again",
    )


def judging(args: argparse.Namespace) -> dict[str, Any]:
    """What `add_judge` brought, as the verbs take it."""
    if args.judged and not args.judge:
        raise InputError("--judged goes with --judge.")
    return {"success_at": args.success_at, "judge": args.judge, "judged": args.judge and (args.judged or JUDGED)}


def table_file(text: str) -> str:
    """The path of a table; ``demo`` is the one that comes with assay."""
    if text == "demo" and not Path(text).exists():
        from assay.verbs.shared.request import demo_table

        return str(demo_table())
    return text


def positive(text: str) -> int:
    """A whole number above 0."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return value


def natural(text: str) -> int:
    """A whole number, 0 included."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return value


def langpair(text: str) -> str:
    """Two languages with a hyphen between."""
    language = r"[A-Za-z]{2,3}([-_]([A-Za-z]{2,4}|\d{3}))*"
    text = plain_pair(text)
    if not re.fullmatch(f"{language}-{language}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a language pair such as en-de")
    return text


def check_port(port: int) -> None:
    """Refuse a number that no port has."""
    if port > 65535:
        raise InputError(f"--port {port}: ports end at 65535.")


def column_map(text: str | None) -> dict[str, Any] | None:
    """``mt=Translation,ref=Gold`` as a mapping; a name that comes again has a list of columns."""
    if not text:
        return None
    pairs: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, column = part.partition("=")
        if not equals or not name or not column:
            raise InputError(f"--columns wants NAME=COLUMN pairs such as mt=Translation,ref=Gold, not {part!r}.")
        before, column = pairs.get(name.strip()), column.strip()
        pairs[name.strip()] = column if before is None else [*([before] if isinstance(before, str) else before), column]
    return pairs


__all__ = [
    "CORRECTIONS",
    "AssayError",
    "Parser",
    "add_by",
    "add_components",
    "add_estimate",
    "add_flags",
    "add_kept_texts",
    "add_llm",
    "add_metrics",
    "add_output",
    "add_texts",
    "add_trust",
    "column_map",
    "langpair",
    "llm_settings",
    "natural",
    "parser_for",
    "positive",
    "table_file",
]
