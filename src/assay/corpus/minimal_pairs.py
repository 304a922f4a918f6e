"""Reading and scoring of the minimal pairs in a shard, as in ``assay run FILE``, with one column per translation."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from assay.core.item import Item
from assay.core.rows import SIDES, SPANS, span_objects
from assay.corpus.job import Job
from assay.corpus.records import metrics_of
from assay.engine.measure import measure_items
from assay.io.table.bad_rows import BadRows
from assay.suites.contrastive import ItemReader, place_by_name

if TYPE_CHECKING:
    from assay.core.metric import Bools, Floats
    from assay.core.spans import ErrorSpan
    from assay.corpus.tally import CorpusTally
    from assay.io.table.open_table import OpenTable, Piece
    from assay.io.table.vocabulary import Layout


Spans: TypeAlias = "Sequence[ErrorSpan]"


@dataclass(frozen=True, slots=True)
class PairBatch:
    """Batch of items."""

    items: Sequence[Item]

    def __len__(self) -> int:
        return len(self.items)

    @property
    def nrefs(self) -> int:
        """Number of references."""
        return int(any(item.reference is not None for item in self.items))

    def slice(self, start: int, stop: int) -> PairBatch:
        """Return the rows from start to stop."""
        return PairBatch(self.items[start:stop])

    def select(self, rows: Sequence[int]) -> PairBatch:
        """Return these rows, in this order."""
        return PairBatch([self.items[row] for row in rows])


class PairColumns:
    """Reader that turns table rows into items; every row must be an item."""

    def __init__(self, table: OpenTable, layout: Layout, job: Job) -> None:
        self._table, self._auto = table, job.quoting == "auto"
        self.wanted = list(range(len(table.names)))
        self._reader = ItemReader(table.name, layout, job.langpair, BadRows(remedy=""))
        self._placed = functools.cache(place_by_name)

    def batch(self, piece: Piece) -> PairBatch:
        """Return a batch of items from a block of table rows."""
        clean = self._auto and not self._table.quoted
        items = [
            self._reader.item(number, row, clean, self._placed)
            for number, row in zip(piece.numbers, zip(*piece.columns, strict=True), strict=True)
        ]
        return PairBatch([item for item in items if item is not None])


@dataclass(frozen=True, slots=True)
class PairScores:
    """Scores of some pairs: two columns per metric, the good translation first; NaN for missing scores."""

    values: dict[str, Floats]
    flags: dict[str, int]
    spans: dict[str, list[tuple[Spans, Spans]]]
    """Error spans of both translations by metric, if requested and if the metric marks any."""

    def __len__(self) -> int:
        return len(next(iter(self.values.values())))


class PairRows:
    """Scoring of minimal pairs: one score for the good and one for the incorrect translation."""

    def __init__(self, job: Job) -> None:
        self.job, self.metrics = job, metrics_of(job)
        self.neural = any(metric.card.neural for metric in self.metrics.values())
        self._outcomes = {name: dict.fromkeys(("better", "equal", "worse", "unscored"), 0) for name in self.metrics}
        self._marking: dict[str, int] = {}

    def score(self, batch: PairBatch) -> PairScores:
        """Score some pairs."""
        values: dict[str, Floats] = {}
        flags: dict[str, int] = {}
        spans: dict[str, list[tuple[Spans, Spans]]] = {}
        for name, metric in self.metrics.items():
            measured = measure_items(batch.items, name, metric, workers=self.job.threads)
            assert measured.good is not None and measured.incorrect is not None
            values[name] = np.stack([measured.good, measured.incorrect], axis=1)
            flags |= {f"{name} {flag}": n for flag, n in measured.flags.items()}
            if self.job.spans and measured.good_spans is not None and measured.incorrect_spans is not None:
                spans[name] = list(zip(measured.good_spans, measured.incorrect_spans, strict=True))
        return PairScores(values, flags, spans)

    def joined(self, chunks: Sequence[PairScores], scored: Sequence[int], n: int) -> PairScores:
        """Return the scores of all `n` pairs; pairs that were not `scored` have no score."""
        values = {name: np.full((n, len(SIDES)), np.nan) for name in self.metrics}
        flags: dict[str, int] = {}
        for name, whole in values.items():
            if chunks:
                whole[list(scored)] = np.concatenate([chunk.values[name] for chunk in chunks])
        for chunk in chunks:
            for flag, n_rows in chunk.flags.items():
                flags[flag] = flags.get(flag, 0) + n_rows
        spans: dict[str, list[tuple[Spans, Spans]]] = {}
        for name in dict.fromkeys(name for chunk in chunks for name in chunk.spans):
            marked = [pair for chunk in chunks for pair in chunk.spans.get(name, [((), ())] * len(chunk))]
            by_row = dict(zip(scored, marked, strict=True))
            spans[name] = [by_row.get(row, ((), ())) for row in range(n)]
        return PairScores(values, flags, spans)

    def columns(self, chunk: PairScores) -> dict[str, list[Any]]:
        """Return the added columns."""
        added: dict[str, list[Any]] = {
            f"{name} {side}": [value if value == value else None for value in values[:, at].tolist()]
            for name, values in chunk.values.items()
            for at, side in enumerate(SIDES)
        }
        if self.job.spans:
            sides = {
                f"{name} {side}": [pair[at] for pair in pairs]
                for name, pairs in chunk.spans.items()
                for at, side in enumerate(SIDES)
            }
            added[SPANS] = span_objects(sides) if sides else [{}] * len(chunk)
        return added

    def count(self, tally: CorpusTally, chunk: PairScores, keep: Bools | None) -> None:
        """Count flags, and how often the good translation scores better."""
        for flag, n in chunk.flags.items():
            tally.flags[flag] = tally.flags.get(flag, 0) + n
        for name in chunk.spans:
            self._marking[name] = self._marking.get(name, 0) + len(chunk)
        for name, values in chunk.values.items():
            good, incorrect = values.T if self.metrics[name].card.higher_is_better else -values.T
            counts = self._outcomes[name]
            for outcome, rows in (
                ("better", good > incorrect), ("equal", good == incorrect), ("worse", good < incorrect),
                ("unscored", np.isnan(good) | np.isnan(incorrect)),
            ):  # fmt: skip
                counts[outcome] += int(rows.sum())

    def counted(self) -> dict[str, Any]:
        """Return, by metric, how often the good translation scores better, and the number of pairs with marked spans."""
        return {"pairs": self._outcomes, **({"marking": self._marking} if self._marking else {})}
