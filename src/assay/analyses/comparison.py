"""Systems beside each other: corpus scores, and how sure one can be of a difference.

Confidence intervals are bootstrap intervals over segments (Koehn 2004); p-values come from the paired bootstrap and from
paired approximate randomization (Riezler and Maxwell 2005), with sacrebleu's draws. What is claimed from them is assay's own:

- Fewer than `FEWEST` segments prove nothing. The draws of a handful of segments are so much alike that one segment has p < 0.001.
- A system is called better or worse where every test that was made has p < 0.05, after a correction for the number of
  comparisons, and the 95% interval of the difference lies on one side of nought. sacrebleu's bootstrap alone is one-sided in
  effect and calls equal systems different in a tenth of the cases; randomization does so in a twentieth (`docs/compare.md`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from assay.core.memory import refuse_beyond_memory
from assay.core.metric import Metric
from assay.core.sums import exact_sum
from assay.stats import resampling
from assay.stats.multiple import corrected

if TYPE_CHECKING:
    from assay.core.metric import Floats
    from assay.data.agreement import AgreementEstimate

    Agreements = Callable[[float], AgreementEstimate | None]
    """What is known about annotators' agreement with a difference of this size."""

SIGNIFICANT = 0.05
FEWEST = 10
"""Segments below which no difference is called significant and no interval is shown."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How one system stands by one metric; what compares it with the baseline is None for the baseline itself."""

    score: float
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    p_bootstrap: float | None = None
    p_randomization: float | None = None
    better: bool = False
    """Better than the baseline: see the head of this file."""
    identical: bool = False
    """Every segment has the baseline's statistics: there is no difference to test, and the p-values say nothing."""
    worse: bool = False
    difference: float | None = None
    """Score less the baseline's."""
    difference_low: float | None = None
    difference_high: float | None = None
    p: float | None = None
    """The larger of the two tests', corrected for the number of comparisons; None where nothing can be claimed."""
    people_agree: float | None = None
    """The share of pairs of systems as far apart by this metric that annotators order alike; None if it was not measured, or if the
    difference is not significant."""
    agreement: AgreementEstimate | None = None
    """The studies behind `people_agree`, with intervals and numbers of pairs."""


Standings = dict[str, dict[str, Standing]]
"""System to metric name to standing; the first system is the baseline."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Two systems by one metric: the second less the first."""

    first: str
    second: str
    metric: str
    difference: float
    low: float | None
    high: float | None
    p_bootstrap: float | None
    p_randomization: float | None
    identical: bool
    higher_is_better: bool
    p: float | None
    """The larger of the two p-values; None where nothing can be claimed."""
    measured: AgreementEstimate | None = None
    """How often annotators agree with such a difference, if it was measured (`assay.data.agreement`)."""
    comparisons: int = 1
    """How many p-values were corrected together."""

    @property
    def agreement(self) -> AgreementEstimate | None:
        """How often annotators agree with this difference; None unless it is significant."""
        return self.measured if self.significant else None

    @property
    def people_agree(self) -> float | None:
        """The share of pairs that annotators order alike."""
        return None if self.agreement is None else self.agreement.share

    @property
    def significant(self) -> bool:
        """Whether there is a difference beyond doubt."""
        one_side = self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)
        return self.p is not None and self.p < SIGNIFICANT and one_side

    @property
    def better(self) -> bool:
        """The second is better than the first, significantly."""
        return self.significant and (self.difference > 0) == self.higher_is_better

    @property
    def worse(self) -> bool:
        """The second is worse than the first, significantly."""
        return self.significant and (self.difference > 0) != self.higher_is_better


class Contest:
    """All systems by one metric: scores, the same resamples for all of them, and the duels of any two."""

    def __init__(
        self,
        name: str,
        metric: Metric,
        columns: Mapping[str, Floats],
        *,
        samples: int,
        trials: int,
        seed: int | None,
        paired: bool,
        tested: bool = True,
        agreement: Agreements | None = None,
    ) -> None:
        self._agreement = agreement
        self.name, self.metric, self._trials, self._seed = name, metric, trials, seed
        self._columns = {system: np.ascontiguousarray(column) for system, column in columns.items()}
        systems = list(columns)
        _refuse_too_many(self._columns[systems[0]].shape[1], len(systems), samples, trials if paired else 0)
        self.scores = {s: float(metric.combine(exact_sum(column))) for s, column in self._columns.items()}
        sums = _bootstrap(self._columns, systems, samples, seed, paired) if tested else []
        self.drawn = {system: metric.combine(drawn) for system, drawn in zip(systems, sums, strict=False)}
        self._duels: dict[tuple[str, str], Duel] = {}

    def spread(self, system: str) -> resampling.Interval | None:
        """The bootstrap's mean and interval of a system's score; None where there are too few segments."""
        return resampling.interval(self.drawn[system]) if self._enough(system) and self.drawn else None

    def duel(self, first: str, second: str) -> Duel:
        """The difference of two systems, its interval and p-values, uncorrected."""
        if (first, second) not in self._duels:
            self._duels[first, second] = self._fought(first, second)
        return self._duels[first, second]

    def _enough(self, system: str) -> bool:
        return len(self._columns[system]) >= FEWEST

    def _fought(self, first: str, second: str) -> Duel:
        one, other = self._columns[first], self._columns[second]
        difference = self.scores[second] - self.scores[first]
        enough = self._enough(first) and bool(self.drawn)
        bounds: tuple[float | None, float | None] = (None, None)
        p_bootstrap = p_randomization = None
        if self.drawn:
            p_bootstrap = resampling.paired_bootstrap(self.drawn[first], self.drawn[second], abs(difference))
        if enough:
            bounds = _known(resampling.interval(self.drawn[second] - self.drawn[first]))
        if self.drawn and self._trials:
            p_randomization = resampling.paired_randomization(
                one, other, self.metric.combine, abs(difference), self._trials, self._seed
            )
        identical = np.array_equal(one, other, equal_nan=True)
        p = max(p_bootstrap or 0.0, p_randomization or 0.0)
        told = self._agreement if enough and not identical and not math.isnan(difference) else None
        return Duel(
            first, second, self.name, difference, *bounds, p_bootstrap, p_randomization, identical,
            self.metric.card.higher_is_better, p if enough and not identical else None,
            None if told is None else told(difference),
        )  # fmt: skip


def plain(corpus: Mapping[str, Mapping[str, float]]) -> Standings:
    """Corpus scores alone, by system and metric."""
    return {system: {name: Standing(value) for name, value in row.items()} for system, row in corpus.items()}


def contests(
    stats: Mapping[str, Mapping[str, Floats]],
    metrics: Mapping[str, Metric],
    *,
    samples: int = 1000,
    trials: int = 10_000,
    seed: int | None = 12345,
    paired: bool = True,
    tested: bool = True,
    agreements: Mapping[str, Agreements] | None = None,
) -> dict[str, Contest]:
    """The contest of every metric. `stats` holds the sufficient statistics of every segment, by system and metric name.

    `trials` of 0 leaves the randomization test out; without `paired`, systems need not have the same segments; without `tested`,
    nothing is drawn and there are neither intervals nor p-values. `agreements` knows how often annotators agree with some metrics.
    """
    return {
        name: Contest(
            name, metric, {system: row[name] for system, row in stats.items()}, samples=samples, trials=trials, seed=seed,
            paired=paired, tested=tested, agreement=(agreements or {}).get(name),
        )
        for name, metric in metrics.items()
    }  # fmt: skip


def against_baseline(found: Mapping[str, Contest], correction: str = "holm") -> dict[str, list[Duel]]:
    """By metric, the duels of every system with the first; the systems of a metric are corrected together."""
    return {name: corrected_duels(with_first(contest), correction) for name, contest in found.items()}


def all_pairs(found: Mapping[str, Contest], correction: str = "holm") -> dict[str, list[Duel]]:
    """By metric, the duels of every two systems, corrected together."""
    return {
        name: corrected_duels([contest.duel(*two) for two in combinations(contest.scores, 2)], correction)
        for name, contest in found.items()
    }


def with_first(contest: Contest) -> list[Duel]:
    """The duels of every system with the first, uncorrected."""
    baseline, *others = contest.scores
    return [contest.duel(baseline, other) for other in others]


def corrected_duels(duels: Sequence[Duel], correction: str) -> list[Duel]:
    """The duels with p corrected for their number; those that claim nothing take no part."""
    found = {i: duel.p for i, duel in enumerate(duels) if duel.p is not None}
    p = dict(zip(found, corrected(list(found.values()), correction).tolist(), strict=True))
    return [replace(duel, p=p.get(i), comparisons=len(found)) for i, duel in enumerate(duels)]


def standings(found: Mapping[str, Contest], duels: Mapping[str, Iterable[Duel]] | None = None) -> Standings:
    """Scores with intervals and, where there are `duels` with the baseline, what they say of each other system."""
    made: Standings = {system: {} for contest in found.values() for system in contest.scores}
    for name, contest in found.items():
        fought = {duel.second: duel for duel in (duels or {}).get(name, ())}
        for system, score in contest.scores.items():
            spread = contest.spread(system)
            standing = Standing(score, None if spread is None else spread.mean, *_known(spread))
            if (duel := fought.get(system)) is not None:
                standing = replace(
                    standing, p_bootstrap=duel.p_bootstrap, p_randomization=duel.p_randomization, better=duel.better,
                    worse=duel.worse, identical=duel.identical, difference=duel.difference, difference_low=duel.low,
                    difference_high=duel.high, p=duel.p, people_agree=duel.people_agree,
                    agreement=duel.agreement,
                )  # fmt: skip
            made[system][name] = standing
    return made


def _known(spread: resampling.Interval | None) -> tuple[float | None, float | None]:
    """Bounds that say something."""
    return (None, None) if spread is None or math.isnan(spread.low) else (spread.low, spread.high)


def _refuse_too_many(width: int, systems: int, samples: int, trials: int) -> None:
    """All systems' sums are held twice while they are joined, then once beside one system's on their way to scores; a trial
    holds its sums four times."""
    size = np.dtype(np.float64).itemsize
    refuse_beyond_memory("--samples", samples, size * (width * (2 * systems + 1) + 4))
    refuse_beyond_memory("--trials", trials, size * (width * 4 + 4))


def _bootstrap(
    columns: Mapping[str, Floats], names: Sequence[str], samples: int, seed: int | None, paired: bool
) -> list[Floats]:
    """All systems share the resamples, so their statistics are summed side by side in one pass."""
    if not paired or len({len(column) for column in columns.values()}) > 1:
        nothing = np.zeros((samples, columns[names[0]].shape[1]))
        return [
            resampling.bootstrap_sums(columns[system], samples, seed) if len(columns[system]) else nothing
            for system in names
        ]
    side_by_side = np.concatenate([columns[system] for system in names], axis=1)
    sums = resampling.bootstrap_sums(side_by_side, samples, seed)
    edges = np.cumsum([columns[system].shape[1] for system in names])[:-1]
    return np.split(sums, edges, axis=1)
