"""Printed cells that follow from other printed cells, or from how many items a suite has.

Receipts hold them too: the ACES-Score of a row is a sum of that row, an average is a mean of its column, Table 7 of ACES
is the difference of the two halves of Table 9.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import fmean

from assay.core.item import Item
from assay.data.aces import aces_score, phenomena, weights

Cell = tuple[str, str, str]

_TABLE_7 = {
    "antonym-replacement": "antonym",
    "real-world-knowledge-commonsense": "commonsense",
    "nonsense": "nonsense",
}


def _table_4() -> dict[str, str]:
    """Phenomenon to column of Table 4, as the receipts write it."""
    return {one.name: one.source_needed.replace(" ", "-") for one in phenomena().values() if one.source_needed}


def aces_from_printed(printed: Mapping[Cell, float]) -> dict[Cell, float]:
    """What follows from ACES's printed tables alone: ACES-Scores, averages, the last column of Table 4, Table 7."""
    found: dict[Cell, float] = {}
    metrics = {(table, row) for table, row, _ in printed if row != "Examples"}
    for table, row in metrics:
        if table == "Table 1" and row != "Average":
            found[table, row, "ACES-Score"] = aces_score(
                {category: printed[table, row, category] for category in weights()}
            )
        elif table == "Table 4":
            found[table, row, "avg"] = fmean(printed[table, row, name] for name in _table_4().values())
        elif table == "Table 7":
            for column, stem in _TABLE_7.items():
                seen, unseen = printed["Table 9", row, f"{stem} wmt"], printed["Table 9", row, f"{stem} non-wmt"]
                found[table, row, column] = seen - unseen
    for table in ("Table 1", "Table 2"):
        for column in {column for name, row, column in printed if name == table and row == "Average"}:
            rows = sorted(row for name, row in metrics if name == table and row != "Average")
            found[table, "Average", column] = fmean(printed[table, row, column] for row in rows)
    return found


def aces_counts(items: Iterable[Item]) -> dict[Cell, int]:
    """The rows ``Examples`` of ACES's Tables 1, 2 and 4, counted over `items`."""
    found: Counter[Cell] = Counter()
    table_4 = _table_4()
    for item in items:
        found["Table 1", "Examples", item.category] += 1
        if level := item.meta.get("sub_level"):
            found["Table 2", "Examples", level] += 1
        if name := table_4.get(item.phenomenon):
            found["Table 4", "Examples", name] += 1
            found["Table 4", "Examples", "avg"] += 1
    return dict(found)
