"""Making challenge sets from your own sentences: survey, perturb in order, cap, write, and say what was done."""

from __future__ import annotations

import json
import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError, count
from assay.core.table import Table, TableColumn
from assay.results import Shown

if TYPE_CHECKING:
    from concurrent.futures import Future

    from assay.core.batch import Batch, Segment
    from assay.perturb.making.corpus import Corpus, Survey
    from assay.perturb.making.maker import Outcome
    from assay.perturb.making.selection import Chosen

Rows = list[tuple[int, "Segment"]]
Able = Mapping[str, Sequence[str]]
Progress = Callable[[int], None]

IN_FLIGHT = 3
"""Chunks a worker may be ahead."""


@dataclass
class Tally:
    """How often a perturbation was made, refused (and why) and failed its own check."""

    made: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)


@dataclass(repr=False)
class MadeSet(Shown):
    """A challenge set that was made: how many items of each perturbation, what was refused, and the data card."""

    card: dict[str, Any]
    path: Path | None = None
    lines: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return int(self.card["items"])

    def items(self) -> list[dict[str, Any]]:
        """The items as dictionaries with the columns of the file."""
        lines = self.lines if self.path is None else self.path.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines if line]

    def table(self) -> Table:
        """One line a perturbation."""
        from assay.perturb.making.selection import left_out

        rows = []
        for name, entry in self.card["perturbations"].items():
            refused = entry["refused"]
            rows.append(
                {
                    "perturbation": name,
                    "made": entry["made"],
                    "refused": sum(refused.values()),
                    "mostly because": next(iter(refused), ""),
                    "failed": sum(entry["failed its check"].values()),
                }
            )
        columns = [
            TableColumn("perturbation"),
            TableColumn("made", kind="count"),
            TableColumn("refused", kind="count"),
            TableColumn("failed", kind="count"),
            TableColumn("mostly because"),
        ]
        made, read = count(len(self), "item"), count(self.card["segments"], "segment")
        notes = [f"{made} from {read} · seed {self.card['seed']}", *left_out(self.card["left out"])]
        return Table("made", columns, rows, notes=notes)


def make(
    perturbations: Sequence[str],
    data: str | os.PathLike[str] | Batch,
    *,
    langpair: str | None = None,
    columns: Mapping[str, str] | None = None,
    n: int = 1000,
    seed: int = 12345,
    workers: int = 1,
    out: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> MadeSet:
    """Make a challenge set: incorrect translations from good ones, each with what was changed and where.

    `perturbations` are names, names with options, or groups (``demetr``, ``all``). `data` is a table with the good
    translations in ``mt`` beside ``src`` and ``ref``, or a Batch. Each perturbation gives the first `n` items that it can, a
    corpus with several language pairs giving each its share. The same seed gives the same bytes whatever `workers` is. With
    `out` the items are written there, with a data card beside them (``out.card.json``).
    """
    from assay.perturb.making.corpus import survey
    from assay.perturb.making.selection import choose_perturbations, fitting

    if n < 1:
        raise InputError(f"n must be at least 1, not {n}.")
    chosen = choose_perturbations(perturbations)
    further = sorted({column for one in chosen for column in one.perturbation.card.columns})
    corpus, present = _corpus(data, columns, further)
    found = survey(corpus, langpair)
    if not found.usable:
        raise InputError(f"there is nothing to change: {found.rows:,} rows, none of them with a translation.")
    languages = sorted({pair.rpartition("-")[2] for pair in found.usable})
    able, left_out = fitting(chosen, languages, present)
    job = _Job(chosen, able, found, n, seed, workers, corpus, langpair)
    if out is None:
        lines = list(job.lines(progress))
        return MadeSet(job.card(left_out), lines=lines, problems=found.problems())
    path = Path(out)
    _write(path, job.lines(progress))
    card = job.card(left_out)
    _write(card_path(path), [json.dumps(card, ensure_ascii=False, indent=1)])
    return MadeSet(card, path=path, problems=found.problems())


def card_path(path: Path) -> Path:
    """Where the data card of a set lies."""
    return path.with_name(path.name + ".card.json")


def _corpus(
    data: str | os.PathLike[str] | Batch, columns: Mapping[str, str] | None, further: Sequence[str]
) -> tuple[Corpus, list[str]]:
    """How to open the corpus, and which of the further columns it has."""
    from assay.core.batch import Batch
    from assay.io.table.segments import columns_of, read_segments

    if isinstance(data, Batch):
        return lambda: (data[i] for i in range(len(data))), []
    if os.fspath(data) == "-":
        raise InputError("a corpus is read twice, so it cannot come from standard input: write it to a file first.")
    present = [column for column in further if column in columns_of(data)] if further else []
    return lambda: read_segments(data, columns, present), present


def _write(path: Path, lines: Iterator[str] | Sequence[str]) -> None:
    from assay.io.files.atomic import atomic_write

    with atomic_write(path, "w") as stream:
        for line in lines:
            stream.write(line + "\n")


@dataclass
class _Job:
    """One run: outcomes arrive in corpus order, whoever made them, and are counted until a perturbation is full."""

    chosen: Sequence[Chosen]
    able: Able
    found: Survey
    n: int
    seed: int
    workers: int
    corpus: Corpus
    langpair: str | None

    def __post_init__(self) -> None:
        from assay.perturb.making.corpus import quotas

        self.quota = quotas(self.found.usable, self.n)
        self.tallies = {one.spec: Tally() for one in self.chosen}

    def lines(self, progress: Progress | None) -> Iterator[str]:
        """The items as lines, in the order of the corpus and then of the perturbations."""
        for size, outcomes in self._outcomes():
            for outcome in outcomes:
                if self._counts(outcome):
                    yield outcome.line
            if progress:
                progress(size)

    def _counts(self, outcome: Outcome) -> bool:
        """Count an outcome; True when it is an item of the set."""
        tally = self.tallies[outcome.spec]
        if tally.made[outcome.langpair] >= self.quota[outcome.langpair]:
            return False
        if outcome.line:
            tally.made[outcome.langpair] += 1
            return True
        (tally.failed if outcome.failed else tally.refused)[outcome.reason] += 1
        return False

    def _open_specs(self) -> Able:
        """For each language the perturbations that still want items of one of its pairs."""
        wanting = {
            language: [pair for pair in self.quota if pair.rpartition("-")[2] == language] for language in self.able
        }
        return {
            language: [
                spec
                for spec in specs
                if any(self.tallies[spec].made[pair] < self.quota[pair] for pair in wanting[language])
            ]
            for language, specs in self.able.items()
        }

    def _outcomes(self) -> Iterator[tuple[int, list[Outcome]]]:
        from assay.perturb.making.corpus import segments
        from assay.perturb.making.maker import Maker, chunks, start_worker, work

        pieces = iter(chunks(segments(self.corpus, self.langpair)))
        specs = [one.spec for one in self.chosen]
        if self.workers == 1:
            maker = Maker(specs, self.seed, self.found.others)
            while (able := self._open_specs()) and any(able.values()) and (piece := next(pieces, None)):
                yield len(piece), maker.chunk(piece, able)
            return
        with _pool(self.workers, start_worker, (specs, self.seed, self.found.others)) as submit:
            waiting: deque[tuple[int, Future[list[Outcome]]]] = deque()
            while any((able := self._open_specs()).values()):
                while len(waiting) < self.workers * IN_FLIGHT and (piece := next(pieces, None)):
                    waiting.append((len(piece), submit(work, piece, able)))
                if not waiting:
                    return
                size, future = waiting.popleft()
                yield size, future.result()

    def card(self, left_out: Mapping[str, str]) -> dict[str, Any]:
        """The data card: what was made from what, with which tools."""
        from assay.perturb.making.provenance import provenance

        entries = {}
        for one in self.chosen:
            if one.spec in left_out:
                continue
            tally, about = self.tallies[one.spec], one.perturbation.card
            entries[one.spec] = {
                "made": sum(tally.made.values()),
                "by langpair": dict(sorted(tally.made.items())),
                "refused": dict(sorted(tally.refused.items(), key=lambda entry: (-entry[1], entry[0]))),
                "failed its check": dict(sorted(tally.failed.items(), key=lambda entry: (-entry[1], entry[0]))),
                "follows": list(about.follows),
                "phenomenon": about.phenomenon,
                "rule approximates people": about.manual,
            }
        needs = {need for one in self.chosen if one.spec not in left_out for need in one.perturbation.card.needs}
        return {
            "items": sum(entry["made"] for entry in entries.values()),
            "seed": self.seed,
            "n": self.n,
            "segments": self.found.rows,
            "usable by langpair": dict(sorted(self.found.usable.items())),
            "corpus": {"digest": self.found.digest, "problems": self.found.problems()},
            "perturbations": entries,
            "left out": dict(left_out),
            **provenance(needs),
        }


@contextmanager
def _pool(workers: int, start: Callable[..., None], arguments: tuple[Any, ...]) -> Iterator[Callable[..., Any]]:
    """Worker processes, each started afresh; what is not yet begun is dropped at the end."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=start, initargs=arguments)
    try:
        yield pool.submit
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
