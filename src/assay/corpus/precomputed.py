"""Rows that bring the scores a rule was learned from: they are labelled, and nothing is scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.corpus.execution import check_version
from assay.corpus.job import Job
from assay.corpus.row_jobs import rule_of
from assay.decide.apply import Tally, decide
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
    """Scores of some rows, and the language of each (empty where no column has it)."""

    scores: dict[str, Floats]
    languages: Sequence[str]
    nrefs: int = 0

    def __len__(self) -> int:
        return len(self.languages)

    def slice(self, start: int, stop: int) -> PrecomputedBatch:
        """Rows start to stop."""
        return self.select(range(start, stop))

    def select(self, rows: Sequence[int]) -> PrecomputedBatch:
        """The given rows, in the given order."""
        taken = {name: column[list(rows)] for name, column in self.scores.items()}
        return PrecomputedBatch(taken, [self.languages[row] for row in rows])


def precomputed_layout(table: OpenTable, job: Job) -> Layout:
    """Which column has the language; the columns of scores are found by name."""
    return lay_out(table, ROLES, {role: column for role, column in job.choice.items() if ROLES.name_of(role)} or None)


class PrecomputedColumns:
    """Pieces of a table as scores."""

    def __init__(self, table: OpenTable, layout: Layout, job: Job) -> None:
        self._table, self._scores = table, job.settings["ready"]
        places = [score_place(table, column) for column in self._scores.values()]
        language = layout.places.get("language")
        self._spoken = language is not None
        self.wanted = [*places, *([] if language is None else [language])]

    def batch(self, piece: Piece) -> PrecomputedBatch:
        """The piece, every score a number."""
        where = [f"{self._table.name} {piece.where(i)}" for i in range(len(piece.numbers))]
        scores = {
            name: np.array([score_value(value, name, place) for value, place in zip(cells, where, strict=True)])
            for name, cells in zip(self._scores, piece.columns, strict=False)
        }
        cells: Sequence[Any] = piece.columns[-1] if self._spoken else [None] * len(where)
        return PrecomputedBatch(scores, ["" if value is None else str(value) for value in cells])


class PrecomputedRows:
    """Translations by a rule and their ready scores: label, probability and reason."""

    neural = False

    def __init__(self, job: Job) -> None:
        check_version(job)
        self._job, self._rule = job, rule_of(job)
        self._labels = Tally(self._rule)

    def score(self, batch: PrecomputedBatch) -> PrecomputedBatch:
        """They have their scores."""
        return batch

    def joined(self, chunks: Sequence[PrecomputedBatch], scored: Sequence[int], n: int) -> PrecomputedBatch | None:
        """The chunks as one."""
        if not chunks:
            return None
        scores = {name: np.concatenate([chunk.scores[name] for chunk in chunks]) for name in chunks[0].scores}
        return PrecomputedBatch(scores, [language for chunk in chunks for language in chunk.languages])

    def columns(self, chunk: PrecomputedBatch) -> dict[str, list[Any]]:
        """The columns that are added."""
        found = decide(self._rule, chunk.scores, self._job.settings["language"] or chunk.languages)
        self._labels.add(found)
        columns = labels_columns(found)
        return {name: list(columns[name]) for name in self._job.added}

    def count(self, tally: CorpusTally, chunk: PrecomputedBatch, keep: Bools | None) -> None:
        """Nothing was scored."""

    def counted(self) -> dict[str, Any]:
        """Labels by language, and how the scores lie beside those that the rule was learned from."""
        return self._labels.to_dict()
