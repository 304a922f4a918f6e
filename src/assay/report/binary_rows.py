"""Streaming writer for rows in a single Parquet file or spreadsheet."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from assay.core.columns import Columns, import_polars, plain_list
from assay.core.errors import InputError
from assay.core.rows import SPAN, SPANS
from assay.io.files.atomic import scratch_errors
from assay.report.text import cell_text


def write_parts(
    parts: Iterator[Columns],
    format: str,
    stream: IO[bytes],
    kinds: Mapping[str, Any] | None = None,
    *,
    numbers: Collection[str] = (),
) -> None:
    """Write parts with the same columns as ``parquet`` or ``xlsx``; in a spreadsheet, a list becomes a comma-separated cell.

    `kinds` are the columns' polars types, if known; other values are rejected. `numbers` are numeric columns, even if all of
    their values are missing.
    """
    if format == "parquet":
        if kinds is None:
            _parquet(parts, stream, numbers)
        else:
            _strict_parquet(parts, stream, kinds)
        return
    from assay.report.xlsx import Sheet, write_workbook

    first = list(itertools.islice(parts, 1))
    names = list(first[0]) if first else []
    rows = (
        [
            cell_text(name, cell) if isinstance(cell, list | dict) else cell
            for name, cell in zip(names, row, strict=True)
        ]
        for part in itertools.chain(first, parts)
        for row in zip(*map(plain_list, part.values()), strict=True)
    )
    write_workbook(stream, [Sheet("segments", names, rows)])


def _strict_parquet(parts: Iterator[Columns], stream: IO[bytes], kinds: Mapping[str, Any]) -> None:
    polars = import_polars("Parquet")
    with _scratch() as folder:
        _write_joined(
            [_write_part(folder, n, _strict_frame(polars, part, kinds)) for n, part in enumerate(parts)], folder, stream
        )


def _parquet(parts: Iterator[Columns], stream: IO[bytes], numbers: Collection[str]) -> None:
    """Write all parts to a file. Column types are known only after all parts; parts with other types are written again."""
    polars = import_polars("Parquet")
    with _scratch() as folder:
        files, kinds_by_part = [], []
        for number, part in enumerate(parts):
            kinds_by_part.append(kinds_of(part))
            files.append(_write_part(folder, number, _strict_frame(polars, part, kinds_by_part[-1])))
        kinds = {
            name: _common_type(polars, [own[name] for own in kinds_by_part], name in numbers)
            for name in (kinds_by_part[0] if kinds_by_part else ())
        }
        for file, own in zip(files, kinds_by_part, strict=True):
            if own != kinds:
                with scratch_errors():
                    again = _strict_frame(polars, polars.read_parquet(file).to_dict(as_series=False), kinds)
                    again.write_parquet(file)
        _write_joined(files, folder, stream)


def _common_type(polars: ModuleType, kinds: Sequence[Any], number: bool) -> Any:
    """Return a type for the values in all parts; text if they have nothing in common."""
    different = {kind for kind in kinds if kind != polars.Null}
    if not different:
        return polars.Float64 if number else polars.String
    if different == {polars.Int64, polars.Float64}:
        return polars.Float64
    return different.pop() if len(different) == 1 else polars.String


@contextmanager
def _scratch() -> Iterator[Path]:
    with scratch_errors():
        scratch = tempfile.TemporaryDirectory(prefix="assay-")
    with scratch as folder:
        yield Path(folder)


def _write_part(folder: Path, number: int, frame: Any) -> Path:
    file = folder / f"{number:06}.parquet"
    with scratch_errors():
        frame.write_parquet(file)
    return file


def _write_joined(files: Sequence[Path], folder: Path, stream: IO[bytes]) -> None:
    """Write the parts as one file, with one row group per part."""
    whole = folder / "whole.parquet"
    with scratch_errors():
        import_polars("Parquet").scan_parquet(files).sink_parquet(whole)
    with whole.open("rb") as source:
        shutil.copyfileobj(source, stream)


def span_kind(metrics: Sequence[str]) -> Any:
    """Return the type of the error span column: one list per metric."""
    polars = import_polars("Parquet")
    kinds = {"start": polars.Int64, "end": polars.Int64, "confidence": polars.Float64}
    span = polars.Struct({name: kinds.get(name, polars.String) for name in SPAN})
    return polars.Struct(dict.fromkeys(metrics, polars.List(span)))


def kinds_of(columns: Columns) -> dict[str, Any]:
    """Return the types of Parquet columns for the values; objects and mixed lists become JSON text."""
    polars = import_polars("Parquet")

    def kind(name: str, column: Sequence[Any]) -> Any:
        if name == SPANS and _are_spans(column):
            return span_kind(list(column[0]))
        types = {type(value) for value in plain_list(column) if value is not None}
        if not types:
            return polars.Null
        if types and types <= {int, float}:
            return polars.Int64 if types == {int} else polars.Float64
        if types == {bool}:
            return polars.Boolean
        if types == {list} and all(isinstance(item, str) for value in column if value is not None for item in value):
            return polars.List(polars.String)
        return polars.String

    return {name: kind(name, column) for name, column in columns.items()}


def _are_spans(column: Sequence[Any]) -> bool:
    """Return whether a column contains assay's error spans, for the same metrics in every row."""
    first = column[0] if len(column) else None
    return (
        isinstance(first, dict)
        and bool(first)
        and all(
            isinstance(row, dict)
            and row.keys() == first.keys()
            and all(isinstance(span, dict) and tuple(span) == SPAN for spans in row.values() for span in spans)
            for row in column
        )
    )


def _strict_frame(polars: ModuleType, part: Columns, kinds: Mapping[str, Any]) -> Any:
    def fitting(name: str) -> Any:
        if kinds[name] != polars.String:
            return part[name]
        return [value if value is None or isinstance(value, str) else cell_text("", value) for value in part[name]]

    try:
        return polars.DataFrame({name: fitting(name) for name in part}, schema=dict(kinds), strict=True)
    except (TypeError, OverflowError, polars.exceptions.PolarsError) as error:
        reason = str(error).strip().splitlines()[0][:120]
        raise InputError(
            f"the rows have columns of mixed types, which Parquet does not support ({reason}). Write .jsonl."
        ) from error
