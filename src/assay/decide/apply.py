"""Labels for new translations: use, review or reject, with the probability of a breakdown and the reason."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.core.spans import SEVERITIES, ErrorSpan
from assay.decide.rule import Group, Rule
from assay.stats.drift import Drift, drift

Floats = NDArray[np.float64]

LABELS = ("use", "review", "reject")
USE, REVIEW, REJECT = range(3)
FEWEST = 30
"""Fewer new scores than these say nothing about drift."""
DISTANCE, LEVEL, INDEX = 0.1, 0.01, 0.25


@dataclass(frozen=True)
class Decisions:
    """One label, probability and reason a translation, in their order."""

    codes: NDArray[np.int8]
    probabilities: Floats
    qualities: Floats
    groups: Sequence[str]
    reasons: Sequence[str]

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def labels(self) -> list[str]:
        """The labels as words."""
        return [LABELS[code] for code in self.codes.tolist()]

    def shares(self) -> dict[str, int]:
        """How many of each label."""
        counts = np.bincount(self.codes, minlength=3).tolist()
        return dict(zip(LABELS, counts, strict=True))


def decide(
    rule: Rule,
    scores: Mapping[str, Floats],
    languages: Sequence[str] | str = "",
    spans: Mapping[str, Sequence[tuple[ErrorSpan, ...]]] | None = None,
) -> Decisions:
    """Label translations by their scores (as the metrics give them). What could not be scored goes to review."""
    quality = rule.quality(scores)
    n = len(quality)
    codes, chances = np.full(n, REVIEW, np.int8), np.full(n, np.nan)
    if isinstance(languages, str):
        grouped = {languages: np.arange(n)}
        names = [rule.group(languages).name] * n
    else:
        grouped = {name: np.flatnonzero(np.array(languages) == name) for name in dict.fromkeys(languages)}
        names = [rule.group(name).name for name in languages]
    for language, rows in grouped.items():
        group = rule.group(language)
        mine = quality[rows]
        chance = group.curve.at(mine)
        use = (mine > group.above) & (chance <= group.use_at)
        codes[rows] = np.where(use, USE, np.where(chance >= group.reject_at, REJECT, REVIEW))
        codes[rows[np.isnan(mine)]] = REVIEW
        chances[rows] = np.where(np.isnan(mine), np.nan, chance)
    return Decisions(codes, chances, quality, names, _reasons(rule, scores, quality, names, spans or {}))


def _reasons(
    rule: Rule,
    scores: Mapping[str, Floats],
    quality: Floats,
    names: Sequence[str],
    spans: Mapping[str, Sequence[tuple[ErrorSpan, ...]]],
) -> list[str]:
    reasons = _single(rule, scores, names) if rule.blend is None else _several(rule, scores)
    for i in np.flatnonzero(np.isnan(quality)).tolist():
        missing = [member.name for member in rule.members if math.isnan(scores[member.name][i])]
        reasons[i] = f"not scored by {', '.join(missing)}"
    for name, rows in spans.items():
        for i, found in enumerate(rows):
            if found:
                worst = max(found, key=lambda span: SEVERITIES.index(span.severity))
                reasons[i] += f" · {worst.severity} {worst.category or 'error'} {worst.text!r} ({name})"
    return reasons


def _single(rule: Rule, scores: Mapping[str, Floats], names: Sequence[str]) -> list[str]:
    """The score and the limit it was held against."""
    member = rule.members[0]
    tails = {name: _tail(group, member.sign, member.decimals) for name, group in rule.groups.items()}
    form = f"{member.name} %.{member.decimals}f%s"
    return [form % (score, tails[name]) for score, name in zip(scores[member.name].tolist(), names, strict=True)]


def _tail(group: Group, sign: float, decimals: int) -> str:
    if not math.isfinite(group.above):
        return "" if group.above < 0 else ", nothing is used"
    better = "above" if sign > 0 else "below"
    return f", used {better} {sign * group.above:.{decimals}f}"


def _several(rule: Rule, scores: Mapping[str, Floats]) -> list[str]:
    """The metric that speaks loudest against the translation, with its score and what is usual."""
    assert rule.blend is not None
    parts = rule.blend.parts(rule.qualities(scores))
    worst = np.argmin(np.where(np.isnan(parts), np.inf, parts), axis=0).tolist()
    usual = [
        f"{member.sign * mean:.{member.decimals}f}" for member, mean in zip(rule.members, rule.blend.means, strict=True)
    ]
    columns = [scores[member.name].tolist() for member in rule.members]
    return [
        f"mostly {rule.members[m].name} {columns[m][i]:.{rule.members[m].decimals}f}, usual {usual[m]}"
        for i, m in enumerate(worst)
    ]


def drifts(rule: Rule, decisions: Decisions) -> dict[str, Drift]:
    """For each group with enough new translations, how far their qualities lie from those the rule was learned from."""
    names = np.array(decisions.groups)
    found = {}
    for name in dict.fromkeys(decisions.groups):
        mine = decisions.qualities[names == name]
        if np.isfinite(mine).sum() >= FEWEST:
            found[name] = drift(rule.groups[name].quantiles, rule.groups[name].n, mine)
    return found


def has_drifted(found: Drift) -> bool:
    """Whether the promise should no longer be relied on: the distributions differ surely, and by much."""
    return found.p < LEVEL and (found.distance > DISTANCE or found.stability_index > INDEX)
