"""What becomes of rows by the purpose of a run: the columns that are added to them, and what is counted.

`score` is called with a batch at a time (`assay.corpus.bisection` cuts it where a row is at fault); `joined` puts what came of it
together again; `columns`, `count` and `counted` see it in the order of the rows.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from assay.core.chunk import Chunk, Retained
from assay.core.rows import FLAGS, SPANS
from assay.core.spans import no_spans_message
from assay.corpus.bisection import joined
from assay.corpus.execution import WorkerRefused, metrics_of
from assay.corpus.job import Job
from assay.corpus.minimal_pairs import PairRows
from assay.decide.apply import Tally, label_chunks
from assay.decide.rule import Rule
from assay.decide.tables import labels_columns
from assay.engine.run import score_chunk
from assay.engine.scored_run import ScoredRun

if TYPE_CHECKING:
    from assay.core.metric import Bools
    from assay.corpus.tally import CorpusTally

Added: TypeAlias = dict[str, list[Any]]


class RowsJob(Protocol):
    """Processing of the rows of a piece: scores, columns to add and counts.

    A batch (`ShardRows.batch`) and a chunk (what `score` returns for it) have a type per implementation.
    """

    neural: bool
    """Whether a neural metric scores the rows."""

    def score(self, batch: Any) -> Any:
        """Score a batch of rows."""

    def joined(self, chunks: Sequence[Any], scored: Sequence[int], n: int) -> Any:
        """Join the chunks of `n` rows, of which these were `scored`; None if there is nothing to write."""

    def columns(self, chunk: Any) -> Added:
        """Return the added columns, in the order of `Job.added`."""

    def count(self, tally: CorpusTally, chunk: Any, keep: Bools | None) -> None:
        """Add a chunk to the tally; `keep` says which rows are written (None: all)."""

    def counted(self) -> dict[str, Any]:
        """Return further counts of the whole piece, as plain values that can be added up."""
        return {}


def rows_for(job: Job) -> RowsJob:
    """Return the processing that a job asks for."""
    if job.purpose == "pairs":
        return PairRows(job)
    if job.settings.get("ready"):
        from assay.corpus.precomputed import PrecomputedRows

        return PrecomputedRows(job)
    return LabelledRows(job) if job.purpose == "label" else ScoredRows(job)


class ScoredRows:
    """Translations: scores, flags and spans."""

    def __init__(self, job: Job) -> None:
        self.job, self.metrics = job, metrics_of(job)
        self.neural = any(metric.card.neural for metric in self.metrics.values())
        self._run = ScoredRun(self.metrics, self.retained())

    def retained(self) -> Retained:
        """What is needed of a chunk."""
        return Retained(stats=bool(self.job.keep), spans=self.job.spans, flags=self.job.flags)

    def score(self, batch: Any) -> Chunk:
        """Scores of some rows."""
        chunk = score_chunk(batch, self._run, self.job.threads, None, self.job.identify)
        self._run.systems[:], self._run.languages[:] = chunk.systems, chunk.languages
        return chunk

    def joined(self, chunks: Sequence[Chunk], scored: Sequence[int], n: int) -> Chunk | None:
        """The chunks of `n` rows as one, of which these were `scored`; None where none was."""
        return joined(chunks) if chunks else None

    def columns(self, chunk: Chunk) -> Added:
        """The columns that are added, in the order of `Job.added`."""
        added: Added = {name: scores.values.tolist() for name, scores in chunk.scores.items()}
        if self.job.flags != "none":
            added[FLAGS] = chunk.flag_lists()
        if self.job.spans:
            spans = chunk.span_objects()
            if spans is None:
                raise WorkerRefused(no_spans_message(*chunk.scores))
            added[SPANS] = spans
        return added

    def count(self, tally: CorpusTally, chunk: Chunk, keep: Bools | None) -> None:
        """Count them."""
        tally.add(chunk, self.metrics, keep)

    def counted(self) -> dict[str, Any]:
        """What was counted of the whole piece beside the tally, as plain values that can be added up."""
        return {}


class LabelledRows(ScoredRows):
    """Translations by a rule: label, probability and reason, beside the scores that they go by."""

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._rule = rule_of(job)
        self._labels = Tally(self._rule)

    def retained(self) -> Retained:
        """Reasons name the worst span; limits go by the language."""
        return Retained(stats=bool(self.job.keep), spans=True, columns=("langpairs",), flags=self.job.flags)

    def columns(self, chunk: Chunk) -> Added:
        """See `ScoredRows`."""
        found = next(label_chunks(self._rule, [chunk], self.job.settings["language"], flags=self.job.flags != "none"))
        self._labels.add(found)
        columns = labels_columns(found)
        return {name: list(columns[name]) for name in self.job.added}

    def counted(self) -> dict[str, Any]:
        """Labels by language, and how the scores lie beside those that the rule was learned from."""
        return self._labels.to_dict()


def rule_of(job: Job) -> Rule:
    """The rule that rows are labelled by, read once in this process."""
    return _rule(json.dumps(job.settings["rule"]))


@functools.lru_cache(maxsize=1)
def _rule(values: str) -> Rule:
    return Rule.from_dict(json.loads(values))
