"""Comparison of a run's tables and scores with those of its repetition, cell by cell if the run stored them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.columns import Columns, plain_list
from assay.core.errors import InputError
from assay.core.schema import shorten
from assay.io.documents import read_document
from assay.io.table.formats import open_table
from assay.report.data import digest, rows

if TYPE_CHECKING:
    from assay.engine.manifest import Manifest
    from assay.verbs.result import Result


@dataclass(frozen=True, slots=True)
class ThenAndNow:
    """One table from both runs. If only the manifest remains, row hashes are compared."""

    name: str
    equal: bool
    cells: int | None = None
    differing: int | None = None
    largest: float | None = None
    """Largest difference between two numbers."""
    where: str = ""
    """First cell that differs."""


def compare_results(then: Manifest, result: Result, kept: Path | None) -> list[ThenAndNow]:
    """Compare every table in the manifest and the result, and the scores if the run directory `kept` contains them."""
    here = {name: digest(table) for name, table in result.tables.items()}
    old = _tables(kept)
    comparisons = []
    for name in dict.fromkeys([*then.results, *here]):
        if name not in here or name not in then.results:
            missing = "missing this time" if name not in here else "not made then"
            comparisons.append(ThenAndNow(name, False, where=missing))
        elif name in old:
            cells = _cells(name, old[name], rows(result.tables[name]))
            if cells.equal and here[name] != then.results[name]:
                cells = replace(cells, equal=False, where="tables.json does not match the manifest")
            comparisons.append(cells)
        else:
            comparisons.append(ThenAndNow(name, here[name] == then.results[name]))
    if not comparisons:
        raise InputError("the manifest contains no results to compare.")
    now = None if kept is None else result.scores_columns()
    for path in () if kept is None or now is None else (kept / "scores.parquet", kept / "scores.csv"):
        if path.is_file() and now is not None:
            comparisons.append(_scores(path, now))
            break
    return comparisons


def _tables(kept: Path | None) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the run directory's tables; empty if there are none or they cannot be read."""
    if kept is None or not (kept / "tables.json").is_file():
        return {}

    read = read_document(kept / "tables.json")
    tables = read.get("tables") if isinstance(read, dict) else None
    good = isinstance(tables, dict) and all(
        isinstance(table, list) and all(isinstance(row, dict) for row in table) for table in tables.values()
    )
    if not good:
        raise InputError(f"{kept / 'tables.json'} has no tables written by assay.")
    return dict(tables or {})


def _cells(name: str, then: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> ThenAndNow:
    cells = differing = 0
    largest, where = 0.0, ""
    for i in range(max(len(then), len(now))):
        one, other = (rows[i] if i < len(rows) else {} for rows in (then, now))
        for key in dict.fromkeys([*one, *other]):
            cells += 1
            a, b = one.get(key), other.get(key)
            if a == b:
                continue
            differing += 1
            where = where or f"row {i + 1}, {key}: {_shown(a)} then, {_shown(b)} now"
            if isinstance(a, (int, float)) and isinstance(b, (int, float)):
                largest = max(largest, abs(a - b))
    return ThenAndNow(name, not differing, cells, differing, largest, where)


def _shown(value: Any) -> str:
    return "nothing" if value is None else shorten(value)


def _scores(path: Path, now: Columns) -> ThenAndNow:
    """Compare scores cell by cell; NaN equals NaN. A CSV stores each score as text."""
    with open_table(path) as table:
        names, then = list(table.names), [row for _, row in table.rows()]
    shown = _as_text if path.suffix == ".csv" else _as_value
    here = list(zip(*([shown(value) for value in plain_list(column)] for column in now.values()), strict=True))
    if names != list(now) or len(then) != len(here):
        shape = f"{len(then):,} rows of {len(names)} columns then, {len(here):,} of {len(now)} now"
        return ThenAndNow("scores", False, where=shape)
    differing, largest, where = 0, 0.0, ""
    for i, (old, new) in enumerate(zip(then, here, strict=True)):
        for name, one, b in zip(names, old, new, strict=True):
            a = _as_value(one)
            if a != b:
                differing += 1
                where = where or f"row {i + 1}, {name}: {_shown(a)} then, {_shown(b)} now"
                largest = max(largest, _gap(a, b))
    return ThenAndNow("scores", not differing, len(then) * len(names), differing, largest, where)


def _as_value(value: Any) -> Any:
    return None if value != value else value


def _as_text(value: Any) -> str:
    return "" if value is None or value != value else repr(value) if isinstance(value, float) else str(value)


def _gap(one: Any, other: Any) -> float:
    """Return the absolute difference of two numbers; 0 if one is not a number."""
    try:
        return abs(float(one) - float(other))
    except (TypeError, ValueError):
        return 0.0
