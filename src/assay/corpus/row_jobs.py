"""Row processing for each purpose of a run: the columns to add and the values to count.

`score` is called per batch (`assay.corpus.bisection` halves a batch with a bad row), and `joined` joins the results. `columns`,
`count` and `counted` are called in row order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from assay.core.chunk import Chunk, Retained
from assay.core.rows import FLAGS, SPANS
from assay.core.spans import no_spans_message
from assay.corpus.bisection import joined
from assay.corpus.job import Job
from assay.corpus.minimal_pairs import PairRows
from assay.corpus.precomputed import PrecomputedRows, rule_of
from assay.corpus.records import WorkerRefused, metrics_of
from assay.decide.apply import Tally, label_chunks
from assay.decide.tables import labels_columns
from assay.engine.run import score_chunk
from assay.engine.scored_run import ScoredRun

if TYPE_CHECKING:
    from assay.core.metric import Bools
    from assay.corpus.tally import CorpusTally

Added: TypeAlias = dict[str, list[Any]]


class RowsJob(Protocol):
    """Processing of a part's rows: scores, columns to add and counts.

    Each implementation has its own batch type (`ShardRows.batch`) and chunk type (the result of `score`).
    """

    neural: bool
    """Whether a neural metric scores the rows."""

    def score(self, batch: Any) -> Any:
        """Score a batch of rows."""

    def joined(self, chunks: Sequence[Any], scored: Sequence[int], n: int) -> Any:
        """Join the chunks of `n` rows, of which these were `scored`; None if no row was scored."""

    def columns(self, chunk: Any) -> Added:
        """Return the added columns, in the order of `Job.added`."""

    def count(self, tally: CorpusTally, chunk: Any, keep: Bools | None) -> None:
        """Add a chunk to the tally; `keep` selects the rows that are written (None: all)."""

    def counted(self) -> dict[str, Any]:
        """Return additional counts for the whole part, as plain values that can be summed."""
        return {}


def rows_for(job: Job) -> RowsJob:
    """Return the processing for a job."""
    if job.purpose == "pairs":
        return PairRows(job)
    if job.settings.get("ready"):
        return PrecomputedRows(job)
    return LabelledRows(job) if job.purpose == "label" else ScoredRows(job)


class ScoredRows:
    """Scores, flags and error spans of translations."""

    def __init__(self, job: Job) -> None:
        self.job, self.metrics = job, metrics_of(job)
        self.neural = any(metric.card.neural for metric in self.metrics.values())
        self._run = ScoredRun(self.metrics, self.retained())

    def retained(self) -> Retained:
        """Return the data that a chunk must retain."""
        return Retained(stats=bool(self.job.keep), spans=self.job.spans, flags=self.job.flags)

    def score(self, batch: Any) -> Chunk:
        chunk = score_chunk(batch, self._run, self.job.threads, None, self.job.identify)
        self._run.systems[:], self._run.languages[:] = chunk.systems, chunk.languages
        return chunk

    def joined(self, chunks: Sequence[Chunk], scored: Sequence[int], n: int) -> Chunk | None:
        return joined(chunks) if chunks else None

    def columns(self, chunk: Chunk) -> Added:
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
        tally.add(chunk, self.metrics, keep)

    def counted(self) -> dict[str, Any]:
        """Return no additional counts."""
        return {}


class LabelledRows(ScoredRows):
    """Labels from a rule: label, probability and reason, with the underlying scores."""

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._rule = rule_of(job)
        self._labels = Tally(self._rule)

    def retained(self) -> Retained:
        """Return the data that a chunk must retain: spans for the reasons, languages for the thresholds."""
        return Retained(stats=bool(self.job.keep), spans=True, columns=("langpairs",), flags=self.job.flags)

    def columns(self, chunk: Chunk) -> Added:
        decisions = next(
            label_chunks(self._rule, [chunk], self.job.settings["language"], flags=self.job.flags != "none")
        )
        self._labels.add(decisions)
        columns = labels_columns(decisions)
        return {name: list(columns[name]) for name in self.job.added}

    def counted(self) -> dict[str, Any]:
        """Return labels by language, and counts for the drift check."""
        return self._labels.to_dict()
