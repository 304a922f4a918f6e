"""Result of a scoring run: totals in memory, values and statistics read back chunk by chunk."""

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
    """The result of a finished run. Values and statistics are read back chunk by chunk."""

    asked: Mapping[str, Metric]
    retained: Retained = Retained()  # noqa: RUF009
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    """The metrics as computed: those that were `asked` for, with one variant per target language if a metric depends on it and
    there are several languages."""
    shares: Shares = field(default_factory=dict)
    """For each such variant, the requested metric and the index of its language."""
    languages: list[str] = field(default_factory=list)
    """The target languages, if a metric depends on them."""
    systems: list[str] = field(default_factory=list)
    segments: dict[str, int] = field(default_factory=dict)
    totals: dict[str, dict[str, Floats]] = field(default_factory=dict)
    system_flags: dict[str, dict[str, int]] = field(default_factory=dict)
    """The number of rows with each flag, by system."""
    nrefs: int = 0
    data_hash: str = ""
    reused: int = 0
    scored: int = 0
    started: str = ""
    notices: list[str] = field(default_factory=list)
    """Messages to report: scores that could not be stored, a run that cannot be resumed, a slow device."""
    alerts: list[str] = field(default_factory=list)
    """The notices that affect how scores must be read; see `assay.core.errors`."""
    progress_file: ProgressFile | None = None
    in_memory: list[Chunk] = field(default_factory=list)
    """The chunks of a run without a progress file."""

    def __len__(self) -> int:
        return sum(self.segments.values())

    def chunks(self) -> Iterator[Chunk]:
        """Yield every chunk in order, with scores under the names of the requested metrics."""
        if self.progress_file is None:
            yield from self.in_memory
        else:
            yield from (Chunk.of_arrays(arrays) for _, arrays in self.progress_file.chunks())

    def scores(self, system: str, metric: str) -> Iterator[Scores]:
        """Yield the scores of one system by one metric, chunk by chunk; a variant in `shares` scores its own language only."""
        requested, number = self.shares.get(metric, (metric, None))
        code = self.systems.index(system)
        for chunk in self.chunks():
            rows = np.flatnonzero(chunk.codes == code)
            scores = chunk.scores[requested].take(rows)
            yield (
                scores
                if number is None or chunk.language_codes is None
                else _only(scores, chunk.language_codes[rows] == number)
            )

    def values(self, system: str, metric: str) -> Iterator[Floats]:
        """Yield the segment values of one system and metric, chunk by chunk."""
        if metric in self.shares:
            yield from (scores.values for scores in self.scores(system, metric))
            return
        code = self.systems.index(system)
        for chunk in self.chunks():
            yield chunk.scores[metric].values[chunk.codes == code]

    def partial(self, metric: str) -> bool:
        """Return whether a metric covers only some rows: one language of several, or rows with a reference."""
        return metric in self.shares or (self.metrics[metric].card.needs_reference and MISSING_REFERENCE in self.flags)

    def count(self, system: str, metric: str) -> int:
        """Return the number of a system's segments that the metric covers."""
        return int(self.about(system, metric).sum()) if self.partial(metric) else self.segments[system]

    def stats(self, system: str, metric: str) -> Floats:
        """Return the sufficient statistics of all segments of one system and metric, if the run retained them."""
        if not self.retained.stats:
            raise ValueError("this run did not retain its statistics")
        return np.concatenate([statistics(scores) for scores in self.scores(system, metric)])

    def about(self, system: str, metric: str) -> Bools:
        """Return a mask of a system's segments that the metric covers: with any required reference, in its variant's language."""
        if not self.partial(metric):
            return np.ones(self.segments[system], bool)
        code = self.systems.index(system)
        return np.concatenate([self.about_rows(chunk, metric)[chunk.codes == code] for chunk in self.chunks()])

    def about_rows(self, chunk: Chunk, metric: str) -> Bools:
        """Return a mask of a chunk's rows that the metric covers."""
        _, number = self.shares.get(metric, (metric, None))
        rows = (
            np.ones(len(chunk), bool)
            if number is None or chunk.language_codes is None
            else chunk.language_codes == number
        )
        if self.metrics[metric].card.needs_reference and MISSING_REFERENCE in chunk.raised:
            rows = rows & ~chunk.raised[MISSING_REFERENCE]
        return rows

    def own_values(self, system: str, metric: str) -> Iterator[Floats]:
        """Yield the values of the segments that a metric covers, chunk by chunk."""
        if metric not in self.shares:
            yield from self.values(system, metric)
            return
        code, (requested, number) = self.systems.index(system), self.shares[metric]
        for chunk in self.chunks():
            yield chunk.scores[requested].values[(chunk.codes == code) & (chunk.language_codes == number)]

    def own_stats(self, system: str, metric: str) -> Floats:
        """Return the statistics of the segments that a metric covers, from which resampling draws."""
        stats = self.stats(system, metric)
        return stats[self.about(system, metric)] if self.partial(metric) else stats

    def flagged(self) -> dict[str, dict[str, int]]:
        """Return `system_flags` with an entry for every system."""
        return {system: self.system_flags.get(system, {}) for system in self.systems}

    @property
    def flags(self) -> dict[str, int]:
        """The number of rows with each flag over all systems: text flags, then metric flags."""
        return total_flags(self.system_flags)

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each metric, with the number of references."""
        return {name: metric.signed(self.nrefs) for name, metric in self.metrics.items()}

    @property
    def corpus(self) -> dict[str, dict[str, float]]:
        """Corpus scores by system and metric."""
        return {
            system: {name: float(self.metrics[name].combine(sums)) for name, sums in row.items()}
            for system, row in self.totals.items()
        }

    def refuse_all_missing(self) -> None:
        """Raise if a metric needs references and a system has none at all."""
        for metric in self.asked.values():
            for system, rows in self.segments.items() if metric.card.needs_reference else ():
                if rows and self.flagged()[system].get(MISSING_REFERENCE, 0) == rows:
                    of = f" of {system}" if len(self.segments) > 1 else ""
                    raise InputError(f"{metric.card.name} needs references, but no segment{of} has one.")

    def close(self) -> None:
        """Close the progress file; the same run can resume from it."""
        if self.progress_file is not None:
            self.progress_file.close()

    def finish(self) -> None:
        """Delete the progress file; the results are saved."""
        if self.progress_file is not None:
            self.progress_file.finish()


def _only(scores: Scores, rows: Bools) -> Scores:
    """Return the scores without those of other rows."""
    return Scores(
        values=np.where(rows, scores.values, np.nan),
        stats=None if scores.stats is None else np.where(rows[:, None], scores.stats, 0.0),
        components={name: np.where(rows, column, np.nan) for name, column in scores.components.items()},
        spans=None if scores.spans is None else [s if r else () for s, r in zip(scores.spans, rows, strict=True)],
        flags={name: column & rows for name, column in scores.flags.items()},
    )
