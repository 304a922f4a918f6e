"""Rows that come as frames, one after another, into one Parquet file or one sheet, so that memory stays flat."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import polars


def write_frames(frames: Iterator[polars.DataFrame], format: str, stream: IO[bytes]) -> None:
    """Frames of the same columns as ``parquet`` or ``xlsx``."""
    if format == "parquet":
        _parquet(frames, stream)
        return
    from assay.report.xlsx import Sheet, write_workbook

    first = list(itertools.islice(frames, 1))
    rows = (row for frame in itertools.chain(first, frames) for row in frame.iter_rows())
    write_workbook(stream, [Sheet("segments", first[0].columns if first else [], rows)])


def _parquet(frames: Iterator[polars.DataFrame], stream: IO[bytes]) -> None:
    """A file of one row group for each frame, joined at the end."""
    import shutil
    import tempfile
    from pathlib import Path

    import polars

    from assay.io.files.atomic import blaming_scratch

    with blaming_scratch():
        scratch = tempfile.TemporaryDirectory(prefix="assay-")
    with scratch as folder:
        whole = Path(folder) / "whole.parquet"
        parts: list[Path] = []
        for frame in frames:
            parts.append(Path(folder) / f"{len(parts):06}.parquet")
            with blaming_scratch():
                frame.write_parquet(parts[-1])
        with blaming_scratch():
            polars.scan_parquet(parts).sink_parquet(whole)
        with whole.open("rb") as source:
            shutil.copyfileobj(source, stream)
