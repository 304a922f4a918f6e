"""Data for the screens *People* and *Breakdown and decisions*, as stored in view.json.

The tables rank metrics. These classes hold the remaining data: tests for all metric pairs, systems as points, and the
results at every threshold. All lists of one class have the same order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Numbers = tuple[float | None, ...]

RISKS = ("caught", "bad_used", "lost")
"""Rates of a rule: breakdowns that are not used, breakdowns among the used translations, and used breakdowns among all
translations.
"""
Risk = Literal["caught", "bad_used", "lost"]
Apart = Literal["", "human", "outlier"]


@dataclass(frozen=True)
class PairwiseTests:
    """Tests for all metric pairs in one ranking, best metric first.

    The flat lists have one number for each pair i < j, row by row in the order of `numpy.triu_indices`. They are the difference
    i - j, its 95% interval, and the p-value of the hypothesis that i is not better than j.
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
    """Systems for one language pair as points: human scores and metric scores."""

    langpair: str
    gold: str
    """The name of the human scores."""
    systems: tuple[str, ...]
    people: Numbers
    apart: tuple[Apart, ...]
    """Why a system is left out of the official comparison: it is a human translation or an outlier."""
    metrics: Mapping[str, Numbers]
    column: str = ""
    """The column of the rows with human segment scores; empty without such scores."""


@dataclass(frozen=True)
class People:
    """Human judgements, and how well metrics agree with them."""

    comparisons: tuple[PairwiseTests, ...] = ()
    pairs: tuple[JudgedPair, ...] = ()


@dataclass(frozen=True)
class Figures:
    """One rate at every threshold: the expected value from the calibration, and the observed value with its 95% interval."""

    expected: Numbers
    observed: Numbers
    low: Numbers
    high: Numbers


@dataclass(frozen=True)
class CalibrationBin:
    """Translations with similar breakdown probability, and the share that broke down."""

    expected: float
    observed: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Sweep:
    """Decisions about the translations at every threshold of one metric, from the most lenient to the strictest."""

    metric: str
    column: str
    """The column of the rows that the threshold applies to."""
    higher_is_better: bool
    decimals: int
    where: str
    """The expression that selects the counted rows; empty for all rows."""
    counted: str
    """A description of the counted rows."""
    limits: tuple[float, ...]
    """Thresholds. A translation with a better score is used."""
    used: tuple[int, ...]
    review: tuple[int, ...]
    rejected: tuple[int, ...]
    figures: Mapping[str, Figures]
    """Rates by the names in `RISKS`."""
    unscored: int = 0
    """How many rows have no score; they go to review."""
    task: str = ""
    language: str = ""
    limit: float | None = None
    """The rule's own threshold; None if the rule uses everything or nothing."""
    reject: float | None = None
    """Scores that are not better than this are rejected unless they are used; None if nothing is rejected."""
    promise: str = ""
    """The guarantee of the rule's own threshold, in words."""
    promised: Numbers = ()
    """The guaranteed rate of a rule learned at each threshold; empty if nothing can be guaranteed."""
    risk: Risk = "bad_used"
    """The rate that the goal limits."""
    calibration: tuple[CalibrationBin, ...] = ()


@dataclass(frozen=True)
class Deciding:
    """The thresholds to choose from, and the goal of the learned rule; empty without a rule."""

    goal: str
    sweeps: tuple[Sweep, ...]
