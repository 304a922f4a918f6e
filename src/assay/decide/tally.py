"""What became of many translations, counted chunk by chunk: labels by language, and whether scores have drifted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.decide.apply import LABELS, Decisions
from assay.decide.rule import Rule
from assay.stats.drift import Drift, DriftCounter

FEWEST = 30
"""Fewer new scores than these say nothing about drift."""
DISTANCE, LEVEL, INDEX = 0.1, 0.01, 0.25


class Tally:
    """Counts over all decisions of a run; memory does not grow with them."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.counts: dict[str, NDArray[np.int64]] = {}
        """How many of each label, by language."""
        self._drift: dict[str, DriftCounter] = {}

    def add(self, decisions: Decisions) -> None:
        """Count one chunk."""
        names, codes = decisions.languages
        for code, name in enumerate(names):
            mine = codes == code
            found = np.bincount(decisions.codes[mine], minlength=len(LABELS))
            self.counts[name] = self.counts.get(name, np.zeros(len(LABELS), np.int64)) + found
            group = self.rule.group(name)
            counter = self._drift.setdefault(group.name, DriftCounter(group.quantiles, group.n))
            counter.add(decisions.qualities[mine])

    def told(self) -> dict[str, Any]:
        """What was counted, as plain values that can be added up: `take` has them back."""
        return {
            "labels": {name: dict(zip(LABELS, found.tolist(), strict=True)) for name, found in self.counts.items()},
            "drift": {name: counter.counts() for name, counter in self._drift.items()},
        }

    def take(self, told: Mapping[str, Any]) -> None:
        """Count what other tallies of the same rule counted."""
        for name, found in told["labels"].items():
            before = self.counts.get(name, np.zeros(len(LABELS), np.int64))
            self.counts[name] = before + np.array([found[label] for label in LABELS], np.int64)
        for name, counts in told["drift"].items():
            group = self.rule.groups[name]
            self._drift.setdefault(name, DriftCounter(group.quantiles, group.n)).take(counts)

    def __len__(self) -> int:
        return int(sum(found.sum() for found in self.counts.values()))

    def shares(self) -> dict[str, int]:
        """How many of each label over all languages."""
        return dict(zip(LABELS, np.sum(list(self.counts.values()), axis=0).tolist(), strict=True))

    def drifts(self) -> dict[str, Drift]:
        """For each group with enough new translations, how far their qualities lie from those the rule was learned from."""
        return {name: counter.drift() for name, counter in self._drift.items() if counter.n >= FEWEST}


def has_drifted(found: Drift) -> bool:
    """Whether the promise should no longer be relied on: the distributions differ surely, and by much."""
    return found.p < LEVEL and (found.distance > DISTANCE or found.stability_index > INDEX)
