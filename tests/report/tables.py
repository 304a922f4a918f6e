"""Small tables that the report tests draw."""

from __future__ import annotations

from typing import Any

from assay.core.table import Pivot, Table, TableColumn

ACCURACY = TableColumn("accuracy", kind="percent", interval=("accuracy_low", "accuracy_high"), mark="first")
METRIC = TableColumn("metric", mark="contaminated")


def row(phenomenon: str, metric: str, accuracy: float | None, first: str = "", **more: Any) -> dict[str, Any]:
    bounds = (None, None) if accuracy is None else (accuracy - 0.02, accuracy + 0.02)
    return {
        "phenomenon": phenomenon,
        "category": "c",
        "metric": metric,
        "n": 10,
        "unscored": 0,
        "accuracy": accuracy,
        "accuracy_low": bounds[0],
        "accuracy_high": bounds[1],
        "first": first,
        **more,
    }


def phenomena(rows: list[dict[str, Any]]) -> Table:
    columns = (
        TableColumn("phenomenon"),
        TableColumn("category"),
        METRIC,
        TableColumn("n", kind="count"),
        ACCURACY,
        TableColumn("unscored", kind="count"),
    )
    return Table("phenomena", columns, rows, "By phenomenon", ("a note",), Pivot("phenomenon", "metric", "accuracy"))
