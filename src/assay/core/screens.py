"""What the screens *People* and *Breakdown and decisions* draw beside tables and rows, as view.json keeps it.

Tables say who is first; what they leave out stands here: the test of every two metrics, systems as points, and what would happen
at every limit that one could choose. Every list of numbers goes along the list that it is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Numbers = tuple[float | None, ...]

RISKS = ("caught", "bad_used", "lost")
"""Figures of a rule: breakdowns that are not used, bad ones among what is used, bad ones used among all."""
Risk = Literal["caught", "bad_used", "lost"]
Apart = Literal["", "human", "outlier"]


@dataclass(frozen=True)
class PairwiseTests:
    """The tests of every two metrics in one ranking, metrics best first.

    The flat lists have a number for each pair i < j, row by row as `numpy.triu_indices` lists them: i less j, its 95% interval, and
    the p-value that i is no better than j.
    """

    task: int
    """The number of the task; 0 for the mean over all tasks."""
    names: tuple[str, ...]
    difference: Numbers
    low: Numbers
    high: Numbers
    p: Numbers


@dataclass(frozen=True)
class JudgedPair:
    """The systems of one language pair as points: what people and what metrics gave them."""

    langpair: str
    gold: str
    """What people's scores are called."""
    systems: tuple[str, ...]
    people: Numbers
    apart: tuple[Apart, ...]
    """Why a system takes no part in the official comparison: it is a human translation, or an outlier."""
    metrics: Mapping[str, Numbers]
    column: str = ""
    """The column of the rows with people's scores of segments; empty where there are none."""


@dataclass(frozen=True)
class People:
    """What people said, and how near metrics come to it."""

    comparisons: tuple[PairwiseTests, ...] = ()
    pairs: tuple[JudgedPair, ...] = ()


@dataclass(frozen=True)
class Figures:
    """One figure at every limit: what the calibration expects, and what came, with its 95% interval."""

    expected: Numbers
    observed: Numbers
    low: Numbers
    high: Numbers


@dataclass(frozen=True)
class CalibrationBin:
    """Translations of nearly the same breakdown probability, and how many of them broke down."""

    expected: float
    observed: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Sweep:
    """What becomes of the translations as the limit of one metric moves, from the most lenient to the strictest."""

    metric: str
    column: str
    """The column of the rows that the limit is about."""
    higher_is_better: bool
    decimals: int
    where: str
    """The expression that chooses the rows which are counted; empty for all."""
    counted: str
    """Those rows in words."""
    limits: tuple[float, ...]
    """A translation whose score is better than the limit is used."""
    used: tuple[int, ...]
    review: tuple[int, ...]
    rejected: tuple[int, ...]
    figures: Mapping[str, Figures]
    """By the names of `RISKS`."""
    unscored: int = 0
    """How many of the rows have no score; they go to review."""
    task: str = ""
    language: str = ""
    limit: float | None = None
    """The rule's own limit; None where everything is used or nothing is."""
    reject: float | None = None
    """Scores that are not better than this are rejected, unless they are used; None where nothing is."""
    promise: str = ""
    """The promise in words, of the rule's own limit."""
    promised: Numbers = ()
    """The goal's figure as a rule learned for each limit would promise it; empty where nothing can be promised."""
    risk: Risk = "bad_used"
    """Which figure the goal is about."""
    calibration: tuple[CalibrationBin, ...] = ()


@dataclass(frozen=True)
class Deciding:
    """The limits to choose among, and the goal that a rule was learned for; empty where there is none."""

    goal: str
    sweeps: tuple[Sweep, ...]
