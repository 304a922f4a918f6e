"""Rows that come in parts, one after another, into one Parquet file or one sheet, so that memory stays flat."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import IO

from assay.core.columns import Columns, import_polars, plain_list, polars_frame


def write_parts(parts: Iterator[Columns], format: str, stream: IO[bytes]) -> None:
    """Parts of the same columns as ``parquet`` or ``xlsx``."""
    if format == "parquet":
        _parquet(parts, stream)
        return
    from assay.report.xlsx import Sheet, write_workbook

    first = list(itertools.islice(parts, 1))
    rows = (row for part in itertools.chain(first, parts) for row in zip(*map(plain_list, part.values()), strict=True))
    write_workbook(stream, [Sheet("segments", list(first[0]) if first else [], rows)])


def _parquet(parts: Iterator[Columns], stream: IO[bytes]) -> None:
    """A file of one row group for each part, joined at the end. A column without a value in some part is one of numbers."""
    import shutil
    import tempfile
    from pathlib import Path

    from assay.io.files.atomic import blaming_scratch

    polars = import_polars("Parquet")
    numbers = polars.col(polars.Null).cast(polars.Float64)
    with blaming_scratch():
        scratch = tempfile.TemporaryDirectory(prefix="assay-")
    with scratch as folder:
        whole = Path(folder) / "whole.parquet"
        files: list[Path] = []
        for part in parts:
            files.append(Path(folder) / f"{len(files):06}.parquet")
            with blaming_scratch():
                polars_frame(part).with_columns(numbers).write_parquet(files[-1])
        with blaming_scratch():
            polars.scan_parquet(files).sink_parquet(whole)
        with whole.open("rb") as source:
            shutil.copyfileobj(source, stream)
