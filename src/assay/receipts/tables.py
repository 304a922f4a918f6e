"""Comparison of receipts with recomputed values, as tables and summaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from assay.core.errors import count
from assay.core.table import Table, TableColumn
from assay.receipts.published import Origin, Publication, Receipt, Verdict

SAMPLE = 5
"""Number of matching cells shown per table unless all are requested."""
MOST = 10
"""Maximum number of decimals shown; JSON has all of them."""
NOT_DERIVABLE = "–"
"""Verdict shown in tables for a cell that cannot be computed from public data."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One printed cell with its recomputed value."""

    receipt: Receipt
    obtained: float | None
    origin: Origin = "data"

    @property
    def verdict(self) -> Verdict:
        """``match``, ``differs`` or ``not derivable``."""
        return self.receipt.verdict(self.obtained)

    def to_dict(self) -> dict[str, Any]:
        """Return the receipt for JSON; `published` is the printed text."""
        receipt = self.receipt
        return {
            "table": receipt.table,
            "row": receipt.row,
            "column": receipt.column,
            "published": receipt.published,
            "obtained": self.obtained,
            "difference": receipt.difference(self.obtained),
            "tolerance": receipt.tolerance,
            "verdict": self.verdict,
            "from": self.origin if receipt.derivable else "",
            "reason": receipt.reason,
        }


def by_table(cells: Sequence[Checked]) -> dict[str, list[Checked]]:
    """Group the cells by published table."""
    grouped: dict[str, list[Checked]] = {}
    for cell in cells:
        grouped.setdefault(cell.receipt.table, []).append(cell)
    return grouped


def counts(cells: Sequence[Checked]) -> dict[str, int]:
    """Return the number of cells by verdict."""
    verdicts: Counter[str] = Counter(cell.verdict for cell in cells)
    return {verdict: verdicts[verdict] for verdict in ("match", "differs", "not derivable")}


def summary(cells: Sequence[Checked]) -> str:
    """Summarise in one line: matches per table, and the number of printed cells that cannot be computed from public data."""
    parts = [
        f"{name}: {_matched(table_cells)}" for name, table_cells in by_table(cells).items() if derivable(table_cells)
    ]
    if left := counts(cells)["not derivable"]:
        what = count(left, "printed cell does", "printed cells do")
        parts.append(f"{what} not follow from public data")
    return " · ".join(parts)


def by_origin(cells: Sequence[Checked]) -> dict[Origin, list[Checked]]:
    """Group the derivable cells by the origin of their values."""
    groups = {origin: [cell for cell in derivable(cells) if cell.origin == origin] for origin in get_args(Origin)}
    return {origin: group for origin, group in groups.items() if group}


def totals(cells: Sequence[Checked]) -> str:
    """Summarise in one line how many cells match, by origin (``19 of 19 from data · 97 of 97 from printed cells``)."""
    named: dict[Origin, str] = {"data": "from data", "printed cells": "from printed cells", "count": "counts of items"}
    return " · ".join(
        f"{sum(cell.verdict == 'match' for cell in group):,} of {len(group):,} {named[origin]}"
        for origin, group in by_origin(cells).items()
    )


def raw_table(cells: Sequence[Checked], publication: Publication) -> Table:
    """Return all cells as raw rows, for data formats."""
    columns = (
        *(TableColumn(key) for key in ("table", "row", "column")),
        TableColumn("published"),
        *(TableColumn(key, kind="number", decimals=4) for key in ("obtained", "difference", "tolerance")),
        TableColumn("verdict"),
        TableColumn("from"),
        TableColumn("reason", hidden=True),
    )
    return Table("receipts", columns, [cell.to_dict() for cell in cells], publication.citation, (summary(cells),))


def reasons_table(cells: Sequence[Checked], publication: Publication) -> Table:
    """Return the reasons cells cannot be computed from public data, and the differences if a value can be recomputed anyway."""
    grouped: dict[tuple[str, str], list[Checked]] = {}
    for cell in cells:
        if cell.verdict == "not derivable":
            grouped.setdefault((cell.receipt.table, cell.receipt.reason), []).append(cell)
    rows = [
        {"table": table, "cells": len(group), "off": _furthest(group), "reason": reason}
        for (table, reason), group in grouped.items()
    ]
    columns = (
        TableColumn("table"),
        TableColumn("cells", kind="count"),
        TableColumn("off", "off by up to", kind="number", decimals=4),
        TableColumn("reason"),
    )
    return Table("reasons", columns, rows, "Printed cells that do not follow from public data", publication.notes)


def derivable(cells: Sequence[Checked]) -> list[Checked]:
    """Return the cells that can be computed from public data."""
    return [cell for cell in cells if cell.receipt.derivable]


def _matched(cells: Sequence[Checked]) -> str:
    """Return ``210 of 210 t, p, df, 70 of 70 accuracy``: by statistic if columns read METRIC:STATISTIC."""
    total: Counter[str] = Counter()
    matched: Counter[str] = Counter()
    for cell in derivable(cells):
        _, _, statistic = cell.receipt.column.partition(":")
        total[statistic] += 1
        matched[statistic] += cell.verdict == "match"
    alike: dict[tuple[int, int], list[str]] = {}
    for statistic, n in total.items():
        alike.setdefault((matched[statistic], n), []).append(statistic)
    return ", ".join(f"{hits:,} of {n:,} {', '.join(names)}".rstrip() for (hits, n), names in alike.items())


def _furthest(cells: Sequence[Checked]) -> float | None:
    differences = [cell.receipt.difference(cell.obtained) for cell in cells]
    return max((abs(difference) for difference in differences if difference is not None), default=None)


def display_table(name: str, cells: Sequence[Checked], publication: Publication, everything: bool) -> Table:
    """Return a published table for display, complete or in part; recomputed values get two more digits than the printed ones."""
    shown = list(cells) if everything else _sample(cells)
    rows = [
        {
            "cell": f"{cell.receipt.row} / {cell.receipt.column}",
            "published": _short(cell.receipt.published),
            "obtained": _digits(cell.obtained, cell.receipt.published),
            "difference": _digits(cell.receipt.difference(cell.obtained), cell.receipt.published, sign="+"),
            "within": f"{cell.receipt.tolerance:g}" if cell.receipt.derivable and cell.receipt.tolerance else "",
            "verdict": NOT_DERIVABLE if cell.verdict == "not derivable" else cell.verdict,
            "from": cell.origin if cell.receipt.derivable else "",
        }
        for cell in shown
    ]
    numbers = ("published", "obtained", "difference", "within")
    columns = (TableColumn("cell"), *(TableColumn(key, kind="number") for key in numbers))
    columns = (*columns, TableColumn("verdict"), TableColumn("from"))
    what = publication.tables.get(name, "").partition("; row:")[0]
    return Table(name, columns, rows, f"{name} · {what}" if what else name, (_note(cells, shown),))


def _sample(cells: Sequence[Checked]) -> list[Checked]:
    """Return all cells that differ, and a few that match, spread over the table; in table order."""
    matching = [i for i, cell in enumerate(cells) if cell.verdict == "match"]
    step = max(1, (len(matching) - 1) / (SAMPLE - 1))
    spread = {matching[round(k * step)] for k in range(min(SAMPLE, len(matching)))}
    return [cell for i, cell in enumerate(cells) if cell.verdict == "differs" or i in spread]


def _note(cells: Sequence[Checked], shown: Sequence[Checked]) -> str:
    left = sum(cell.verdict == "not derivable" for cell in cells)
    parts = [f"{_matched(cells)} match" if derivable(cells) else "", f"{left:,} not derivable" if left else ""]
    if left and any(cell.verdict == "not derivable" for cell in shown):
        parts[1] += f" ({NOT_DERIVABLE})"
    if len(shown) < len(cells):
        parts.append(f"{count(len(shown), 'cell')} of {len(cells):,} shown (--all)")
    return " · ".join(filter(None, parts))


def _short(published: str) -> str:
    """Return the published number, shortened if it has full precision."""
    return f"{float(published):.{MOST}f}" if len(published.partition(".")[2]) > MOST else published


def _digits(value: float | None, published: str, sign: str = "") -> str:
    if value is None:
        return ""
    if published.startswith("<"):
        return f"{value:.1e}"
    decimals = len(published.partition(".")[2])
    text = f"{value:{sign}.{min(decimals + 2, MOST) if decimals else 0}f}"
    return text if float(text) else text.lstrip("+-")
