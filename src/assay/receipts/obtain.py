"""Recomputation of published numbers: one function per set of receipts.

An obtainer takes the receipts and a `Runner`, and returns ``{(table, row, column): value}`` for the printed cells that it can
recompute, in the same units. A value that was not computed from texts and scores is an `Obtained`, which states its origin.
Third-party receipts need no obtainer: each row refers to a row in an analysis table (`from_tables`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from assay.core.errors import InputError, listing, unknown
from assay.core.item import Item
from assay.core.registry import Registry
from assay.data.aces import aces_score, phenomena, weights
from assay.receipts.published import Origin, Receipt, load_receipts

if TYPE_CHECKING:
    from assay.core.table import Table

Cell = tuple[str, str, str]


class Derived(NamedTuple):
    """Result of a run: its tables by name, and the items or judged segments from which they were computed."""

    tables: Mapping[str, Table]
    content: Any = ()


class Obtained(NamedTuple):
    """A recomputed value and its origin."""

    value: float | None
    origin: Origin = "data"


class Runner(Protocol):
    """Runs metrics on data for an obtainer."""

    def run(self, suite: str, metrics: Sequence[str]) -> Derived:
        """Run metrics on a suite."""

    def meta(self, name: str) -> Derived:
        """Return the official tables of a WMT metrics task."""


Found = Mapping[Cell, "float | Obtained | None"]
Obtainer = Callable[[Sequence[Receipt], Runner], Found]

OBTAINERS = Registry(
    "obtainer",
    {
        "demetr": "assay.receipts.obtain:demetr",
        "aces": "assay.receipts.obtain:aces",
        "hallucinations": "assay.receipts.obtain:hallucinations",
        "wmt23": "assay.receipts.obtain:wmt23",
    },
)
"""Registry of obtainers by set of receipts; more can be added with the entry points ``assay.obtainers``."""


def obtain(obtainer: str, suite: str, receipts: Sequence[Receipt], runner: Runner) -> dict[Cell, Obtained]:
    """Recompute all cells that can be recomputed: printed ones with the obtainer, addressed ones by running `suite`."""
    addressed = [receipt for receipt in receipts if is_address(receipt)]
    printed = [receipt for receipt in receipts if not is_address(receipt)]
    if printed and not OBTAINERS.registered(obtainer):
        raise InputError(
            f"the receipt {' / '.join(printed[0].cell)} does not name a row of a table of {suite}. "
            "Write its row as KEY=VALUE pairs such as metric=chrf; phenomenon=omission."
        )
    values: dict[Cell, float | Obtained | None] = {}
    if printed:
        values |= OBTAINERS.resolve(obtainer)(printed, runner)
    if addressed:
        values |= _looked_up(suite, addressed, runner)
    return {cell: value if isinstance(value, Obtained) else Obtained(value) for cell, value in values.items()}


def demetr(receipts: Sequence[Receipt], runner: Runner) -> dict[Cell, float | None]:
    """Recompute Table A3 (t, p, df and accuracy in percent) and Table 4 for the six metrics that assay can compute."""
    metrics = ("bleu", "chrf", "chrf++", "ter", "cer", "rouge2")
    tables = runner.run("demetr", metrics).tables
    cells: dict[Cell, float | None] = {}
    for row in tables["perturbations"].rows:
        cell = ("Table A3", str(row["perturbation"]))
        cells |= {(*cell, f"{row['metric']}:{key}"): row[key] for key in ("t", "p", "df")}
        cells[*cell, f"{row['metric']}:accuracy"] = _percent(row["accuracy"])
    for row in tables["severity"].rows:
        cells["Table 4", row["severity"], row["metric"]] = _percent(row["accuracy"])
    return cells


def aces(receipts: Sequence[Receipt], runner: Runner) -> dict[Cell, float | Obtained | None]:
    """Recompute Tables 1 and 2 for BLEU and chrF if a group is complete, item counts, and cells that can be computed from
    printed ones.
    """
    result = runner.run("aces", ("bleu", "chrf"))
    label = {"bleu": "BLEU", "chrf": "chrF"}
    cells: dict[Cell, float | Obtained | None] = {}
    for name, key, table in (("categories", "category", "Table 1"), ("sublevels", "sublevel", "Table 2")):
        for row in result.tables[name].rows if name in result.tables else ():
            if row["missing_phenomena"] == 0 and row["metric"] in label:
                cells[table, label[row["metric"]], row[key]] = row["tau"]
    cells |= {cell: Obtained(n, "count") for cell, n in aces_counts(result.content).items()}
    printed = {receipt.cell: receipt.value for receipt in (*load_receipts("aces"), *receipts)}
    return cells | {cell: Obtained(value, "printed cells") for cell, value in aces_from_printed(printed).items()}


def hallucinations(receipts: Sequence[Receipt], runner: Runner) -> dict[Cell, float | None]:
    """Recompute the chrF++ rows of the detection table, in percent."""
    tables = runner.run("hallucinations", ("chrf++",)).tables
    targets = {"all": "any_hallucination", "fully detached": "fully_detached"}
    cells: dict[Cell, float | None] = {}
    for row in tables["detection"].rows:
        if target := targets.get(row["set"]):
            cells["detection", f"chrF++:{target}", "roc_auc"] = _percent(row["auroc"])
            precision = _percent(row["precision_at_90_recall"])
            cells["detection", f"chrF++:{target}", "precision_at_recall_90"] = precision
    return cells


def wmt23(receipts: Sequence[Receipt], runner: Runner) -> dict[Cell, float | None]:
    """Recompute the ten tasks for every metric, and the ranking: (``tasks``, task, metric), (``overall``, metric, ``average``)."""
    tables = runner.meta("wmt23").tables
    cells: dict[Cell, float | None] = {
        ("tasks", str(row["task"]), row["metric"]): row["value"] for row in tables["tasks"].rows
    }
    return cells | {("overall", row["metric"], "average"): row["average"] for row in tables["overall"].rows}


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def is_address(receipt: Receipt) -> bool:
    """Return whether a receipt's row refers to a row in an analysis table: ``metric=chrf; phenomenon=omission``."""
    return "=" in receipt.row


def from_tables(suite: str, receipts: Sequence[Receipt], runner: Runner) -> dict[Cell, float | None]:
    """Recompute cells that refer to a table in the suite's analysis, by running the metrics that they name.

    ``table`` is the name of the table (``phenomena``). ``row`` selects the row by ``KEY=VALUE`` pairs separated by
    semicolons, one of them the metric (``metric=chrf; phenomenon=omission``). ``column`` is the key of the number
    (``accuracy``). These are the names printed by ``assay run SUITE --format json``. Percentages are in percent. A missing
    row gives None, and so does a metric without a derivable cell, which may not be available here.
    """
    return {cell: obtained.value for cell, obtained in _looked_up(suite, receipts, runner).items()}


def _looked_up(suite: str, receipts: Sequence[Receipt], runner: Runner) -> dict[Cell, Obtained]:
    """Return the cells for `from_tables`, and whether each is a number of items or comes from scores."""
    metrics = named_metrics(receipts)
    if not metrics:
        return {}
    addresses = {receipt.cell: _address(receipt) for receipt in receipts}
    tables = runner.run(suite, metrics).tables
    obtained: dict[Cell, Obtained] = {}
    for cell, where in addresses.items():
        name, _, column = cell
        if name not in tables:
            raise unknown(f"table of {suite}", name, tables)
        obtained[cell] = Obtained(_look_up(tables[name], where, column), "count" if column == "n" else "data")
    return obtained


def named_metrics(receipts: Sequence[Receipt]) -> list[str]:
    """Return the metrics needed for the addresses among `receipts`: those with a derivable cell."""
    addresses = [(receipt, _address(receipt)) for receipt in receipts if is_address(receipt)]
    return list(dict.fromkeys(where["metric"] for receipt, where in addresses if receipt.derivable))


def _address(receipt: Receipt) -> dict[str, str]:
    where: dict[str, str] = {}
    for part in receipt.row.split(";"):
        key, equals, value = (text.strip() for text in part.partition("="))
        if not equals or not key or not value:
            raise InputError(
                f"the receipt {' / '.join(receipt.cell)} has the invalid row part {part.strip()!r}. Write KEY=VALUE; KEY=VALUE, "
                "such as metric=chrf; phenomenon=omission."
            )
        where[key] = value
    if "metric" not in where:
        raise InputError(f"the receipt {' / '.join(receipt.cell)} does not name a metric. Add metric=NAME to its row.")
    return where


def _look_up(table: Table, where: Mapping[str, str], column: str) -> float | None:
    keys = {key: None for row in table.rows for key in row}
    for key in (*where, column):
        if key not in keys:
            raise unknown(f"column of the table {table.name}", key, keys)
    hits = [row for row in table.rows if all(str(row[key]) == value for key, value in where.items())]
    if len(hits) > 1:
        conditions = listing(f"{key}={value}" for key, value in where.items())
        raise InputError(
            f"{conditions} matches {len(hits)} rows of the table {table.name}. Add more of {listing(keys)}."
        )
    value: Any = hits[0][column] if hits else None
    if value is not None and not isinstance(value, (int, float)):
        raise InputError(f"the column {column!r} of the table {table.name} contains text, not numbers.")
    percent = any(one.key == column and one.kind == "percent" for one in table.columns)
    return _percent(value) if percent else value


_TABLE_7 = {
    "antonym-replacement": "antonym",
    "real-world-knowledge-commonsense": "commonsense",
    "nonsense": "nonsense",
}


def _table_4() -> dict[str, str]:
    """Map phenomena to the columns of Table 4, with the spelling used in the receipts."""
    return {one.name: one.source_needed.replace(" ", "-") for one in phenomena().values() if one.source_needed}


def aces_from_printed(printed: Mapping[Cell, float]) -> dict[Cell, float]:
    """Compute cells from ACES's printed tables alone: ACES-Scores, averages, the last column of Table 4, and Table 7."""
    cells: dict[Cell, float] = {}
    metrics = {(table, row) for table, row, _ in printed if row != "Examples"}
    for table, row in metrics:
        if table == "Table 1" and row != "Average":
            cells[table, row, "ACES-Score"] = aces_score(
                {category: printed[table, row, category] for category in weights()}
            )
        elif table == "Table 4":
            cells[table, row, "avg"] = fmean(printed[table, row, name] for name in _table_4().values())
        elif table == "Table 7":
            for column, stem in _TABLE_7.items():
                seen, unseen = printed["Table 9", row, f"{stem} wmt"], printed["Table 9", row, f"{stem} non-wmt"]
                cells[table, row, column] = seen - unseen
    for table in ("Table 1", "Table 2"):
        for column in {column for name, row, column in printed if name == table and row == "Average"}:
            rows = sorted(row for name, row in metrics if name == table and row != "Average")
            cells[table, "Average", column] = fmean(printed[table, row, column] for row in rows)
    return cells


def aces_counts(items: Iterable[Item]) -> dict[Cell, int]:
    """Count the rows ``Examples`` of ACES's Tables 1, 2 and 4 over `items`."""
    cells: Counter[Cell] = Counter()
    table_4 = _table_4()
    for item in items:
        cells["Table 1", "Examples", item.category] += 1
        if level := item.meta.get("sub_level"):
            cells["Table 2", "Examples", level] += 1
        if name := table_4.get(item.phenomenon):
            cells["Table 4", "Examples", name] += 1
            cells["Table 4", "Examples", "avg"] += 1
    return dict(cells)
