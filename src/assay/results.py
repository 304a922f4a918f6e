"""What the Python calls give back: numbers by name, tables for people, columns for programs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from assay.core.metric import Metric, Scores
from assay.core.table import Table

if TYPE_CHECKING:
    import polars

    from assay.analyses.comparison import Standings
    from assay.core.metric import Floats


class Shown(ABC):
    """A result that prints as its table, in a terminal and in a notebook."""

    @abstractmethod
    def table(self) -> Table:
        """The result as a Table."""

    def __repr__(self) -> str:
        from assay.report import render

        return render([self.table()])

    def _repr_html_(self) -> str:
        from assay.report.markup import fragment

        return fragment(self.table())


@dataclass(repr=False)
class ScoreResult(Shown):
    """Scores of one set of translations: `system` and `segments` by metric name."""

    system: dict[str, float]
    scores: dict[str, Scores]
    signatures: dict[str, str]
    metrics: Mapping[str, Metric]
    flags: dict[str, int] = field(default_factory=dict)

    @property
    def segments(self) -> dict[str, Floats]:
        """Segment scores by metric name, in the order of the input."""
        return {name: scores.values for name, scores in self.scores.items()}

    def __len__(self) -> int:
        return len(next(iter(self.scores.values())))

    def table(self) -> Table:
        """One line with the corpus scores."""
        from assay.analyses.comparison import Standing, table

        standings = {"": {name: Standing(value) for name, value in self.system.items()}}
        return table(standings, self.metrics, notes=[f"{len(self):,} segments", *flag_notes(self.flags)])

    def to_polars(self) -> polars.DataFrame:
        """One row a segment: every metric's score, its components and flags."""
        import polars

        columns: dict[str, Any] = {"segment": range(1, len(self) + 1)}
        for name, scores in self.scores.items():
            columns[name] = scores.values
            columns |= {f"{name} {part}": values for part, values in scores.components.items()}
            columns |= {f"{name} {flag}": raised for flag, raised in scores.flags.items()}
        return polars.DataFrame(columns)


@dataclass(repr=False)
class Comparison(Shown):
    """Several systems beside each other; the first is the baseline."""

    standings: Standings
    metrics: Mapping[str, Metric]
    signatures: dict[str, str]
    segments: int
    settings: str
    flags: dict[str, int] = field(default_factory=dict)

    @property
    def worth(self) -> dict[str, dict[float, float]]:
        """What a point is worth: for each metric that is known, the difference from which people agreed in 80, 90 and 95%."""
        from assay.api.meta import known_worth

        return {name: worth for name in self.metrics if (worth := known_worth(name)) is not None}

    @property
    def baseline(self) -> str:
        """The system that the others are tested against."""
        return next(iter(self.standings))

    def table(self) -> Table:
        """One line a system, with intervals and stars."""
        from assay.analyses.comparison import SIGNIFICANT, table

        notes = [f"{self.segments:,} segments · {self.settings}"]
        if len(self.standings) > 1:
            notes.append(f"* better than {self.baseline}, p < {SIGNIFICANT} (paired bootstrap)")
            notes += worth_notes(self.worth, self.metrics)
        return table(self.standings, self.metrics, notes=[*notes, *flag_notes(self.flags)])

    def to_dict(self) -> dict[str, Any]:
        """``{"baseline": ..., "systems": {SYSTEM: {METRIC: {...}}}}``."""
        systems = {
            system: {name: {**asdict(standing), "signature": self.signatures[name]} for name, standing in row.items()}
            for system, row in self.standings.items()
        }
        worth = {name: {f"{level:.0%}": d for level, d in known.items()} for name, known in self.worth.items()}
        about = {"baseline": self.baseline, "segments": self.segments, "settings": self.settings}
        return {**about, "systems": systems, "difference_people_agree_with": worth}

    def to_polars(self) -> polars.DataFrame:
        """One row for each system and metric."""
        import polars

        return polars.DataFrame(
            [
                {"system": system, "metric": name, **asdict(standing)}
                for system, row in self.standings.items()
                for name, standing in row.items()
            ]
        )


_SENTENCES = {
    "empty_hypothesis": ("empty hypothesis", "empty hypotheses"),
    "copied_source": ("hypothesis equal to its source", "hypotheses equal to their source"),
    "far_longer": ("hypothesis far longer than its reference", "hypotheses far longer than their reference"),
    "empty_reference": ("empty reference", "empty references"),
    "truncated": ("segment longer than the model reads", "segments longer than the model reads"),
}


def worth_notes(worth: Mapping[str, Mapping[float, float]], metrics: Mapping[str, Metric]) -> list[str]:
    """One line that says which difference people would agree with, for the metrics where it was measured."""
    if not worth:
        return []
    parts = []
    for name, known in worth.items():
        digits = 1 if metrics[name].card.decimals <= 1 else 3
        parts.append(
            f"{metrics[name].card.label} " + " / ".join(f"{difference:.{digits}f}" for difference in known.values())
        )
    levels = " / ".join(f"{level:.0%}" for level in next(iter(worth.values())))
    return [f"difference from which people agreed in {levels} of WMT23's system pairs: {', '.join(parts)}"]


def flag_notes(flags: Mapping[str, int]) -> list[str]:
    """Counted flags as lines under a table."""
    notes = []
    for flag, found in flags.items():
        metric, _, kind = flag.rpartition(" ")
        what = _SENTENCES.get(kind, (kind.replace("_", " "),) * 2)[found != 1]
        notes.append(f"⚠ {found:,} {what}" + (f" ({metric})" if metric else ""))
    return notes
