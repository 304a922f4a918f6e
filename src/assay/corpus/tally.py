"""Counts and exact sums of scored rows, which can be merged: the result does not depend on how shards were split.

Sums are lists of floats that add up exactly (`assay.core.sums`). The width of histogram bins depends only on the metric.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.core.batch import MISSING_REFERENCE
from assay.core.metric import statistics
from assay.core.sums import exact_parts, total
from assay.engine.languages import divided
from assay.engine.scoring import check_corpus

if TYPE_CHECKING:
    from assay.core.chunk import Chunk
    from assay.core.metric import Bools, Metric

Sums = dict[tuple[str, str, str], list[list[float]]]
"""By system, metric and target language (empty unless the metric depends on it)."""
MOST_BINS = 1000
"""Bins on either side of zero; the last one has all values beyond."""
ALL, KEPT = "all", "kept"


def width(metric: Metric) -> float:
    """Return the width of a histogram bin: 1 for scores from 0 to 100, 0.01 for those from 0 to 1."""
    low, high = metric.card.range
    if low is not None and high is not None:
        return float(high - low) / 100
    return 10.0 ** (1 - metric.card.decimals)


@dataclass
class CorpusTally:
    """Counts of some rows."""

    rows: int = 0
    """Rows read."""
    duplicates: int = 0
    rejected: int = 0
    kept: int = 0
    """Rows written."""
    nrefs: int = 0
    flags: dict[str, int] = field(default_factory=dict)
    sums: dict[str, Sums] = field(default_factory=lambda: {ALL: {}, KEPT: {}})
    """Of all scored rows, and of those for which the expression holds."""
    bins: dict[str, dict[int, int]] = field(default_factory=dict)
    unscored: dict[str, int] = field(default_factory=dict)
    """Rows without a score, by metric."""
    more: dict[str, Any] = field(default_factory=dict)
    """Counts of a purpose: nested numbers or lists of numbers by name, which are added up."""

    def add(self, chunk: Chunk, metrics: Mapping[str, Metric], keep: Bools | None) -> None:
        """Count a chunk of scores.

        `keep` selects the rows that are written; None for all. With a selection, the chunk must have its statistics.
        """
        import numpy as np

        for flag, column in chunk.flags().items():
            self.flags[flag] = self.flags.get(flag, 0) + int(column.sum())
        for name, metric in metrics.items():
            values = chunk.scores[name].values
            scored = np.isfinite(values)
            numbers = np.clip(np.floor(values[scored] / width(metric)), -MOST_BINS, MOST_BINS).astype(np.int64)
            bins = self.bins.setdefault(name, {})
            for number, n in zip(*(found.tolist() for found in np.unique(numbers, return_counts=True)), strict=True):
                bins[number] = bins.get(number, 0) + n
            if missing := int((~scored).sum()):
                self.unscored[name] = self.unscored.get(name, 0) + missing
            for (code, number), exact in chunk.sums[name].items():
                key = chunk.systems[code], name, chunk.languages[number] if metric.by_language else ""
                self.sums[ALL].setdefault(key, []).extend(exact.tolist())
            if keep is not None:
                held = (
                    keep & ~chunk.raised[MISSING_REFERENCE]
                    if metric.card.needs_reference and MISSING_REFERENCE in chunk.raised
                    else keep
                )
                stats = statistics(chunk.scores[name])
                for (system, language), rows in _places(chunk, metric, held).items():
                    parts = self.sums[KEPT].setdefault((system, name, language), [])
                    parts += exact_parts(stats[rows]).tolist()

    def merge(self, other: CorpusTally) -> None:
        """Add the counts of the rows that follow."""
        for name in ("rows", "duplicates", "rejected", "kept"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.nrefs = max(self.nrefs, other.nrefs)
        for mine, others in ((self.flags, other.flags), (self.unscored, other.unscored)):
            for flag, n in others.items():
                mine[flag] = mine.get(flag, 0) + n
        for metric, bins in other.bins.items():
            own = self.bins.setdefault(metric, {})
            for number, n in bins.items():
                own[number] = own.get(number, 0) + n
        for which, sums in other.sums.items():
            for key, parts in sums.items():
                self.sums[which].setdefault(key, []).extend(parts)
        self.more = add_counts(self.more, other.more)

    def shorten(self) -> None:
        """Replace the sums with equivalent ones that use as few floats as possible."""
        import numpy as np

        for sums in self.sums.values():
            for key, parts in sums.items():
                if len(parts) > 1:
                    sums[key] = exact_parts(np.array(parts)).tolist()

    def to_json(self) -> dict[str, Any]:
        """Return the counts as plain values, with sums in their shortest form."""
        self.shorten()
        return {
            **{name: getattr(self, name) for name in ("rows", "duplicates", "rejected", "kept", "nrefs")},
            "flags": self.flags,
            "sums": {which: [[*key, parts] for key, parts in sums.items()] for which, sums in self.sums.items()},
            "bins": {metric: sorted(bins.items()) for metric, bins in self.bins.items()},
            "unscored": self.unscored,
            **({"more": self.more} if self.more else {}),
        }

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> CorpusTally:
        """Build a tally from the values of `to_json`."""
        sums = {
            which: {(system, metric, language): parts for system, metric, language, parts in listed}
            for which, listed in values["sums"].items()
        }
        bins = {metric: {int(number): n for number, n in listed} for metric, listed in values["bins"].items()}
        plain = {name: values[name] for name in ("rows", "duplicates", "rejected", "kept", "nrefs")}
        return cls(
            **plain,
            flags=dict(values["flags"]),
            sums=sums,
            bins=bins,
            unscored=dict(values["unscored"]),
            more=dict(values.get("more", {})),
        )


def add_counts(one: Any, other: Any) -> Any:
    """Add two counts: numbers, lists element by element, and mappings by name."""
    if isinstance(one, dict):
        return {
            name: add_counts(one[name], other[name])
            if name in one and name in other
            else one.get(name, other.get(name))
            for name in {**one, **other}
        }
    if isinstance(one, list):
        return [add_counts(a, b) for a, b in zip(one, other, strict=True)]
    return one + other


def merge_all(tallies: Iterable[CorpusTally]) -> CorpusTally:
    """Merge tallies in order."""
    whole = CorpusTally()
    for tally in tallies:
        whole.merge(tally)
    whole.shorten()
    return whole


def _places(chunk: Chunk, metric: Metric, keep: Bools) -> dict[tuple[str, str], Bools]:
    """Return the kept rows by system, and by target language if the metric depends on it."""
    import numpy as np

    rows_by_key: dict[tuple[str, str], Bools] = {}
    spoken = chunk.language_codes if metric.by_language else None
    for code in np.unique(chunk.codes).tolist():
        of_system = chunk.codes == code
        for number in (0,) if spoken is None else np.unique(spoken[of_system]).tolist():
            rows = of_system if spoken is None else of_system & (spoken == number)
            rows = rows & keep
            if rows.any():
                rows_by_key[chunk.systems[code], "" if spoken is None else chunk.languages[number]] = rows
    return rows_by_key


def corpus_scores(
    tally: CorpusTally, metrics: Mapping[str, Metric], which: str = ALL
) -> tuple[dict[str, dict[str, float]], dict[str, Metric]]:
    """Return corpus scores by system and metric, and the metrics that computed them: one per target language if it matters."""
    import numpy as np

    sums = tally.sums[which]
    languages: list[str] = list(
        dict.fromkeys(language for (_, name, language) in tally.sums[ALL] if metrics[name].by_language)
    )
    computed, shares = divided(metrics, languages)
    systems = dict.fromkeys(system for system, _, _ in sums)
    scores: dict[str, dict[str, float]] = {}
    for system in systems:
        for name, metric in computed.items():
            asked, number = shares.get(name, (name, 0))
            language = languages[number] if metrics[asked].by_language and languages else ""
            parts: Sequence[Sequence[float]] | None = sums.get((system, asked, language))
            if parts:
                summed = total([np.array(parts)])
                check_corpus(metric, summed)
                scores.setdefault(system, {})[name] = float(metric.combine(summed))
    return scores, computed
