"""Challenge sets from your own sentences: `make` one, `annotate` it by a person."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TextIO

from assay.analyses.made_audit import audit_tables
from assay.core.columns import Columns, by_column
from assay.core.errors import count
from assay.core.table import Table, TableColumn
from assay.io.documents import decode
from assay.io.files.atomic import atomic_write
from assay.perturb.making.job import MakingJob
from assay.perturb.making.selection import left_out
from assay.review.decisions import DecisionLog
from assay.review.item_review import annotate_items, decisions_path, every_log, verdicts
from assay.verbs.result import Result
from assay.verbs.reviewing import held

if TYPE_CHECKING:
    from assay.core.batch import Batch
    from assay.io.table.open_table import Quoting
    from assay.io.table.vocabulary import ColumnChoice
    from assay.verbs.reviewing import OnPage

SET = "items.jsonl"
"""The items of a set in a run directory."""


@dataclass(repr=False)
class MadeSet(Result):
    """A challenge set that was made: how many items of each perturbation, what was refused, and the data card."""

    card: dict[str, Any]
    """What was made from what, with which tools; it lies beside a written set."""
    path: Path | None = None
    """Where the set was written; None for one that is in `lines`."""
    lines: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """What was passed over in the corpus, in sentences."""

    verb: ClassVar[str] = "make"
    headline: ClassVar[str] = "made"

    def __len__(self) -> int:
        return int(self.card["items"])

    def items(self) -> list[dict[str, Any]]:
        """The items as dictionaries with the columns of the file."""
        lines = self.lines if self.path is None else self.path.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines if line]

    def columns(self) -> Columns:
        """One row an item, with the columns of the file but ``meta``."""
        return by_column({key: item[key] for key in item if key != "meta"} for item in self.items())

    def write(self, folder: str | os.PathLike[str], figures: Sequence[str] = ("svg",)) -> Path:
        """A run directory: items.jsonl with its data card, tables.json and manifest.json."""
        path = super().write(folder, figures)
        _write(path / SET, [json.dumps(item, ensure_ascii=False) for item in self.items()])
        _write_card(path / SET, self.card)
        return path


@dataclass(repr=False)
class AnnotatedSet(Result):
    """How the review of a set stands, and where the reviewed set lies."""

    accepted: int
    edited: int
    rejected: int
    left: int
    path: Path

    verb: ClassVar[str] = "make"
    headline: ClassVar[str] = "annotated"


def make(
    perturbations: Sequence[str],
    data: str | os.PathLike[str] | Batch,
    *,
    langpair: str | None = None,
    columns: ColumnChoice | None = None,
    quoting: Quoting = "auto",
    n: int = 1000,
    seed: int = 12345,
    workers: int = 1,
    words: tuple[int, int] | None = None,
    min_confidence: float = 0.5,
    pool: str | os.PathLike[str] | Batch | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> MadeSet:
    """Make a challenge set: incorrect translations from good ones, each with what was changed and where.

    `perturbations` are names, names with options, or groups (``demetr``, ``all``). `data` is a table with the good
    translations in ``mt`` beside ``src`` and ``ref``, or a Batch; `columns` says which columns of the table to take
    where the names differ (``{"mt": "Translation"}``), `quoting` how quotation marks in a TSV are read, `langpair` is
    that of a corpus that has none. Each perturbation gives the first `n` items that it can, a corpus with several
    language pairs giving each its share; `words` are the fewest and the most that a translation may have. An item of
    which the rule is less sure than `min_confidence` is refused. Other sentences are drawn from `pool`, a table or a Batch,
    else from the corpus itself. The same `seed` gives the same bytes whatever `workers` (processes) is. With
    `out` the items are written there, with a data card beside them (``OUT.card.json``). `progress` is told the number
    of segments of each finished chunk.
    """
    job = MakingJob.prepare(
        perturbations,
        data,
        langpair=langpair,
        columns=columns,
        quoting=quoting,
        n=n,
        seed=seed,
        workers=workers,
        words=words,
        least=min_confidence,
        pool=pool,
    )
    if out is None:
        lines = list(job.lines(progress))
        return _made(job.card(), lines=lines, problems=job.found.problems())
    path = Path(out)
    _write(path, job.lines(progress))
    card = job.card()
    _write_card(path, card)
    return _made(card, path=path, problems=job.found.problems())


def annotate(
    path: str | os.PathLike[str],
    *,
    stream: TextIO | None = None,
    write: Callable[[str], Any] | None = None,
    page: OnPage | None = None,
    sample: int | None = None,
    seed: int = 12345,
    annotator: str | None = None,
) -> AnnotatedSet:
    """Let a person accept, reject or edit each item of the set at `path` that has no decision yet.

    Keys are read from `stream` (a terminal, or lines of a file), cards go to `write`; or it is done on a `page`. Decisions are kept
    in ``SET.decisions.jsonl`` (``SET.ANNOTATOR.decisions.jsonl`` for an `annotator` with a name) as they are made; accepted
    and edited items go to ``SET.reviewed.jsonl``. With `sample` only so many items of each perturbation are shown, the same
    ones for the same `seed`. What was decided so far, by everyone, is counted as an audit: the share of bad items with its
    interval and the agreement of annotators; it is written into the data card.
    """
    made = Path(path)
    log = DecisionLog(decisions_path(made, annotator), annotator)
    others = {name or "no name": other for name, other in every_log(made).items() if other.path != log.path}
    hold = held(log, f"Items of {made.name}", stream=stream, write=write, page=page, apart=others)
    counts, reviewed = annotate_items(made, log, hold, sample=sample, seed=seed)
    columns = [TableColumn(key, kind="count") for key in counts]
    tables = {"annotated": Table("annotated", columns, [counts])}
    tables |= {table.name: table for table in audit_tables(verdicts(path))}
    _write_audit(Path(path), tables)
    accepted, edited, rejected, left = (counts[key] for key in ("accepted", "edited", "rejected", "left"))
    return AnnotatedSet(tables, accepted, edited, rejected, left, reviewed)


def _write_audit(path: Path, tables: Mapping[str, Table]) -> None:
    """The audit beside what was made, where the set has a data card."""
    place = card_path(path)
    if not place.is_file() or "audit" not in tables:
        return

    card: Any = decode(place.read_text(encoding="utf-8"))
    card["audit"] = {name: tables[name].rows for name in ("audit", "agreement") if name in tables}
    _write_card(path, card)


def card_path(path: Path) -> Path:
    """Where the data card of a set lies."""
    return path.with_name(path.name + ".card.json")


def _made(card: dict[str, Any], **rest: Any) -> MadeSet:
    return MadeSet({"made": made_table(card)}, card, **rest)


def made_table(card: Mapping[str, Any]) -> Table:
    """One line a perturbation."""
    rows = [
        {
            "perturbation": name,
            "made": entry["made"],
            "refused": sum(entry["refused"].values()),
            "mostly because": next(iter(entry["refused"]), ""),
            "failed": sum(entry["failed its check"].values()),
        }
        for name, entry in card["perturbations"].items()
    ]
    counts = [TableColumn(key, kind="count") for key in ("made", "refused", "failed")]
    columns = [TableColumn("perturbation"), *counts, TableColumn("mostly because")]
    made, read = count(card["items"], "item"), count(card["segments"], "segment")
    notes = [f"{made} from {read} · seed {card['seed']}", *left_out(card["left out"])]
    return Table("made", columns, rows, notes=notes)


def _write_card(path: Path, card: Mapping[str, Any]) -> None:
    _write(card_path(path), typed=False, lines=[json.dumps(card, ensure_ascii=False, indent=1)])


def _write(path: Path, lines: Iterable[str], *, typed: bool = True) -> None:
    with atomic_write(path, "w", typed=typed) as stream:
        for line in lines:
            stream.write(line + "\n")
