"""The 35 perturbations of DEMETR (Karpinska et al. 2022), by the numbers of its Table A3."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from assay.data import rows

EMPTY = 32
"""The perturbation whose text is empty (a full stop): what sensitivity is measured against."""
REFERENCE = 35
"""The identity baseline: its "perturbed" text is the reference, so a good metric prefers it."""
SEVERITIES = ("critical", "major", "minor", "base")


@dataclass(frozen=True, slots=True)
class DemetrPerturbation:
    """One row of Table A3. `number` is the paper's; file names and ``pert_id`` count differently."""

    number: int
    phenomenon: str
    """What items, and the perturbations that follow DEMETR, are called by."""
    label: str
    """What is done, in a few words (Table 1)."""
    category: str
    severity: str
    """The severity under which Table 4 counts it."""
    file: str
    items_checked: int


@functools.cache
def perturbations() -> tuple[DemetrPerturbation, ...]:
    """All 35, in the paper's order."""
    return tuple(
        DemetrPerturbation(
            int(row["perturbation"]),
            row["phenomenon"],
            row["label"],
            row["category"],
            row["severity"],
            row["file"],
            int(row["items_checked"]),
        )
        for row in rows("demetr_perturbations.csv")
    )


@functools.cache
def numbers() -> Mapping[str, int]:
    """Phenomenon to number."""
    return MappingProxyType({one.phenomenon: one.number for one in perturbations()})
