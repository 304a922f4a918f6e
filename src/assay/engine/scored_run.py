"""Outcome of a scoring run: totals in memory, values and statistics read back chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from assay.core.batch import MISSING_REFERENCE
from assay.core.chunk import Chunk, Retained
from assay.core.errors import InputError
from assay.core.flags import total_flags
from assay.core.metric import Metric, Scores, statistics
from assay.engine.languages import Shares

if TYPE_CHECKING:
    from assay.core.metric import Bools, Floats
    from assay.engine.progress_file import ProgressFile

RowsDone = Callable[[int, bool], None]
"""Called after every chunk with the number of rows in it and whether it came from the progress file."""


@dataclass
class ScoredRun:
    """What a run knows when it is through. Values and statistics are read back chunk by chunk."""

    asked: Mapping[str, Metric]
    retained: Retained = Retained()  # noqa: RUF009
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    """What there are scores by: what was `asked` for as it was computed, a metric for each target language where it goes by that
    and the rows are in several."""
    shares: Shares = field(default_factory=dict)
    """Which of the rows such a metric is about."""
    languages: list[str] = field(default_factory=list)
    """The target languages, where a metric goes by them."""
    systems: list[str] = field(default_factory=list)
    segments: dict[str, int] = field(default_factory=dict)
    totals: dict[str, dict[str, Floats]] = field(default_factory=dict)
    system_flags: dict[str, dict[str, int]] = field(default_factory=dict)
    """By system, how many of its rows a reader should know about, and why."""
    nrefs: int = 0
    data_hash: str = ""
    reused: int = 0
    scored: int = 0
    started: str = ""
    notices: list[str] = field(default_factory=list)
    """What people should hear: scores that could not be stored, a run that cannot be resumed, a slow device."""
    alerts: list[str] = field(default_factory=list)
    """Those of the notices that change how the numbers must be read; see `assay.core.errors`."""
    progress_file: ProgressFile | None = None
    in_memory: list[Chunk] = field(default_factory=list)
    """The chunks of a run without a progress file."""

    def __len__(self) -> int:
        return sum(self.segments.values())

    def chunks(self) -> Iterator[Chunk]:
        """Every chunk, in order; its scores go by the names that were `asked` for."""
        if self.progress_file is None:
            yield from self.in_memory
        else:
            yield from (Chunk.of_arrays(arrays) for _, arrays in self.progress_file.chunks())

    def scores(self, system: str, metric: str) -> Iterator[Scores]:
        """What one metric said about one system, in order, a chunk at a time; one of `shares` says nothing of other languages."""
        asked, number = self.shares.get(metric, (metric, None))
        code = self.systems.index(system)
        for chunk in self.chunks():
            rows = np.flatnonzero(chunk.codes == code)
            found = chunk.scores[asked].take(rows)
            yield found if number is None or chunk.spoken is None else _only(found, chunk.spoken[rows] == number)

    def values(self, system: str, metric: str) -> Iterator[Floats]:
        """Segment values of one system and metric, in order, a chunk at a time."""
        if metric in self.shares:
            yield from (scores.values for scores in self.scores(system, metric))
            return
        code = self.systems.index(system)
        for chunk in self.chunks():
            yield chunk.scores[metric].values[chunk.codes == code]

    def partial(self, metric: str) -> bool:
        """Whether a metric is not about all rows: one for each language, or some rows lack the reference that it needs."""
        return metric in self.shares or (self.metrics[metric].card.needs_reference and MISSING_REFERENCE in self.flags)

    def count(self, system: str, metric: str) -> int:
        """How many segments of a system a metric is about."""
        return int(self.about(system, metric).sum()) if self.partial(metric) else self.segments[system]

    def stats(self, system: str, metric: str) -> Floats:
        """Sufficient statistics of all segments of one system and metric; a run must have kept them."""
        if not self.retained.stats:
            raise ValueError("this run did not keep its statistics")
        return np.concatenate([statistics(scores) for scores in self.scores(system, metric)])

    def about(self, system: str, metric: str) -> Bools:
        """Which segments of a system a metric is about: those with the reference that it may need, of the language of one of
        `shares`."""
        if not self.partial(metric):
            return np.ones(self.segments[system], bool)
        code = self.systems.index(system)
        return np.concatenate([self.about_rows(chunk, metric)[chunk.codes == code] for chunk in self.chunks()])

    def about_rows(self, chunk: Chunk, metric: str) -> Bools:
        """The same for the rows of a chunk."""
        _, number = self.shares.get(metric, (metric, None))
        rows = np.ones(len(chunk), bool) if number is None or chunk.spoken is None else chunk.spoken == number
        if self.metrics[metric].card.needs_reference and MISSING_REFERENCE in chunk.raised:
            rows = rows & ~chunk.raised[MISSING_REFERENCE]
        return rows

    def own_values(self, system: str, metric: str) -> Iterator[Floats]:
        """Values of the segments that a metric is `about`, in order, a chunk at a time."""
        if metric not in self.shares:
            yield from self.values(system, metric)
            return
        code, (asked, number) = self.systems.index(system), self.shares[metric]
        for chunk in self.chunks():
            yield chunk.scores[asked].values[(chunk.codes == code) & (chunk.spoken == number)]

    def own_stats(self, system: str, metric: str) -> Floats:
        """`stats` of the segments that the metric is `about`: what resampling draws from."""
        stats = self.stats(system, metric)
        return stats[self.about(system, metric)] if self.partial(metric) else stats

    def flagged(self) -> dict[str, dict[str, int]]:
        """`system_flags` with every system, also one of which nothing is to be said."""
        return {system: self.system_flags.get(system, {}) for system in self.systems}

    @property
    def flags(self) -> dict[str, int]:
        """How many rows of all systems a reader should know about, and why: flags of the texts, then of metrics."""
        return total_flags(self.system_flags)

    @property
    def signatures(self) -> dict[str, str]:
        """Each metric's signature with the number of references."""
        return {name: metric.signed(self.nrefs) for name, metric in self.metrics.items()}

    @property
    def corpus(self) -> dict[str, dict[str, float]]:
        """Corpus scores by system and metric."""
        return {
            system: {name: float(self.metrics[name].combine(sums)) for name, sums in row.items()}
            for system, row in self.totals.items()
        }

    def refuse_all_missing(self) -> None:
        """Refuse a run in which a system has no reference at all, and a metric needs one."""
        for metric in self.asked.values():
            for system, rows in self.segments.items() if metric.card.needs_reference else ():
                if rows and self.flagged()[system].get(MISSING_REFERENCE, 0) == rows:
                    of = f" of {system}" if len(self.segments) > 1 else ""
                    raise InputError(f"{metric.card.name} needs a reference, and no segment{of} has one.")

    def close(self) -> None:
        """Let go of the progress file; the same run finds it again."""
        if self.progress_file is not None:
            self.progress_file.close()

    def finish(self) -> None:
        """The results are safe: the progress file goes."""
        if self.progress_file is not None:
            self.progress_file.finish()


def _only(scores: Scores, rows: Bools) -> Scores:
    """The scores of some rows, and nothing about the others."""
    return Scores(
        values=np.where(rows, scores.values, np.nan),
        stats=None if scores.stats is None else np.where(rows[:, None], scores.stats, 0.0),
        components={name: np.where(rows, column, np.nan) for name, column in scores.components.items()},
        spans=None if scores.spans is None else [s if r else () for s, r in zip(scores.spans, rows, strict=True)],
        flags={name: column & rows for name, column in scores.flags.items()},
    )
