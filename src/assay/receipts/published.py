"""Published numbers, cell by cell, to compare with recomputed ones.

A set of receipts is one CSV file with the columns ``table,row,column,published,tolerance,derivable,reason``: the cell as
printed, the tolerance for the recomputed value and, for cells that cannot be computed from public data, the reason. A JSON file
of the same name may contain the citation. The bundled sets are in ``assay/data/receipts``; other sets are specified by the path
of a CSV file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Literal

from assay.core.errors import InputError, listing, unknown
from assay.core.numbers import to_number
from assay.core.schema import Place, typed
from assay.io.documents import read_document
from assay.io.table.formats import open_table

Verdict = Literal["match", "differs", "not derivable"]
Origin = Literal["data", "printed cells", "count"]
"""Origin of a recomputed value: texts and scores, other printed cells alone, or the number of items."""
COLUMNS = ("table", "row", "column", "published", "tolerance", "derivable", "reason")
_SLACK = 1e-9
"""Rounding error that binary fractions may add to a tolerance of half a printed digit."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """One printed cell. `published` is the printed text; `reason` explains how the cell is computed, or why it cannot be."""

    table: str
    row: str
    column: str
    published: str
    tolerance: float
    derivable: bool
    reason: str = ""

    @property
    def cell(self) -> tuple[str, str, str]:
        """Table, row and column: the address of the cell."""
        return self.table, self.row, self.column

    @property
    def value(self) -> float:
        """The printed number, or the bound of a cell such as ``<0.001``; NaN if no number is printed."""
        number = to_number(self.published.lstrip("<"))
        return math.nan if number is None else number

    def difference(self, obtained: float | None) -> float | None:
        """Return obtained minus published; None if the printed cell has no number or only a bound such as ``<0.001``."""
        if obtained is None or self.published.startswith("<") or math.isnan(self.value):
            return None
        return obtained - self.value

    def verdict(self, obtained: float | None) -> Verdict:
        """Return whether `obtained` matches the printed cell; a printed ``<0.001`` matches any smaller number."""
        if not self.derivable:
            return "not derivable"
        if obtained is None or math.isnan(obtained):
            return "differs"
        if self.published.startswith("<"):
            return "match" if obtained < self.value else "differs"
        return (
            "match" if abs(obtained - self.value) <= self.tolerance + _SLACK * max(1.0, abs(self.value)) else "differs"
        )


@dataclass(frozen=True, slots=True)
class Publication:
    """Source of a set of receipts."""

    suite: str = ""
    citation: str = ""
    tables: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def names() -> list[str]:
    """Return the names of the bundled sets."""
    folder = files("assay") / "data" / "receipts"
    return sorted(entry.name.removesuffix(".csv") for entry in folder.iterdir() if entry.name.endswith(".csv"))


def load_receipts(name: str | Path) -> list[Receipt]:
    """Load the receipts in a bundled set (``demetr``), or in the CSV file at a path."""
    label, path = _place(name)
    with open_table(path) as table:
        missing = [column for column in COLUMNS if column not in table.names]
        if missing:
            raise InputError(f"{label} line 1: missing columns: {listing(missing)}. Receipts need {','.join(COLUMNS)}.")
        where = [table.names.index(column) for column in COLUMNS]
        rows = [
            (line, ["" if row[index] is None else str(row[index]).strip() for index in where])
            for line, row in table.rows()
        ]
    receipts: list[Receipt] = []
    seen: dict[tuple[str, str, str], int] = {}
    for line, row in rows:
        receipt = _receipt(label, line, row)
        if receipt.cell in seen:
            raise InputError(
                f"{label} line {line}: the cell {' / '.join(receipt.cell)} is also on line {seen[receipt.cell]}."
            )
        seen[receipt.cell] = line
        receipts.append(receipt)
    return receipts


def load_publication(name: str | Path) -> Publication:
    """Load the citation and captions for a set of receipts; empty if there is no such file."""
    path = _place(name)[1].with_suffix(".json")
    if not path.is_file():
        return Publication()
    return typed(Publication, read_document(path), Place(str(path)), strict=False)


def _place(name: str | Path) -> tuple[str, Path]:
    """Return the name of a set of receipts for messages, and its file."""
    path = Path(name)
    if str(name) in names():
        return f"receipts {name}", Path(str(files("assay") / "data" / "receipts" / f"{name}.csv"))
    if path.suffix != ".csv" and not path.exists():
        raise unknown("set of receipts", str(name), names())
    if not path.exists():
        raise InputError(f"the file {path} does not exist.")
    return str(path), path


def _receipt(label: str, line: int, cells: list[str]) -> Receipt:
    table, row, column, published, tolerance, derivable, reason = cells
    if derivable not in ("yes", "no"):
        raise InputError(f"{label} line {line}: column 'derivable' is {derivable!r}, not yes or no.")
    allowed = to_number(tolerance) if tolerance else half_unit(published)
    if allowed is None or not 0 <= allowed < math.inf:
        raise InputError(f"{label} line {line}: column 'tolerance' is {tolerance[:40]!r}, not a number.")
    receipt = Receipt(table, row, column, published, allowed, derivable == "yes", reason)
    if receipt.derivable and not math.isfinite(receipt.value):
        raise InputError(f"{label} line {line}: column 'published' is {published[:40]!r}, not a number.")
    return receipt


def half_unit(published: str) -> float:
    """Return half a unit in the last printed digit: 0.005 for ``12.34``, 0.5 for ``999``; 0 for a bound or no number."""
    digits = published.lstrip("+-")
    if not (digits.isascii() and digits.replace(".", "", 1).isdigit()):
        return 0.0
    return 0.5 * 10.0 ** -min(len(digits.partition(".")[2]), 300)
