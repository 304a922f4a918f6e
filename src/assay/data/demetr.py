"""The 35 perturbations of DEMETR (Karpinska et al. 2022), by the numbers of its Table A3."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from assay.data import rows

EMPTY = 32
"""The perturbation with an empty text (a full stop), the reference point of sensitivity."""
REFERENCE = 35
"""The identity baseline: its "perturbed" text is the reference, so a good metric prefers it."""
SEVERITIES = ("critical", "major", "minor", "base")


@dataclass(frozen=True, slots=True)
class DemetrPerturbation:
    """One row of Table A3. `number` is the paper's; file names and ``pert_id`` are numbered differently."""

    number: int
    phenomenon: str
    """Name of the phenomenon in items and in perturbations that follow DEMETR."""
    label: str
    """Short description of the change (Table 1)."""
    category: str
    severity: str
    """Severity under which Table 4 counts it."""
    file: str
    items_checked: int


@functools.cache
def perturbations() -> tuple[DemetrPerturbation, ...]:
    """Return all 35 perturbations in the paper's order."""
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
    """Return the number of each phenomenon."""
    return MappingProxyType({one.phenomenon: one.number for one in perturbations()})
