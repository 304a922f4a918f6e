"""Simulation of the guarantees of `decide`: rules learned from samples of a population whose risks are known exactly.

A population is a mixture of languages, each with its own relation of score and outcome. Samples are drawn from it with
replacement, so that new translations are drawn exactly like those a rule is learned from. The risk of a rule is a sum over the
population and has no sampling error of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.decide.fit import fit
from assay.decide.goals import Catch, Clean, Goal, Lose
from assay.decide.rule import EVERY, Group, Member, Rule
from assay.stats.distributions import binomial_tail

Floats = NDArray[np.float64]
ROWS = 30_000
SLACK = 3.5
"""Standard errors by which a mean may miss its bound; hundreds of bounds are checked."""
FEWEST = 30
"""Means of fewer rules are not held against a bound: their standard error is not known."""
CHANCE = 5e-4
"""Probability of more broken rules than the confidence allows, below which the guarantee is taken to be broken."""


class Language(NamedTuple):
    """A language: its share of the population, and how scores and outcomes go together.

    The probability of a breakdown is that of a logistic curve over a latent quality, `base` at its middle. Scores are the latent
    quality times `slope`, plus noise, shifted by `lift`, rounded to `step`, and capped at `cap`.
    """

    name: str
    share: float
    base: float = 0.3
    slope: float = 1.0
    noise: float = 0.4
    lift: float = 0.0
    step: float = 0.0
    cap: float = math.inf
    steep: float = 2.0


@dataclass
class Population:
    """A finite population with known outcomes, graded or not."""

    languages: Sequence[Language]
    metrics: int = 1
    graded: bool = False
    seed: int = 0
    names: Sequence[str] = field(init=False)
    codes: NDArray[np.int64] = field(init=False)
    scores: dict[str, Floats] = field(init=False)
    worth: Floats = field(init=False)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)
        sizes = [max(20, round(ROWS * language.share)) for language in self.languages]
        self.names = [language.name for language in self.languages]
        self.codes = np.repeat(np.arange(len(sizes)), sizes)
        latent = rng.normal(size=sum(sizes))
        base, slope, noise, lift, step, cap, steep = (
            np.repeat([getattr(language, name) for language in self.languages], sizes)
            for name in ("base", "slope", "noise", "lift", "step", "cap", "steep")
        )
        chance = 1 / (1 + np.exp(steep * latent - np.log(base / (1 - base))))
        self.worth = (rng.random(len(latent)) >= chance).astype(float)
        if self.graded:
            self.worth = np.clip(1 - chance + 0.2 * rng.normal(size=len(latent)), 0, 1).round(2)
        self.scores = {}
        for i in range(self.metrics):
            score = np.minimum(slope * latent + (1 + i) * noise * rng.normal(size=len(latent)) + lift, cap)
            self.scores[f"m{i}"] = np.where(step > 0, np.round(score / np.where(step > 0, step, 1)) * step, score)

    @property
    def members(self) -> list[Member]:
        return [Member(name, "", True) for name in self.scores]

    def learn(self, goal: Goal, n: int, seed: int) -> Rule | None:
        """Return the rule learned from `n` rows; None if it was refused."""
        rows = np.random.default_rng([seed, n]).integers(len(self.codes), size=n)
        scores = {name: column[rows] for name, column in self.scores.items()}
        spoken = [self.names[code] for code in self.codes[rows].tolist()]
        try:
            return fit(self.members, scores, self.worth[rows], spoken, goal, seed=seed)
        except InputError:
            return None

    @cached_property
    def _places(self) -> list[NDArray[np.int64]]:
        return [np.flatnonzero(self.codes == code) for code in range(len(self.names))]

    @cached_property
    def _ordered(self) -> list[tuple[Floats, Floats]]:
        """For each language its negated scores in rising order, and the losses summed up to each."""
        found = []
        for rows in self._places:
            score = self.scores["m0"][rows]
            order = np.argsort(-score)
            found.append((-score[order], np.append(0.0, np.cumsum(1 - self.worth[rows][order]))))
        return found

    def used(self, rule: Rule) -> list[tuple[float, float, float, int]]:
        """Return, for each language, how many rows the rule uses, their loss, the loss of all rows, and the number of rows."""
        found = []
        quality = None if rule.blend is None else rule.quality(self.scores)
        for name, rows, (score, lost) in zip(self.names, self._places, self._ordered, strict=True):
            group = rule.group(name)
            assert group.use_at == 1, "goals with a guarantee go by the threshold alone"
            if quality is None:
                n = int(np.searchsorted(score, -group.above, "left"))
                used, lost_used = float(n), float(lost[n])
            else:
                use = quality[rows] > group.above
                used, lost_used = float(use.sum()), float((1 - self.worth[rows][use]).sum())
            found.append((used, lost_used, float(lost[-1]), len(rows)))
        return found


def excess(goal: Goal, used: float, lost_used: float, lost: float, n: float) -> float:
    """Return by how much the risk exceeds what the goal allows."""
    if isinstance(goal, Catch):
        return goal.share - (1 - lost_used / lost)
    assert isinstance(goal, Clean | Lose)
    return (lost_used / n if isinstance(goal, Lose) else lost_used / max(used, 1)) - goal.share


@dataclass
class Tried:
    """The excess risks of rules: over the mixture, and of each language for which the rule guarantees something by itself."""

    goal: Goal
    attempts: int = 0
    mixture: list[float] = field(default_factory=list)
    alone: dict[str, list[float]] = field(default_factory=dict)
    shares: list[float] = field(default_factory=list)

    def add(self, population: Population, rule: Rule | None) -> None:
        self.attempts += 1
        if rule is None:
            return
        found = population.used(rule)
        totals = [sum(column) for column in zip(*found, strict=True)]
        self.mixture.append(excess(self.goal, *totals))
        self.shares.append(totals[0] / totals[3])
        for name, mine in zip(population.names, found, strict=True):
            group = rule.group(name)
            if group.name != EVERY and group.promised is not None and mine[2]:
                self.alone.setdefault(name, []).append(excess(self._alone(group), *mine))

    def _alone(self, group: Group) -> Goal:
        """What is guaranteed for one language: the goal, of `catch` perhaps with a smaller share."""
        if isinstance(self.goal, Catch):
            assert group.promised is not None
            return Catch(group.promised)
        return self.goal

    def broken(self) -> list[str]:
        """Return the guarantees that do not hold, each with its figure."""
        parts = {"mixture": self.mixture} | self.alone
        return [f"{name}: {figure}" for name, values in parts.items() if (figure := self._broken(values))]

    def _broken(self, values: Sequence[float]) -> str:
        if not values:
            return ""
        if isinstance(self.goal, Clean):
            violated = sum(value > 1e-12 for value in values)
            allowed = 1 - self.goal.confidence
            unlikely = violated > 0 and binomial_tail(violated, self.attempts, allowed) < CHANCE
            return f"{violated:,} of {self.attempts:,} rules have more bad" if unlikely else ""
        if len(values) < FEWEST:
            return ""
        error = np.std(values) / math.sqrt(len(values))
        mean = float(np.mean(values))
        return f"{mean:+.4f} ± {error:.4f} over {len(values):,} rules" if mean > SLACK * error + 1e-12 else ""

    def figure(self) -> str:
        """Return the result in a line."""
        if not self.mixture:
            return f"no rule in {self.attempts:,} attempts"
        violated = sum(value > 1e-12 for value in self.mixture)
        return (
            f"{len(self.mixture):,} rules of {self.attempts:,}, excess {np.mean(self.mixture):+.4f}, over the bound "
            f"{violated / self.attempts:.3f}, used {np.mean(self.shares):.3f}"
        )


def simulate(population: Population, goal: Goal, n: int, draws: int) -> Tried:
    """Learn `draws` rules from `n` rows each."""
    tried = Tried(goal)
    for seed in range(draws):
        tried.add(population, population.learn(goal, n, seed))
    return tried


RARE = tuple(Language(f"r{i:02}", 0.006, 0.1 + 0.016 * i, lift=0.05 * i, step=0.5 * (i % 2)) for i in range(50))
LANGUAGES: dict[str, Sequence[Language]] = {
    "one": (Language("aa", 1),),
    "noise": (Language("aa", 1, 0.2, slope=0, noise=1),),
    "inverse": (Language("aa", 1, 0.1, slope=-1),),
    "ties": (Language("aa", 1, 0.2, step=1),),
    "pile": (Language("aa", 1, 0.15, cap=0.2),),
    "constant": (Language("aa", 1, 0.08, slope=0, noise=0),),
    "small and bad": (
        Language("aa", 0.96, 0.2, noise=0, steep=2.5),
        Language("bb", 0.04, 0.6, noise=0, lift=1, steep=0),
    ),
    "third and bad": (Language("aa", 0.67, 0.1), Language("bb", 0.33, 0.5, lift=1.5)),
    "halves": (Language("aa", 0.5, 0.1), Language("bb", 0.5, 0.15, slope=0, noise=1)),
    "halves, ties": (Language("aa", 0.5, 0.1, step=0.5), Language("bb", 0.5, 0.25, step=1, lift=0.5)),
    "one of three inverse": (
        Language("aa", 0.6, 0.1),
        Language("bb", 0.3, 0.2, cap=0.5),
        Language("cc", 0.1, 0.2, slope=-1),
    ),
    "not named": (Language("aa", 0.6, 0.1), Language("", 0.3, 0.3, lift=0.5), Language("cc", 0.1, 0.4, lift=1)),
    "rare": (Language("aa", 0.7, 0.1), *RARE),
}
"""Mixtures of languages: rare ones are often unknown to the rule, or have too few examples for a threshold of their own."""
GOALS: dict[str, Goal] = {
    "catch 80%": Catch(0.8),
    "catch 95%": Catch(0.95),
    "lose at most 5%": Lose(0.05),
    "lose at most 15%": Lose(0.15),
    "at most 5% bad": Clean(0.05),
    "at most 15% bad": Clean(0.15),
    "at most 30% bad": Clean(0.3),
    "at most 15% bad, 95%": Clean(0.15, 0.95),
}
