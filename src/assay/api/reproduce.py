"""Receipts: a published table derived anew from the data and held against the printed one, cell by cell."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError, count
from assay.core.table import Table, TableColumn
from assay.results import Shown

if TYPE_CHECKING:
    from assay.api.obtain import Cell, DataDir
    from assay.receipts.published import Receipt, Source, Verdict

SAMPLE = 5
"""Matching cells of each table that are shown when not all are asked for."""
MOST = 10
"""Decimals shown at most; JSON has them all."""
NOT_DERIVABLE = "–"
"""How people's tables show the verdict of a cell that cannot follow."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One printed cell beside what the data gives."""

    receipt: Receipt
    obtained: float | None

    @property
    def verdict(self) -> Verdict:
        """``match``, ``differs`` or ``not derivable``."""
        return self.receipt.verdict(self.obtained)

    def to_dict(self) -> dict[str, Any]:
        """The receipt as JSON shows it; `published` is the printed text."""
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
            "reason": receipt.reason,
        }


@dataclass(repr=False)
class ReproduceResult(Shown):
    """Every printed cell of a set of published tables, checked."""

    name: str
    source: Source
    cells: list[Checked]

    @property
    def receipts(self) -> list[dict[str, Any]]:
        """One mapping for each printed cell: table, row, column, published, obtained, difference, tolerance, verdict."""
        return [cell.to_dict() for cell in self.cells]

    @property
    def counts(self) -> dict[str, int]:
        """Number of cells by verdict."""
        found: Counter[str] = Counter(cell.verdict for cell in self.cells)
        return {verdict: found[verdict] for verdict in ("match", "differs", "not derivable")}

    @property
    def differing(self) -> list[Checked]:
        """The cells that should follow from the data and do not."""
        return [cell for cell in self.cells if cell.verdict == "differs"]

    @property
    def failed(self) -> bool:
        """True when a cell that should follow differs."""
        return any(cell.verdict == "differs" for cell in self.cells)

    def summary(self) -> str:
        """One line: what matched in each table, and how many printed cells do not follow from public data."""
        parts = [f"{name}: {_matched(cells)}" for name, cells in self._by_table().items() if _followable(cells)]
        if left := self.counts["not derivable"]:
            what = count(left, "printed cell does", "printed cells do")
            parts.append(f"{what} not follow from public data")
        return " · ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """``{"receipts": [...], "summary": {...}}``."""
        summary = {"name": self.name, "citation": self.source.citation, **self.counts, "failed": self.failed}
        return {"summary": summary, "receipts": self.receipts}

    def table(self) -> Table:
        """Every cell as raw rows, for data formats."""
        columns = (
            *(TableColumn(key) for key in ("table", "row", "column")),
            TableColumn("published"),
            *(TableColumn(key, kind="number", decimals=4) for key in ("obtained", "difference", "tolerance")),
            TableColumn("verdict"),
            TableColumn("reason", hidden=True),
        )
        return Table("receipts", columns, self.receipts, self.source.citation, (self.summary(),))

    def tables(self, everything: bool = False) -> list[Table]:
        """One table for each published one, as people read it: the differing cells and a sample of those that match, or
        `everything`. Obtained values have two digits more than the printed ones."""
        return [
            _drawn(name, cells, self.source, everything)
            for name, cells in self._by_table().items()
            if everything or _followable(cells)
        ]

    def reasons(self) -> Table:
        """Why cells do not follow from public data, and how far off they are where something can be obtained."""
        grouped: dict[tuple[str, str], list[Checked]] = {}
        for cell in self.cells:
            if cell.verdict == "not derivable":
                grouped.setdefault((cell.receipt.table, cell.receipt.reason), []).append(cell)
        rows = [
            {"table": table, "cells": len(cells), "off": _furthest(cells), "reason": reason}
            for (table, reason), cells in grouped.items()
        ]
        columns = (
            TableColumn("table"),
            TableColumn("cells", kind="count"),
            TableColumn("off", "off by up to", kind="number", decimals=4),
            TableColumn("reason"),
        )
        return Table("reasons", columns, rows, "Printed cells that do not follow from public data", self.source.notes)

    def _by_table(self) -> dict[str, list[Checked]]:
        grouped: dict[str, list[Checked]] = {}
        for cell in self.cells:
            grouped.setdefault(cell.receipt.table, []).append(cell)
        return grouped


def reproduce(
    name: str | os.PathLike[str],
    data_dir: str | os.PathLike[str] | None = None,
    receipts: str | os.PathLike[str] | None = None,
    *,
    workers: int | None = None,
) -> ReproduceResult:
    """Derive published tables anew and compare them cell by cell.

    `name` is one of the package's sets (``demetr``, ``aces``, ``hallucinations``), or the path of a receipts CSV whose JSON file
    says which suite it is about. With `receipts`, the path of a CSV, its cells are looked up in a run of the suite `name`
    instead; `assay.api.obtain.from_tables` says how such a CSV names its cells. `data_dir` holds local copies of the
    suites (default: ``$ASSAY_DATA``).
    """
    from assay.receipts.published import load_receipts, load_source, names

    path = Path(receipts) if receipts is not None else os.fspath(name)
    published, source = load_receipts(path), load_source(path)
    suite = str(name) if receipts is not None else source.suite
    if not suite:
        raise InputError(f"{name} does not say which suite it is about: assay reproduce SUITE --receipts {name}")
    obtainer = str(name) if str(name) in names() else suite
    obtained = _obtain(obtainer, suite, published, data_dir, workers)
    return ReproduceResult(str(path), source, [Checked(receipt, obtained.get(receipt.cell)) for receipt in published])


def _obtain(
    obtainer: str, suite: str, published: Sequence[Receipt], data_dir: DataDir, workers: int | None
) -> dict[Cell, float | None]:
    from assay.api.obtain import OBTAINERS, from_tables, is_address

    named = [receipt for receipt in published if is_address(receipt)]
    printed = [receipt for receipt in published if not is_address(receipt)]
    found: dict[Cell, float | None] = {}
    if printed and obtainer not in OBTAINERS.names():
        raise InputError(
            f"the receipt {' / '.join(printed[0].cell)} does not name a line of a table of {suite}: "
            "its row must be KEY=VALUE pairs such as metric=chrf; phenomenon=omission."
        )
    if printed:
        found |= OBTAINERS.resolve(obtainer)(printed, data_dir, workers)
    if named:
        found |= from_tables(suite, named, data_dir, workers)
    return found


def _followable(cells: Sequence[Checked]) -> list[Checked]:
    return [cell for cell in cells if cell.receipt.derivable]


def _matched(cells: Sequence[Checked]) -> str:
    """``210 of 210 t, p, df, 70 of 70 accuracy``: by statistic where columns read METRIC:STATISTIC."""
    total: Counter[str] = Counter()
    matched: Counter[str] = Counter()
    for cell in _followable(cells):
        _, _, statistic = cell.receipt.column.partition(":")
        total[statistic] += 1
        matched[statistic] += cell.verdict == "match"
    alike: dict[tuple[int, int], list[str]] = {}
    for statistic, n in total.items():
        alike.setdefault((matched[statistic], n), []).append(statistic)
    return ", ".join(f"{hits:,} of {n:,} {', '.join(names)}".rstrip() for (hits, n), names in alike.items())


def _furthest(cells: Sequence[Checked]) -> float | None:
    known = [cell.receipt.difference(cell.obtained) for cell in cells]
    return max((abs(difference) for difference in known if difference is not None), default=None)


def _drawn(name: str, cells: Sequence[Checked], source: Source, everything: bool) -> Table:
    shown = list(cells) if everything else _sample(cells)
    rows = [
        {
            "cell": f"{cell.receipt.row} / {cell.receipt.column}",
            "published": _short(cell.receipt.published),
            "obtained": _digits(cell.obtained, cell.receipt.published),
            "difference": _digits(cell.receipt.difference(cell.obtained), cell.receipt.published, sign="+"),
            "within": f"{cell.receipt.tolerance:g}" if cell.receipt.derivable and cell.receipt.tolerance else "",
            "verdict": NOT_DERIVABLE if cell.verdict == "not derivable" else cell.verdict,
        }
        for cell in shown
    ]
    numbers = ("published", "obtained", "difference", "within")
    columns = (TableColumn("cell"), *(TableColumn(key, kind="number") for key in numbers), TableColumn("verdict"))
    what = source.tables.get(name, "").partition("; row:")[0]
    return Table(name, columns, rows, f"{name} · {what}" if what else name, (_note(cells, shown),))


def _sample(cells: Sequence[Checked]) -> list[Checked]:
    """All cells that differ, and a few that match, spread over the table; in the table's order."""
    matching = [i for i, cell in enumerate(cells) if cell.verdict == "match"]
    step = max(1, (len(matching) - 1) / (SAMPLE - 1))
    spread = {matching[round(k * step)] for k in range(min(SAMPLE, len(matching)))}
    return [cell for i, cell in enumerate(cells) if cell.verdict == "differs" or i in spread]


def _note(cells: Sequence[Checked], shown: Sequence[Checked]) -> str:
    left = sum(cell.verdict == "not derivable" for cell in cells)
    parts = [f"{_matched(cells)} match" if _followable(cells) else "", f"{left:,} not derivable" if left else ""]
    if left and any(cell.verdict == "not derivable" for cell in shown):
        parts[1] += f" ({NOT_DERIVABLE})"
    if len(shown) < len(cells):
        parts.append(f"{count(len(shown), 'cell')} of {len(cells):,} shown (--all)")
    return " · ".join(filter(None, parts))


def _short(published: str) -> str:
    """The published number; one at full precision is cut to what a person compares."""
    return f"{float(published):.{MOST}f}" if len(published.partition(".")[2]) > MOST else published


def _digits(value: float | None, published: str, sign: str = "") -> str:
    if value is None:
        return ""
    if published.startswith("<"):
        return f"{value:.1e}"
    decimals = len(published.partition(".")[2])
    text = f"{value:{sign}.{min(decimals + 2, MOST) if decimals else 0}f}"
    return text if float(text) else text.lstrip("+-")
