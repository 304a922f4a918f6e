"""Receipts: published numbers, cell by cell, to hold against what the data gives.

A set of receipts is one CSV file with the columns ``table,row,column,published,tolerance,derivable,reason``: the cell as it
was printed, how far an obtained value may lie from it, and, for cells that cannot follow from public data, why. Beside
it may stand a JSON file of the same name with the citation. The package's own sets lie in ``assay/data/receipts``; anybody
adds one by giving the path of such a CSV.
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
"""What an obtained value was computed from: texts and scores, other printed cells alone, or the number of items."""
COLUMNS = ("table", "row", "column", "published", "tolerance", "derivable", "reason")
_SLACK = 1e-9
"""What binary fractions may add to a tolerance of half a printed digit."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """One printed cell. `published` is the printed text; `reason` says how a cell follows, or why it does not."""

    table: str
    row: str
    column: str
    published: str
    tolerance: float
    derivable: bool
    reason: str = ""

    @property
    def cell(self) -> tuple[str, str, str]:
        """Table, row and column: the cell's address."""
        return self.table, self.row, self.column

    @property
    def value(self) -> float:
        """The printed number; the bound of a cell such as ``<0.001``; NaN where no number is printed."""
        number = to_number(self.published.lstrip("<"))
        return math.nan if number is None else number

    def difference(self, obtained: float | None) -> float | None:
        """Obtained minus published; None where a difference means nothing (no number, or a bound such as ``<0.001``)."""
        if obtained is None or self.published.startswith("<") or math.isnan(self.value):
            return None
        return obtained - self.value

    def verdict(self, obtained: float | None) -> Verdict:
        """Whether `obtained` equals the printed cell; a printed ``<0.001`` matches any smaller number."""
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
    """Where a set of receipts comes from."""

    suite: str = ""
    citation: str = ""
    tables: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def names() -> list[str]:
    """The sets that come with assay."""
    folder = files("assay") / "data" / "receipts"
    return sorted(entry.name.removesuffix(".csv") for entry in folder.iterdir() if entry.name.endswith(".csv"))


def load_receipts(name: str | Path) -> list[Receipt]:
    """The receipts of one of the package's sets (``demetr``), or of a CSV file given by its path."""
    label, path = _place(name)
    with open_table(path) as table:
        missing = [column for column in COLUMNS if column not in table.names]
        if missing:
            raise InputError(f"{label} line 1: no column {listing(missing)}. Receipts have {','.join(COLUMNS)}.")
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
    """The citation and captions beside a set of receipts; an empty one where there is no such file."""
    beside = _place(name)[1].with_suffix(".json")
    if not beside.is_file():
        return Publication()
    return typed(Publication, read_document(beside), Place(str(beside)), strict=False)


def _place(name: str | Path) -> tuple[str, Path]:
    """What messages call a set of receipts, and its file."""
    path = Path(name)
    if str(name) in names():
        return f"receipts {name}", Path(str(files("assay") / "data" / "receipts" / f"{name}.csv"))
    if path.suffix != ".csv" and not path.exists():
        raise unknown("set of receipts", str(name), names())
    if not path.exists():
        raise InputError(f"there is no file {path}.")
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
    """Half a unit of the last printed digit: 0.005 for ``12.34``, 0.5 for ``999``; 0 for a bound or for no number."""
    digits = published.lstrip("+-")
    if not (digits.isascii() and digits.replace(".", "", 1).isdigit()):
        return 0.0
    return 0.5 * 10.0 ** -min(len(digits.partition(".")[2]), 300)
