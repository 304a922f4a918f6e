"""Comparison of systems: corpus scores, confidence intervals and significance tests.

Confidence intervals are bootstrap intervals over segments (Koehn 2004). The p-values come from the paired bootstrap and from
paired approximate randomization (Riezler and Maxwell 2005), with the same random draws as sacrebleu. The conclusions drawn from
them are assay's own:

- Fewer than `FEWEST` segments are never significant. The draws of a handful of segments are so similar that a single
  segment has p < 0.001.
- A system is better or worse if every test that was run has p < 0.05 after a correction for multiple comparisons, and the
  95% interval of the difference excludes 0. sacrebleu's bootstrap alone is effectively one-sided and calls equal systems
  different in a tenth of the cases; randomization does so in a twentieth (`docs/compare.md`).
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
from assay.stats.multiple import correct_p_values

if TYPE_CHECKING:
    from assay.core.metric import Floats
    from assay.data.agreement import AgreementEstimate

    Agreements = Callable[[float], AgreementEstimate | None]
    """Function from a score difference to the agreement of annotators with it, if known."""

SIGNIFICANT = 0.05
FEWEST = 10
"""Minimum number of segments for a significant difference or an interval."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One system's result on one metric; fields about the baseline are None for the baseline itself."""

    score: float
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    p_bootstrap: float | None = None
    p_randomization: float | None = None
    better: bool = False
    """Whether the system is better than the baseline, as the module docstring defines it."""
    identical: bool = False
    """Whether every segment has the same statistics as the baseline. The p-values are then meaningless."""
    worse: bool = False
    difference: float | None = None
    """Score minus the baseline's score."""
    difference_low: float | None = None
    difference_high: float | None = None
    p: float | None = None
    """The larger p-value of the two tests, corrected for the number of comparisons; None if no conclusion is possible."""
    people_agree: float | None = None
    """Share of system pairs with this difference that annotators rank in the same order; None if not measured or significant."""
    agreement: AgreementEstimate | None = None
    """The studies behind `people_agree`, with intervals and numbers of pairs."""


Standings = dict[str, dict[str, Standing]]
"""Standings by system and metric name; the first system is the baseline."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Difference between two systems on one metric: the second minus the first."""

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
    """The larger of the two p-values; None if no conclusion is possible."""
    measured: AgreementEstimate | None = None
    """How often annotators agree with such a difference, if it was measured (`assay.data.agreement`)."""
    comparisons: int = 1
    """Number of p-values that were corrected together."""

    @property
    def agreement(self) -> AgreementEstimate | None:
        """How often annotators agree with this difference; None unless it is significant."""
        return self.measured if self.significant else None

    @property
    def people_agree(self) -> float | None:
        """Share of system pairs that annotators rank in the same order."""
        return None if self.agreement is None else self.agreement.share

    @property
    def significant(self) -> bool:
        """Whether the difference is significant."""
        one_side = self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)
        return self.p is not None and self.p < SIGNIFICANT and one_side

    @property
    def better(self) -> bool:
        """Whether the second system is significantly better than the first."""
        return self.significant and (self.difference > 0) == self.higher_is_better

    @property
    def worse(self) -> bool:
        """Whether the second system is significantly worse than the first."""
        return self.significant and (self.difference > 0) != self.higher_is_better


class Contest:
    """All systems on one metric: scores, shared resamples, and the duels between any two systems."""

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
        """Return the bootstrap mean and interval of a system's score; None with too few segments."""
        return resampling.interval(self.drawn[system]) if self._enough(system) and self.drawn else None

    def duel(self, first: str, second: str) -> Duel:
        """Return the difference between two systems with its interval and uncorrected p-values."""
        if (first, second) not in self._duels:
            self._duels[first, second] = self._compare(first, second)
        return self._duels[first, second]

    def _enough(self, system: str) -> bool:
        return len(self._columns[system]) >= FEWEST

    def _compare(self, first: str, second: str) -> Duel:
        one, other = self._columns[first], self._columns[second]
        difference = self.scores[second] - self.scores[first]
        enough = self._enough(first) and bool(self.drawn)
        bounds: tuple[float | None, float | None] = (None, None)
        p_bootstrap = p_randomization = None
        if self.drawn:
            p_bootstrap = resampling.paired_bootstrap(self.drawn[first], self.drawn[second], abs(difference))
        if enough:
            bounds = _bounds(resampling.interval(self.drawn[second] - self.drawn[first]))
        if self.drawn and self._trials:
            p_randomization = resampling.paired_randomization(
                one, other, self.metric.combine, abs(difference), self._trials, self._seed
            )
        identical = np.array_equal(one, other, equal_nan=True)
        p = max(p_bootstrap or 0.0, p_randomization or 0.0)
        agreement = self._agreement if enough and not identical and not math.isnan(difference) else None
        return Duel(
            first, second, self.name, difference, *bounds, p_bootstrap, p_randomization, identical,
            self.metric.card.higher_is_better, p if enough and not identical else None,
            None if agreement is None else agreement(difference),
        )  # fmt: skip


def plain_standings(corpus: Mapping[str, Mapping[str, float]]) -> Standings:
    """Return standings with corpus scores only."""
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
    """Return the contest for every metric. `stats` contains the sufficient statistics of every segment, by system and metric name.

    If `trials` is 0, the randomization test is skipped. If `paired` is false, systems may have different segments. If `tested`
    is false, nothing is resampled, so there are no intervals or p-values. `agreements` contains the annotators' agreement with
    some metrics.
    """
    return {
        name: Contest(
            name, metric, {system: row[name] for system, row in stats.items()}, samples=samples, trials=trials, seed=seed,
            paired=paired, tested=tested, agreement=(agreements or {}).get(name),
        )
        for name, metric in metrics.items()
    }  # fmt: skip


def against_baseline(contests: Mapping[str, Contest], correction: str = "holm") -> dict[str, list[Duel]]:
    """Return, by metric, each system's duel with the first; the p-values for one metric are corrected together."""
    return {name: correct_duels(with_first(contest), correction) for name, contest in contests.items()}


def all_pairs(contests: Mapping[str, Contest], correction: str = "holm") -> dict[str, list[Duel]]:
    """Return, by metric, the duels between all pairs of systems, corrected together."""
    return {
        name: correct_duels([contest.duel(*two) for two in combinations(contest.scores, 2)], correction)
        for name, contest in contests.items()
    }


def with_first(contest: Contest) -> list[Duel]:
    """Return each system's uncorrected duel with the first."""
    baseline, *others = contest.scores
    return [contest.duel(baseline, other) for other in others]


def correct_duels(duels: Sequence[Duel], correction: str) -> list[Duel]:
    """Correct p for the number of duels; duels without a conclusion are ignored."""
    tested = {i: duel.p for i, duel in enumerate(duels) if duel.p is not None}
    p = dict(zip(tested, correct_p_values(list(tested.values()), correction).tolist(), strict=True))
    return [replace(duel, p=p.get(i), comparisons=len(tested)) for i, duel in enumerate(duels)]


def standings(contests: Mapping[str, Contest], duels: Mapping[str, Iterable[Duel]] | None = None) -> Standings:
    """Return scores with intervals, and the duels with the baseline if `duels` are given."""
    result: Standings = {system: {} for contest in contests.values() for system in contest.scores}
    for name, contest in contests.items():
        by_second = {duel.second: duel for duel in (duels or {}).get(name, ())}
        for system, score in contest.scores.items():
            spread = contest.spread(system)
            standing = Standing(score, None if spread is None else spread.mean, *_bounds(spread))
            if (duel := by_second.get(system)) is not None:
                standing = replace(
                    standing, p_bootstrap=duel.p_bootstrap, p_randomization=duel.p_randomization, better=duel.better,
                    worse=duel.worse, identical=duel.identical, difference=duel.difference, difference_low=duel.low,
                    difference_high=duel.high, p=duel.p, people_agree=duel.people_agree,
                    agreement=duel.agreement,
                )  # fmt: skip
            result[system][name] = standing
    return result


def _bounds(spread: resampling.Interval | None) -> tuple[float | None, float | None]:
    """Return the bounds, or None for both if they are undefined."""
    return (None, None) if spread is None or math.isnan(spread.low) else (spread.low, spread.high)


def _refuse_too_many(width: int, systems: int, samples: int, trials: int) -> None:
    """Reject numbers of samples and trials that would not fit into memory.

    The sums of all systems are held twice while they are joined, then once together with the sums of one system. The
    randomization test holds its sums four times.
    """
    size = np.dtype(np.float64).itemsize
    refuse_beyond_memory("--samples", samples, size * (width * (2 * systems + 1) + 4))
    refuse_beyond_memory("--trials", trials, size * (width * 4 + 4))


def _bootstrap(
    columns: Mapping[str, Floats], names: Sequence[str], samples: int, seed: int | None, paired: bool
) -> list[Floats]:
    """Bootstrap all systems on the same resamples, summing their statistics side by side in one pass."""
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
