"""The tables and scores of a run beside those of the same run done again, cell by cell where the run kept them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError

if TYPE_CHECKING:
    import polars

    from assay.engine.manifest import Manifest
    from assay.verbs.result import Result


@dataclass(frozen=True, slots=True)
class ThenAndNow:
    """One table then and now. Without kept cells (a manifest alone) only the hashes of the rows are compared."""

    name: str
    equal: bool
    cells: int | None = None
    differing: int | None = None
    largest: float | None = None
    """The largest difference of two numbers."""
    where: str = ""
    """The first cell that differs."""


def compare_results(then: Manifest, result: Result, kept: Path | None) -> list[ThenAndNow]:
    """Every table of the manifest and of the result, and the scores where the run directory `kept` has them."""
    from assay.report.data import digest, rows

    here = {name: digest(table) for name, table in result.tables.items()}
    old = _tables(kept)
    found = []
    for name in dict.fromkeys([*then.results, *here]):
        if name not in here or name not in then.results:
            missing = "not made this time" if name not in here else "not made then"
            found.append(ThenAndNow(name, False, where=missing))
        elif name in old:
            cells = _cells(name, old[name], rows(result.tables[name]))
            if cells.equal and here[name] != then.results[name]:
                cells = replace(cells, equal=False, where="tables.json is not the one that the manifest speaks of")
            found.append(cells)
        else:
            found.append(ThenAndNow(name, here[name] == then.results[name]))
    if not found:
        raise InputError("the manifest has no results to compare with.")
    if kept is not None and (kept / "scores.parquet").is_file():
        frame = result.scores_frame()
        if frame is not None:
            found.append(_scores(kept / "scores.parquet", frame))
    return found


def _tables(kept: Path | None) -> dict[str, list[dict[str, Any]]]:
    """The rows of the run directory's tables; none where it has none that can be read as such."""
    if kept is None or not (kept / "tables.json").is_file():
        return {}
    from assay.io.documents import read_document

    read = read_document(kept / "tables.json")
    tables = read.get("tables") if isinstance(read, dict) else None
    good = isinstance(tables, dict) and all(
        isinstance(table, list) and all(isinstance(row, dict) for row in table) for table in tables.values()
    )
    if not good:
        raise InputError(f"{kept / 'tables.json'} has no tables that assay wrote.")
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
    from assay.core.schema import shorten

    return "nothing" if value is None else shorten(value)


def _scores(path: Path, now: polars.DataFrame) -> ThenAndNow:
    """Scores then and now, column by column; NaN is equal to NaN."""
    import polars

    then = _read(path)
    if then.schema != now.schema or then.height != now.height:
        shape = f"{then.height:,} rows of {then.width} columns then, {now.height:,} of {now.width} now"
        return ThenAndNow("scores", False, where=shape)
    differing, largest, where = 0, 0.0, ""
    for name in then.columns:
        other = then[name].ne_missing(now[name])
        if not (rows := other.arg_true()).len():
            continue
        differing += rows.len()
        where = (
            where or f"row {rows[0] + 1}, {name}: {_shown(then[name][rows[0]])} then, {_shown(now[name][rows[0]])} now"
        )
        if then[name].dtype.is_numeric():
            gaps = (then[name] - now[name]).abs().cast(polars.Float64).fill_nan(None)
            largest = max(largest, *gaps.drop_nulls().to_list(), 0.0)
    return ThenAndNow("scores", not differing, then.height * then.width, differing, largest, where)


def _read(path: Path) -> polars.DataFrame:
    import polars

    from assay.io.files.panics import without_panics

    def broken(why: str) -> InputError:
        return InputError(f"{path} is not a Parquet file that can be read: {why}.")

    with without_panics(broken):
        try:
            return polars.read_parquet(path)
        except (polars.exceptions.PolarsError, OSError) as error:
            raise broken(str(error).splitlines()[0]) from error
