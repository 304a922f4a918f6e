"""Labels for rows that already contain a rule's scores; no metric runs."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.corpus.job import Job
from assay.corpus.records import check_version
from assay.decide.apply import Tally, decide
from assay.decide.rule import Rule
from assay.decide.tables import labels_columns
from assay.io.judgements.outcomes import score_value
from assay.io.scores.precomputed import ROLES
from assay.io.table.open_table import score_place
from assay.io.table.role_columns import lay_out

if TYPE_CHECKING:
    from assay.core.metric import Bools, Floats
    from assay.corpus.tally import CorpusTally
    from assay.io.table.open_table import OpenTable, Piece
    from assay.io.table.vocabulary import Layout


@dataclass(frozen=True, slots=True)
class PrecomputedBatch:
    """Scores of some rows, and their languages (empty without a language column)."""

    scores: dict[str, Floats]
    languages: Sequence[str]
    nrefs: int = 0

    def __len__(self) -> int:
        return len(self.languages)

    def slice(self, start: int, stop: int) -> PrecomputedBatch:
        """Return the rows from start to stop."""
        return self.select(range(start, stop))

    def select(self, rows: Sequence[int]) -> PrecomputedBatch:
        """Return these rows, in this order."""
        taken = {name: column[list(rows)] for name, column in self.scores.items()}
        return PrecomputedBatch(taken, [self.languages[row] for row in rows])


def precomputed_layout(table: OpenTable, job: Job) -> Layout:
    """Find the language column; score columns are found by name."""
    return lay_out(table, ROLES, {role: column for role, column in job.choice.items() if ROLES.name_of(role)} or None)


class PrecomputedColumns:
    """Reader that turns table rows into scores."""

    def __init__(self, table: OpenTable, layout: Layout, job: Job) -> None:
        self._table, self._scores = table, job.settings["ready"]
        places = [score_place(table, column) for column in self._scores.values()]
        language = layout.places.get("language")
        self._spoken = language is not None
        self.wanted = [*places, *([] if language is None else [language])]

    def batch(self, piece: Piece) -> PrecomputedBatch:
        """Return a batch of scores from a block of table rows."""
        where = [f"{self._table.name} {piece.where(i)}" for i in range(len(piece.numbers))]
        scores = {
            name: np.array([score_value(value, name, location) for value, location in zip(cells, where, strict=True)])
            for name, cells in zip(self._scores, piece.columns, strict=False)
        }
        cells: Sequence[Any] = piece.columns[-1] if self._spoken else [None] * len(where)
        return PrecomputedBatch(scores, ["" if value is None else str(value) for value in cells])


class PrecomputedRows:
    """Labels from a rule and precomputed scores: label, probability and reason."""

    neural = False

    def __init__(self, job: Job) -> None:
        check_version(job)
        self._job, self._rule = job, rule_of(job)
        self._labels = Tally(self._rule)

    def score(self, batch: PrecomputedBatch) -> PrecomputedBatch:
        """Return the batch, which already has its scores."""
        return batch

    def joined(self, chunks: Sequence[PrecomputedBatch], scored: Sequence[int], n: int) -> PrecomputedBatch | None:
        """Join the chunks."""
        if not chunks:
            return None
        scores = {name: np.concatenate([chunk.scores[name] for chunk in chunks]) for name in chunks[0].scores}
        return PrecomputedBatch(scores, [language for chunk in chunks for language in chunk.languages])

    def columns(self, chunk: PrecomputedBatch) -> dict[str, list[Any]]:
        """Return the added columns."""
        decisions = decide(self._rule, chunk.scores, self._job.settings["language"] or chunk.languages)
        self._labels.add(decisions)
        columns = labels_columns(decisions)
        return {name: list(columns[name]) for name in self._job.added}

    def count(self, tally: CorpusTally, chunk: PrecomputedBatch, keep: Bools | None) -> None:
        """Count nothing, because nothing was scored."""

    def counted(self) -> dict[str, Any]:
        """Return labels by language, and counts for the drift check."""
        return self._labels.to_dict()


def rule_of(job: Job) -> Rule:
    """Return the rule of a job, read once per process."""
    return _rule(json.dumps(job.settings["rule"]))


@functools.lru_cache(maxsize=1)
def _rule(values: str) -> Rule:
    return Rule.from_dict(json.loads(values))
