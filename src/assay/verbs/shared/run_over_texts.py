"""Base class for the results of score and compare, and the notes below their tables."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assay.analyses.comparison_tables import components_table
from assay.core.batch import MISSING_REFERENCE
from assay.core.errors import count
from assay.core.metric import Metric
from assay.verbs.result import Result
from assay.verbs.shared.view_rows import view_of_run

if TYPE_CHECKING:
    from assay.analyses.comparison import Standings
    from assay.core.view_data import ViewData
    from assay.engine.manifest import Manifest
    from assay.engine.scored_run import ScoredRun


@dataclass(repr=False)
class RunOverTexts(Result):
    """Result with its underlying run, which may be on disk until the result is deleted."""

    run: ScoredRun
    standings: Standings
    seed: int | None = field(default=None, kw_only=True)
    """Seed of the resampling, if there was any."""

    headline = "systems"

    def __post_init__(self) -> None:
        self.signatures = self.run.signatures
        self.notes, self.alerts = list(self.run.notices), list(self.run.alerts)
        self._release = weakref.finalize(self, self.run.finish)

    def __enter__(self) -> RunOverTexts:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Delete the progress file, unless an error occurred, so that the same call can resume from it."""
        if kind is not None:
            self.run.close()
        self._release()

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Metrics by requested name; one that depends on the target language has an entry per language (``bleu zh``)."""
        return self.run.metrics

    @property
    def components(self) -> dict[str, dict[str, dict[str, float]]]:
        """Components of corpus scores by system and metric, such as BLEU's brevity penalty, lengths and precisions."""
        return {
            system: {
                name: dict(values) for name, sums in row.items() if (values := self.metrics[name].components(sums))
            }
            for system, row in self.run.totals.items()
        }

    @property
    def flags(self) -> dict[str, int]:
        """Number of segments by flag: ``empty_hypothesis``, ``comet truncated`` …"""
        return self.run.flags

    def add_components(self) -> None:
        """Add the table `components` if a metric has any."""
        self.tables |= {table.name: table for table in components_table(self.components, self.metrics)}

    @property
    def system_flags(self) -> dict[str, dict[str, int]]:
        """Number of segments by system and flag; empty for a system without flags."""
        return self.run.flagged()

    def viewed(self) -> ViewData:
        """Return every translation with its scores; texts and spans if they were kept."""
        return view_of_run(self.run)

    def manifest(self) -> Manifest:
        run = self.run
        return replace(
            super().manifest(),
            data_hash=run.data_hash,
            chunks_reused=run.reused,
            chunks_scored=run.scored,
            seed=self.seed,
        )

    def sizes(self) -> Mapping[str, int]:
        return self.run.segments

    def modules(self) -> Sequence[str]:
        return [type(metric).__module__ for metric in self.metrics.values()]


def segments_note(run: ScoredRun) -> str:
    """Return the number of segments: ``1,997 segments``, or ``1 to 20 segments``."""
    return _range(run.segments.values(), "segment") + about_note(run)


def fewest_segments(run: ScoredRun) -> int:
    """Return the smallest number of segments that a metric covers."""
    return min(run.count(system, name) for system in run.systems for name in run.metrics)


def about_note(run: ScoredRun) -> str:
    """Return the number of segments that metrics cover if rows without a reference are left out: ``; 160 for chrF, BLEU``."""
    labels_by_count: dict[str, list[str]] = {}
    for name in run.metrics if MISSING_REFERENCE in run.flags else ():
        if run.metrics[name].card.needs_reference:
            counts = [run.count(system, name) for system in run.systems]
            labels_by_count.setdefault(_range(counts, "segment").rpartition(" ")[0], []).append(
                run.metrics[name].card.label
            )
    return "".join(f"; {n} for {', '.join(labels)}" for n, labels in labels_by_count.items())


def _range(counts: Collection[int], noun: str) -> str:
    low, *_, high = *sorted(set(counts)), max(counts)
    return count(low, noun) if low == high else f"{low:,} to {count(high, noun)}"
