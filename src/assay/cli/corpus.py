"""Verbs over a corpus in many files: their options, and the line that says how far it is."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from assay.cli.formats import OTHERS as UNWRITTEN
from assay.cli.formats import SUFFIXES
from assay.cli.options import column_map, positive
from assay.cli.output import Output
from assay.cli.progress import Progress, duration
from assay.core.errors import InputError, count

if TYPE_CHECKING:
    from assay.core.table import Table
    from assay.verbs.shared.corpora import CorpusResult, Seen

FORMATS = ("table", "json", "csv", "md", "latex", "html")
OPTIONS = ("keep", "dedup", "sample_by", "on_error", "engine", "batch", "address", "gpus_per_worker")
"""What goes with a corpus alone."""
OTHERS = (
    "by", "ci", "texts", "run_dir", "testset", "score_only", "components", "spreadsheet_safe", "estimate", "export", "metric_file",
    "subsample", "verify", "skip_bad", "annotate",
)  # fmt: skip
"""What does not go with one."""


def add_corpus(parser: argparse.ArgumentParser) -> None:
    """The options of a corpus that is scored."""
    group = corpus_group(parser)
    add_keep(group)
    group.add_argument(
        "--dedup",
        choices=("pair", "mt", "src"),
        help="only the first row with the same translation and source, or one of them",
    )
    group.add_argument(
        "--sample", type=positive, metavar="N", help="only so many rows, drawn from every shard by its share"
    )
    group.add_argument("--sample-by", metavar="COLUMN", help="draw from every value of a column instead")
    add_workers(group)
    add_batch(group)


def corpus_group(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Where the options of a corpus stand."""
    return parser.add_argument_group(
        "corpora", "a folder of shards into --out FOLDER/, shard by shard (docs/corpora.md)"
    )


def add_keep(group: argparse._ActionsContainer) -> None:
    """--keep."""
    group.add_argument(
        "--keep", metavar="EXPRESSION", help="only rows for which it holds, as assay filter writes it; length_ratio too"
    )


def add_batch(group: argparse._ActionsContainer) -> None:
    """--batch."""
    group.add_argument("--batch", type=positive, metavar="N", help="rows that a metric gets at a time (default: 16384)")


def add_workers(group: argparse._ActionsContainer) -> None:
    """What every verb over a corpus has: what to do about a bad shard, and where the workers are."""
    group.add_argument(
        "--on-error", choices=("stop", "skip"), help="a shard that cannot be read: stop (default), or leave it out"
    )
    add_engine(group)


def add_engine(group: argparse._ActionsContainer) -> None:
    """Where the workers of a corpus are."""
    group.add_argument(
        "--engine",
        choices=("local", "ray"),
        help="where the workers are: this machine (default), or a Ray cluster (docs/cluster.md)",
    )
    group.add_argument(
        "--address",
        metavar="HOST:PORT",
        help="the head of the Ray cluster, or auto (default: one of this machine alone)",
    )
    group.add_argument(
        "--gpus-per-worker",
        type=share,
        metavar="N",
        help="GPUs of each worker in a Ray cluster; 0.5 lets two share one (default: 1 where a network scores and there are any)",
    )


def share(text: str) -> float:
    """A number of GPUs: a whole one, or a part of one."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not (0 <= number < 1 or (number >= 1 and number == int(number))):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of GPUs: 0, 0.5, 1, 2 …")
    return number


def is_corpus(args: argparse.Namespace) -> bool:
    """Whether the command is about a corpus: --out names a folder, or the input is one, or a pattern."""
    from assay.verbs.shared.corpora import names_corpus, names_folder

    out = getattr(args, "out", None)
    return bool(out and names_folder(out)) or any(names_corpus(path) for path in _inputs(args))


def _inputs(args: argparse.Namespace) -> list[str]:
    """What is read: bare, with --mt, or with --data, unless that is a folder with one table in it."""
    from assay.verbs.shared.corpora import names_table

    data = getattr(args, "data", None)
    return [
        *(getattr(args, "files", None) or getattr(args, "suites", None) or ()),
        *(getattr(args, "mt", None) or ()),
        *([data] if data and not names_table(data) else ()),
    ]


def refuse_without_corpus(args: argparse.Namespace) -> None:
    """Refuse the options of a corpus where there is none."""
    names = (*OPTIONS, "sample") if args.verb == "score" else OPTIONS
    for name in names:
        if getattr(args, name, None) is not None:
            option = name.replace("_", "-")
            raise InputError(f"--{option} goes with a corpus: a folder of shards, and --out FOLDER/ (docs/corpora.md).")


def refuse_with_corpus(args: argparse.Namespace, but: Sequence[str] = ()) -> None:
    """Refuse what does not go with a corpus, `but` for what does under this verb; and a corpus without --out."""
    from assay.verbs.shared.corpora import names_corpus

    for name in OTHERS:
        if name not in but and getattr(args, name, None):
            option = {"score_only": "-b", "testset": "-t"}.get(name, f"--{name.replace('_', '-')}")
            raise InputError(f"{option} does not go with a corpus in many files. Give one file for that.")
    if not args.out:
        what = next(path for path in _inputs(args) if names_corpus(path))
        raise InputError(f"{what} is a corpus in many files: say where the results go, --out FOLDER/")
    if _names_file(args.out):
        folder = os.path.join(os.path.dirname(args.out), os.path.basename(args.out).partition(".")[0])
        raise InputError(f"what comes of a corpus is a folder of shards, and {args.out} names a file: --out {folder}/")
    if args.format not in FORMATS:
        raise InputError(
            f"what is printed about a corpus is {', '.join(FORMATS)}, not {args.format}: shards keep their form."
        )


def _names_file(out: str) -> bool:
    """Whether an output goes by the name of a file, and no folder is called so."""
    from assay.verbs.shared.corpora import names_folder

    known = os.path.splitext(out)[1].lower() in {*SUFFIXES, *UNWRITTEN}
    return known and not names_folder(out) and not os.path.isdir(out)


def workers_of(args: argparse.Namespace, progress: ShardsProgress) -> dict[str, Any]:
    """What every verb over a corpus is told about its workers."""
    return {
        "on_error": args.on_error or "stop", "engine": args.engine or "local", "workers": args.workers, "address": args.address,
        "gpus_per_worker": args.gpus_per_worker, "progress": progress.at,
    }  # fmt: skip


def texts_of_corpus(args: argparse.Namespace) -> dict[str, Any]:
    """The shards that the arguments name, and how their rows are read and written."""
    tables = [*(getattr(args, "files", None) or ()), *([args.data] if args.data else ())]
    return {
        "data": tables, "out": args.out, "mt": args.mt or (), "ref": args.ref or (), "src": args.src,
        "columns": column_map(args.columns), "quoting": args.quoting, "langpair": args.langpair,
        "empty_reference": args.empty_reference, "flags": args.flags,
        "keep": args.keep, "batch": args.batch,
    }  # fmt: skip


def finished(
    result: CorpusResult,
    args: argparse.Namespace,
    output: Output,
    started: float,
    table: Table | None,
    more: Mapping[str, Any] | None = None,
) -> None:
    """What people should see and hear when a corpus is through: a table, or its head with `more` as JSON; no table of nothing."""
    from assay.cli.texts import say_notes

    if args.format == "json":
        output.emit_json({**result.head(), **(more or {})})
    elif table is not None and (result.counts["rows"] or args.format != "table"):
        output.emit([table])
    say_notes(result, output)
    output.note(wrote(args.out, started, result.reused))


def wrote(out: str, started: float, reused: int) -> str:
    """Where the shards are, how long it took, and how many of them an earlier run had done."""
    before = f" · {reused:,} done before" if reused else ""
    return f"wrote {os.path.join(out, '')} · {duration(time.monotonic() - started)}{before}"


def run_corpus(args: argparse.Namespace) -> int:
    """Score it, and say what came out."""
    from assay.cli.texts import looked
    from assay.verbs.score_corpus import score_corpus

    refuse_with_corpus(args)
    output, started = Output("assay score", args.format, None, args.quiet), time.monotonic()
    with watched(args.quiet) as progress:
        result = score_corpus(
            metrics=args.metrics, spans=args.spans, dedup=args.dedup, sample=args.sample, sample_by=args.sample_by, seed=args.seed,
            **texts_of_corpus(args), **workers_of(args, progress),
        )  # fmt: skip
    finished(result, args, output, started, looked(result.table(), result.signatures, args, output))
    return 0


@contextmanager
def watched(quiet: bool) -> Iterator[ShardsProgress]:
    """The line of progress while a corpus is done."""
    progress = ShardsProgress(quiet=quiet)
    try:
        yield progress
    finally:
        progress.close()


class ShardsProgress(Progress):
    """One line: shards, rows, rows a second, the time left, failures."""

    def __init__(self, *, quiet: bool = False) -> None:
        super().__init__("", quiet=quiet)
        self._seen: Seen | None = None
        self._phase, self._since = "", self.started

    def at(self, seen: Seen) -> None:
        """How far it is."""
        self._seen = seen
        if seen.phase != self._phase:
            self._phase, self._since = seen.phase, time.monotonic()
        self.add(0)

    def _line(self, now: float) -> str:
        seen = self._seen
        if seen is None:
            return ""
        passed = max(now - self._since, 1e-9)
        said = [f" {seen.phase} {seen.done:,} of {seen.shards:,} shards"]
        if seen.rows and seen.phase in ("scoring", "making"):
            rate = seen.rows / passed
            said.append(f"{seen.rows:,} rows · {rate:,.{0 if rate >= 10 else 1}f}/s")
        if seen.bytes and seen.all_bytes > seen.bytes:
            said.append(f"{duration(passed * (seen.all_bytes - seen.bytes) / seen.bytes)} left")
        if seen.failed:
            said.append(f"{seen.failed:,} failed")
        if seen.deaths:
            said.append(f"{count(seen.deaths, 'worker')} died")
        return " · ".join(said)
