"""The 68 phenomena of ACES (Amrhein, Moghe and Guillou 2022), by name and in the order of its Table 1."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from assay.data import rows


@dataclass(frozen=True, slots=True)
class AcesPhenomenon:
    """One of the 68 phenomena: its position in the paper's tables, and the studies that use it (empty: none)."""

    name: str
    category: str
    """Top-level category (Table 1)."""
    sub_level: str
    """Sub-level of the mistranslation phenomena (Section 7.3, Table 2)."""
    category_weight: float
    """Weight of the category in the ACES-Score (Section 7.2)."""
    source_needed: str
    """Short name of a phenomenon whose good translation can be identified only from the source (Section 8.1, Table 4)."""
    overlap: str
    """Set and level of increasing overlap with the reference, ``number 3`` (Section 5.3.2, Figure 2)."""
    mended: str
    """Error and how its good translation avoids it, ``overly-literal copied`` or ``… synonym`` (Section 8.2, Table 6)."""
    wmt_pairs: tuple[str, ...]
    unseen_pairs: tuple[str, ...]
    """WMT language pairs, and those on which no metric was trained (Appendix A.3, Tables 7 and 9)."""


@functools.cache
def phenomena() -> Mapping[str, AcesPhenomenon]:
    """Return all 68 phenomena by name."""
    return MappingProxyType(
        {
            row["phenomenon"]: AcesPhenomenon(
                row["phenomenon"],
                row["category"],
                row["sub_level"],
                float(row["category_weight"]),
                row["source_needed"],
                row["overlap"],
                row["mended"],
                tuple(row["wmt_pairs"].split()),
                tuple(row["unseen_pairs"].split()),
            )
            for row in rows("aces_phenomena.csv")
        }
    )


@functools.cache
def weights() -> Mapping[str, float]:
    """Return the ten categories in the order of Table 1, with their weights in the ACES-Score."""
    return MappingProxyType({one.category: one.category_weight for one in phenomena().values()})


def in_category(category: str) -> list[str]:
    """Return the phenomena in a top-level category."""
    return [one.name for one in phenomena().values() if one.category == category]


def aces_score(categories: Mapping[str, float]) -> float:
    """Return the ACES-Score (Section 7.2, Equation 1): the weighted sum of the ten categories' tau, from -29.1 to 29.1."""
    return sum(weight * categories[category] for category, weight in weights().items())
