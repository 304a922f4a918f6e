"""Options, checks and progress line for verbs that process a corpus of shards."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.cli.formats import OTHERS as UNWRITTEN
from assay.cli.formats import SUFFIXES
from assay.cli.options import column_map, positive
from assay.cli.output import Output
from assay.cli.parser import Parser
from assay.cli.progress import Progress, duration
from assay.core.errors import InputError, count

if TYPE_CHECKING:
    from assay.core.table import Table
    from assay.verbs.shared.corpora import CorpusProgress, CorpusResult

FORMATS = ("table", "json", "csv", "md", "latex", "html")
OPTIONS = ("on_error", "engine", "batch", "address", "gpus_per_worker")
"""Options that require a corpus."""
OTHERS = (
    "by", "ci", "texts", "run_dir", "testset", "score_only", "components", "spreadsheet_safe", "estimate", "export", "metric_file",
    "subsample", "verify", "skip_bad", "annotate",
)  # fmt: skip
"""Options that do not apply to a corpus."""


def add_corpus(parser: Parser) -> None:
    """Add the options for row selection and for scoring a corpus."""
    add_keep(parser)
    group = parser.section("rows")
    group.add_argument(
        "--dedup", choices=("pair", "mt", "src"), help="keep the first row of equal pairs, translations or sources"
    )
    group.add_argument(
        "--sample", type=positive, metavar="N", help="sample N rows; of a corpus, from each shard by its share"
    )
    group.add_argument("--sample-by", metavar="COLUMN", help="sample N rows per value of a column")
    group = corpus_group(parser)
    add_workers(group)
    add_batch(group)


def corpus_group(parser: Parser) -> argparse._ArgumentGroup:
    """Return the group of options for corpora."""
    return parser.section("corpora", "for a folder of shards with --out FOLDER/ (docs/corpora.md)")


def add_keep(parser: Parser) -> None:
    """Add --keep."""
    parser.section("rows").add_argument(
        "--keep",
        metavar="EXPRESSION",
        help="keep rows that satisfy an expression of assay filter, also on length_ratio",
    )


def add_batch(group: argparse._ActionsContainer) -> None:
    """Add --batch."""
    group.add_argument("--batch", type=positive, metavar="N", help="rows per call of a metric (default: 16384)")


def add_workers(group: argparse._ActionsContainer) -> None:
    """Add the options for unreadable shards and for the engine."""
    group.add_argument(
        "--on-error", choices=("stop", "skip"), help="what to do with an unreadable shard (default: stop)"
    )
    group.add_argument(
        "--engine", choices=("local", "ray"), help="run on this machine (default) or on a Ray cluster (docs/cluster.md)"
    )
    group.add_argument(
        "--address",
        metavar="HOST:PORT",
        help="head node of the Ray cluster, or auto (default: a cluster on this machine)",
    )
    group.add_argument(
        "--gpus-per-worker", type=gpu_count, metavar="N",
        help="GPUs per Ray worker; two workers share one with 0.5 (default: 1 for neural metrics if there are GPUs)",
    )  # fmt: skip


def gpu_count(text: str) -> float:
    """Parse a number of GPUs: a whole number, or a fraction below 1."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not (0 <= number < 1 or (number >= 1 and number == int(number))):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of GPUs such as 0, 0.5, 1 or 2")
    return number


def is_corpus(args: argparse.Namespace) -> bool:
    """Return whether the input is a corpus: a folder or a pattern of shards, or --out names a folder."""
    from assay.verbs.shared.corpus_paths import names_corpus, names_folder

    out = getattr(args, "out", None)
    return bool(out and names_folder(out)) or any(names_corpus(path) for path in _inputs(args))


def _inputs(args: argparse.Namespace) -> list[str]:
    """Return the inputs: positional, --mt, and --data unless it is a folder with one table."""
    from assay.verbs.shared.corpus_paths import names_table

    data = getattr(args, "data", None)
    return [
        *(getattr(args, "files", None) or getattr(args, "suites", None) or ()),
        *(getattr(args, "mt", None) or ()),
        *([data] if data and not names_table(data) else ()),
    ]


def refuse_without_corpus(args: argparse.Namespace) -> None:
    """Raise InputError for an option that requires a corpus."""
    for name in OPTIONS:
        if getattr(args, name, None) is not None:
            option = name.replace("_", "-")
            raise InputError(f"--{option} requires a corpus: a folder of shards and --out FOLDER/ (docs/corpora.md).")


def refuse_with_corpus(args: argparse.Namespace, but: Sequence[str] = ()) -> None:
    """Raise InputError for an option that does not apply to a corpus, except those in `but`, and for a missing --out."""
    from assay.verbs.shared.corpus_paths import names_corpus

    for name in OTHERS:
        if name not in but and getattr(args, name, None):
            option = {"score_only": "-b", "testset": "-t"}.get(name, f"--{name.replace('_', '-')}")
            raise InputError(f"{option} cannot be used with a sharded corpus. Specify a single file.")
    if not args.out:
        what = next(path for path in _inputs(args) if names_corpus(path))
        raise InputError(f"{what} is a sharded corpus. Add --out FOLDER/ for the results.")
    if _names_file(args.out):
        folder = os.path.join(os.path.dirname(args.out), os.path.basename(args.out).partition(".")[0])
        raise InputError(
            f"the results of a corpus are a folder of shards, but {args.out} is a file name. Use --out {folder}/"
        )
    if args.format not in FORMATS:
        raise InputError(
            f"--format {args.format} is not available for a corpus; use {', '.join(FORMATS)}. The shards keep their own format."
        )


def _names_file(out: str) -> bool:
    """Return whether --out has the suffix of a file and is not a folder."""
    from assay.verbs.shared.corpus_paths import names_folder

    has_suffix = os.path.splitext(out)[1].lower() in {*SUFFIXES, *UNWRITTEN}
    return has_suffix and not names_folder(out) and not os.path.isdir(out)


def engine_options(args: argparse.Namespace, progress: ShardsProgress) -> dict[str, Any]:
    """Return the options that all corpus verbs share: output folder, table reading, and workers."""
    return {
        "out": args.out, "columns": column_map(args.columns), "quoting": args.quoting, "langpair": args.langpair,
        "on_error": args.on_error or "stop", "engine": args.engine or "local", "workers": args.workers, "address": args.address,
        "gpus_per_worker": args.gpus_per_worker, "progress": progress.update,
    }  # fmt: skip


def corpus_inputs(args: argparse.Namespace) -> dict[str, Any]:
    """Return the shards that the arguments name, with the options for scoring and row selection."""
    tables = [*(getattr(args, "files", None) or ()), *([args.data] if args.data else ())]
    names = ("empty_reference", "flags", "keep", "batch")
    texts = {"data": tables, "mt": args.mt or (), "ref": args.ref or (), "src": args.src}
    return texts | {name: getattr(args, name) for name in names}


def print_corpus(
    result: CorpusResult,
    args: argparse.Namespace,
    output: Output,
    started: float,
    table: Table | None,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Print the table of a finished corpus, or its head and `more` as JSON, then the notes."""
    from assay.cli.texts import print_notes

    if args.format == "json":
        output.emit_json({**result.head(), **(more or {})})
    elif table is not None and (result.counts["rows"] or args.format != "table"):
        output.emit([table])
    print_notes(result, output)
    output.note(summary_note(args.out, started, result.reused))


def summary_note(out: str, started: float, reused: int) -> str:
    """Return a note with the folder, the duration, and the number of shards from an earlier run."""
    earlier = f" · {reused:,} from an earlier run" if reused else ""
    return f"wrote {os.path.join(out, '')} · {duration(time.monotonic() - started)}{earlier}"


def run_corpus(args: argparse.Namespace) -> int:
    """Score a corpus and print the results."""
    from assay.cli.texts import with_signatures
    from assay.verbs.score import score

    refuse_with_corpus(args)
    output, started = Output("assay score", args.format, None, args.quiet), time.monotonic()
    with ShardsProgress(quiet=args.quiet) as progress:
        result = score(
            metrics=args.metrics, spans=args.spans, dedup=args.dedup, sample=args.sample, sample_by=args.sample_by, seed=args.seed,
            **corpus_inputs(args), **engine_options(args, progress),
        )  # fmt: skip
    print_corpus(result, args, output, started, with_signatures(result.table(), result.signatures, args, output))
    return 0


class ShardsProgress(Progress):
    """Progress line for a corpus: shards, rows, rows per second, remaining time, failures."""

    def __init__(self, *, quiet: bool = False) -> None:
        super().__init__(quiet=quiet)
        self._state: CorpusProgress | None = None
        self._phase, self._since = "", self.started

    def update(self, state: CorpusProgress) -> None:
        """Show the state of the run."""
        self._state = state
        if state.phase != self._phase:
            self._phase, self._since = state.phase, time.monotonic()
        self.add(0)

    def _line(self, now: float) -> str:
        state = self._state
        if state is None:
            return ""
        passed = max(now - self._since, 1e-9)
        parts = [f" {state.phase} {state.done:,} of {state.shards:,} shards"]
        if state.rows and state.phase in ("scoring", "making"):
            rate = state.rows / passed
            parts.append(f"{state.rows:,} rows · {rate:,.{0 if rate >= 10 else 1}f}/s")
        if state.bytes and state.all_bytes > state.bytes:
            parts.append(f"{duration(passed * (state.all_bytes - state.bytes) / state.bytes)} left")
        if state.failed:
            parts.append(f"{state.failed:,} failed")
        if state.crashes:
            parts.append(f"{count(state.crashes, 'worker crash', 'worker crashes')}")
        return " · ".join(parts)
