"""Results of a run over texts: what score and compare share, and the notes under their tables."""

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
    """What score and compare share: the run behind their tables, which may lie on the disk until the result is let go."""

    run: ScoredRun
    standings: Standings
    seed: int | None = field(default=None, kw_only=True)
    """The seed, where anything was drawn."""

    headline = "systems"

    def __post_init__(self) -> None:
        self.signatures = self.run.signatures
        self.notes, self.alerts = list(self.run.notices), list(self.run.alerts)
        self._release = weakref.finalize(self, self.run.finish)

    def __enter__(self) -> RunOverTexts:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """The results are written: the progress file goes. After an error it stays, and the same call goes on from there."""
        if kind is not None:
            self.run.close()
        self._release()

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics by the name they were asked for; one that goes by the target language, for each of several (``bleu zh``)."""
        return self.run.metrics

    @property
    def components(self) -> dict[str, dict[str, dict[str, float]]]:
        """What corpus scores are made of, by system and metric: BLEU's brevity penalty, lengths and precisions."""
        return {
            system: {name: dict(found) for name, sums in row.items() if (found := self.metrics[name].components(sums))}
            for system, row in self.run.totals.items()
        }

    @property
    def flags(self) -> dict[str, int]:
        """How many segments a reader should know about: ``empty_hypothesis``, ``comet truncated`` …"""
        return self.run.flags

    def add_components(self) -> None:
        """The table `components`, behind the others, where a metric says what its score is made of."""
        self.tables |= {table.name: table for table in components_table(self.components, self.metrics)}

    @property
    def system_flags(self) -> dict[str, dict[str, int]]:
        """The same, by system; one of which nothing is to be said has an empty dictionary."""
        return self.run.flagged()

    def viewed(self) -> ViewData:
        """Every translation with its scores; texts and spans where they were kept."""
        return view_of_run(self.run)

    def manifest(self) -> Manifest:
        """What was asked and done, and how much of it an earlier run had left."""
        run = self.run
        return replace(
            super().manifest(),
            data_hash=run.data_hash,
            chunks_reused=run.reused,
            chunks_scored=run.scored,
            seed=self.seed,
        )

    def sizes(self) -> Mapping[str, int]:
        """Segments by system."""
        return self.run.segments

    def modules(self) -> Sequence[str]:
        """Where the metrics come from."""
        return [type(metric).__module__ for metric in self.metrics.values()]


def segments_note(run: ScoredRun) -> str:
    """How many segments the systems have: ``1,997 segments``, or ``1 to 20 segments``."""
    return _range(run.segments.values(), "segment") + about_note(run)


def fewest_segments(run: ScoredRun) -> int:
    """The smallest number of segments that a metric is about."""
    return min(run.count(system, name) for system in run.systems for name in run.metrics)


def about_note(run: ScoredRun) -> str:
    """How many segments a metric is about if rows without a reference are left out: ``; 160 for chrF, BLEU``."""
    found: dict[str, list[str]] = {}
    for name in run.metrics if MISSING_REFERENCE in run.flags else ():
        if run.metrics[name].card.needs_reference:
            counts = [run.count(system, name) for system in run.systems]
            found.setdefault(_range(counts, "segment").rpartition(" ")[0], []).append(run.metrics[name].card.label)
    return "".join(f"; {n} for {', '.join(labels)}" for n, labels in found.items())


def _range(counts: Collection[int], noun: str) -> str:
    low, *_, high = *sorted(set(counts)), max(counts)
    return count(low, noun) if low == high else f"{low:,} to {count(high, noun)}"
