"""Verdict on a comparison: what all metrics conclude about each system relative to the baseline, in one sentence.

A metric calls a system better or worse if its difference is significant. If metrics disagree, the verdict names the
segments on which they disagree most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.errors import listing

if TYPE_CHECKING:
    from assay.core.metric import Floats

Outcome = Literal["better", "worse", "no difference", "identical", "untested"]
"""One metric's conclusion about a system: `untested` if there are too few segments for a test."""
Kind = Literal["better", "worse", "mixed", "no difference", "identical", "untested"]
"""All metrics' conclusion: `better` or `worse` if at least one metric is significant and none contradicts it."""
FEW = 5
"""Maximum number of segments that a verdict names."""


@dataclass(frozen=True, slots=True)
class SystemVerdict:
    """The metrics' conclusions, by label, about one system relative to the baseline."""

    system: str
    baseline: str
    better: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    no_difference: tuple[str, ...] = ()
    identical: tuple[str, ...] = ()
    untested: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()
    """Segments on which the metrics disagree most, by id or number."""

    @property
    def kind(self) -> Kind:
        """The verdict in one word."""
        if self.better and self.worse:
            return "mixed"
        if self.better or self.worse:
            return "better" if self.better else "worse"
        if self.no_difference:
            return "no difference"
        return "identical" if self.identical else "untested"


@dataclass(frozen=True, slots=True)
class ComparisonVerdict:
    """The verdict on every system except the baseline; empty if there is no other system."""

    systems: tuple[SystemVerdict, ...] = ()

    @property
    def sentence(self) -> str:
        """One sentence per group of systems with the same conclusions."""
        groups: dict[SystemVerdict, list[str]] = {}
        for one in self.systems:
            groups.setdefault(one if one.kind == "mixed" else replace(one, system=""), []).append(one.system)
        return " ".join(_sentence(one, names) for one, names in groups.items())


def verdict(outcomes: Mapping[str, Mapping[str, Outcome]], baseline: str) -> ComparisonVerdict:
    """Return the verdict, given the conclusion of each metric (by label) about each system."""

    def those(row: Mapping[str, Outcome], outcome: Outcome) -> tuple[str, ...]:
        return tuple(metric for metric, actual in row.items() if actual == outcome)

    return ComparisonVerdict(
        tuple(
            SystemVerdict(
                system, baseline, those(row, "better"), those(row, "worse"), those(row, "no difference"),
                those(row, "identical"), those(row, "untested"),
            )
            for system, row in outcomes.items()
        )
    )  # fmt: skip


def most_disputed(better: Sequence[Floats], worse: Sequence[Floats], many: int = FEW) -> list[int]:
    """Return the segments on which two groups of metrics disagree most, most disputed first.

    Differences are measured in the standard deviations of their metric. A segment is disputed if the first group prefers
    the system and the second the baseline.

    Args:
        better: Differences of every segment from the baseline, positive for better, for each metric that calls the system better.
        worse: The same for each metric that calls it worse.
        many: Maximum number of segments.
    """
    up, down = _mean(better), _mean(worse)
    with np.errstate(invalid="ignore"):
        gap = np.where((up > 0) & (down < 0), up - down, -np.inf)
    order = np.argsort(-gap, kind="stable")[:many]
    return [i for i in order.tolist() if gap[i] > 0]


def _mean(columns: Iterable[Floats]) -> Floats:
    """Return the mean of the columns, each in units of its own standard deviation; constant columns count as 0."""
    scaled = []
    for column in columns:
        spread = float(np.nanstd(column))
        scaled.append(column / spread if spread > 0 else np.zeros(len(column)))
    return np.asarray(np.mean(scaled, axis=0))


def _sentence(one: SystemVerdict, systems: Sequence[str]) -> str:
    """Return the sentence about systems that share the conclusions of `one`."""
    who, baseline, verb = _all(systems), listing([one.baseline]), "is" if len(systems) == 1 else "are"
    if one.kind == "mixed":
        look = f"; look at segment{'s' * (len(one.segments) > 1)} {_all(one.segments)}" if one.segments else ""
        opinions = f"{_are(one.worse)} worse, {_are(one.better)} better"
        return f"The metrics disagree on {who} against {baseline}: {opinions}{_rest(one)}{look}."
    if one.kind == "no difference":
        return f"No significant difference between {baseline} and {who} by {_all(one.no_difference)}{_rest(one)}."
    if one.kind == "identical":
        return f"{who} {verb} identical to {baseline} by {_all(one.identical)}{_rest(one)}."
    if one.kind == "untested":
        return f"Too few segments to compare {who} with {baseline}."
    metrics = one.better or one.worse
    return f"{who} {verb} significantly {one.kind} than {baseline} by {_all(metrics)}{_rest(one)}."


def _rest(one: SystemVerdict) -> str:
    """Return the conclusions of the other metrics, unless the sentence already covers them."""
    parts = []
    if one.no_difference and one.kind != "no difference":
        parts.append(f"no significant difference by {_all(one.no_difference)}")
    if one.identical and one.kind != "identical":
        parts.append(f"identical by {_all(one.identical)}")
    if one.untested:
        parts.append(f"too few segments for {_all(one.untested)}")
    return "".join(f"; {part}" for part in parts)


def _are(names: Sequence[str]) -> str:
    return f"{_all(names)} {'is' if len(names) == 1 else 'are'}"


def _all(names: Sequence[str]) -> str:
    """Return ``A, B and C``, escaped to one line."""
    *first, last = (listing([name]) for name in names)
    return f"{', '.join(first)} and {last}" if first else last
