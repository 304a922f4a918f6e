"""Rows that come in parts, one after another, into one Parquet file or one sheet, so that memory stays flat."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import IO, Any

from assay.core.chunk import OUTWARD
from assay.core.columns import Columns, import_polars, plain_list
from assay.core.errors import InputError
from assay.report.rows import cell_text

TEXTS = ("system", "label", "language", "reason", *OUTWARD.values())
"""Columns of segments that hold texts, also where a part has none in them."""


def write_parts(
    parts: Iterator[Columns], format: str, stream: IO[bytes], kinds: Mapping[str, Any] | None = None
) -> None:
    """Parts of the same columns as ``parquet`` or ``xlsx``; a list is a cell with commas in a sheet.

    `kinds` are those of the columns, as polars calls them, of rows that are no segments of ours; what does not fit is refused.
    """
    if format == "parquet":
        _parquet(parts, stream, kinds)
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


def _parquet(parts: Iterator[Columns], stream: IO[bytes], kinds: Mapping[str, Any] | None) -> None:
    """A file of one row group for each part, joined at the end. A column without a value in some part is one of numbers, unless it
    is known as one of texts; ``flags`` are lists of them."""
    import shutil
    import tempfile
    from pathlib import Path

    from assay.io.files.atomic import blaming_scratch

    polars = import_polars("Parquet")

    def frame(part: Columns) -> Any:
        if kinds is not None:
            return _strict(polars, part, kinds)
        texts = {name: polars.String for name in part if name in TEXTS or re.fullmatch("ref[0-9]+", name)}
        lists = {"flags": polars.List(polars.String)} if "flags" in part else {}
        made = polars.DataFrame(dict(part), schema_overrides=texts | lists, strict=False)
        return made.with_columns(polars.col(polars.Null).cast(polars.Float64))

    with blaming_scratch():
        scratch = tempfile.TemporaryDirectory(prefix="assay-")
    with scratch as folder:
        whole = Path(folder) / "whole.parquet"
        files: list[Path] = []
        for part in parts:
            files.append(Path(folder) / f"{len(files):06}.parquet")
            with blaming_scratch():
                frame(part).write_parquet(files[-1])
        with blaming_scratch():
            polars.scan_parquet(files).sink_parquet(whole)
        with whole.open("rb") as source:
            shutil.copyfileobj(source, stream)


def kinds_of(columns: Columns) -> dict[str, Any]:
    """The kinds of Parquet columns that hold the values; objects and mixed lists are JSON text."""
    polars = import_polars("Parquet")

    def kind(column: Sequence[Any]) -> Any:
        found = {type(value) for value in column if value is not None}
        if found and found <= {int, float}:
            return polars.Int64 if found == {int} else polars.Float64
        if found == {bool}:
            return polars.Boolean
        if found == {list} and all(isinstance(item, str) for value in column if value is not None for item in value):
            return polars.List(polars.String)
        return polars.String

    return {name: kind(column) for name, column in columns.items()}


def _strict(polars: ModuleType, part: Columns, kinds: Mapping[str, Any]) -> Any:
    def fitting(name: str) -> Any:
        if kinds[name] != polars.String:
            return part[name]
        return [value if value is None or isinstance(value, str) else cell_text("", value) for value in part[name]]

    try:
        return polars.DataFrame({name: fitting(name) for name in part}, schema=dict(kinds), strict=True)
    except (TypeError, OverflowError, polars.exceptions.PolarsError) as error:
        said = str(error).strip().splitlines()[0][:120]
        raise InputError(
            f"the rows have columns of mixed kinds, which Parquet has not ({said}): write .jsonl."
        ) from error
