"""Outcomes on ACES items, counted by phenomenon: the basis for every table in the ACES paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.analyses.outcomes import (
    Counts,
    Estimate,
    Floats,
    Outcomes,
    Sampling,
    count,
    estimates,
    mean_weights,
    outcomes,
)
from assay.analyses.table_parts import common_notes
from assay.core.item import Item
from assay.core.metric import Card
from assay.core.suite import Measured
from assay.core.table import TableColumn
from assay.data.aces import phenomena


@dataclass(frozen=True, slots=True)
class Study:
    """Outcome counts with one stratum per phenomenon: the official ones in the paper's order, then all other names."""

    items: Sequence[Item]
    measured: Sequence[Measured]
    outcome: Outcomes
    sampling: Sampling
    notes: tuple[str, ...]
    index: Mapping[str, int]
    """Stratum of each phenomenon."""
    counts: Counts

    def strata(self, names: Sequence[str]) -> list[int]:
        """Return the strata of those `names` that occur in the data."""
        return [self.index[name] for name in names if name in self.index]

    def mean(self, names: Sequence[str]) -> Floats:
        """Return the weights for the unweighted mean over the phenomena `names`."""
        return mean_weights(self.counts, self.strata(names))

    def estimates(self, weightings: Sequence[Floats], race: bool = True) -> list[list[Estimate | None]]:
        """Return tau-like estimates for several weighted sums of phenomena; see `outcomes.estimates`."""
        return estimates(self.counts, weightings, self.sampling, tau=True, race=race)

    def sizes(self, m: int, names: Sequence[str]) -> dict[str, Any]:
        """Return how many items of these phenomena metric `m` scored, and how many it could not."""
        strata = self.strata(names)
        return {"n": int(self.counts.n[m, strata].sum()), "unscored": int(self.counts.unscored[m, strata].sum())}


def count_outcomes(items: Sequence[Item], measured: Sequence[Measured], sampling: Sampling) -> Study:
    """Count the outcomes of every phenomenon."""
    outcome = outcomes(items, measured)
    present = dict.fromkeys(item.phenomenon for item in items)
    names = [name for name in phenomena() if name in present] + [name for name in present if name not in phenomena()]
    index = {name: i for i, name in enumerate(names)}
    strata = np.array([index[item.phenomenon] for item in items], np.int64)
    return Study(
        items=items,
        measured=measured,
        outcome=outcome,
        sampling=sampling,
        notes=common_notes(items, measured, outcome, sampling),
        index=index,
        counts=count(outcome, strata, len(names), sampling),
    )


GROUPS = ("reference-based", "reference-free")


def group_of(card: Card) -> str:
    """Return ``reference-free`` or ``reference-based``, according to the card."""
    return "reference-free" if card.reference_free else "reference-based"


BLOCKS = ("string", *GROUPS)
BLOCK = TableColumn("block")


def block_of(card: Card) -> str:
    """Return a metric's block in Tables 1 and 2: string metrics, then those with and without a reference."""
    return "string" if card.by_characters else group_of(card)


def in_blocks(measured: Sequence[Measured]) -> list[tuple[int, Measured]]:
    """Return the metrics with their numbers, block by block."""
    return sorted(enumerate(measured), key=lambda entry: BLOCKS.index(block_of(entry[1].card)))
