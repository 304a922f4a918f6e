"""Parquet files through polars, a slice at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from assay.core.columns import import_polars
from assay.core.errors import InputError
from assay.io.files.panics import without_panics
from assay.io.files.text import file_name
from assay.io.table.open_table import Opened, OpenTable, Piece

MARK = b"PAR1"
SLICE = 65_536
"""Rows. A slice costs a new look at the file, so each one feeds several pieces."""


class ParquetTable(OpenTable):
    """The columns of the file; categories are read as their text."""

    def __init__(self, opened: Opened) -> None:
        opened.file.close()
        self.name, path = file_name(opened.path), opened.path
        if path == "-" or not _begins_with_mark(Path(path)):
            raise InputError(f"{self.name} is not a Parquet file as it stands. Give a plain .parquet file.")
        polars = import_polars(f"{self.name} is Parquet, which")
        with self._speaking():
            self._frame = polars.scan_parquet(path, glob=False)
            self._schema = self._frame.collect_schema()
            self._rows = int(self._frame.select(polars.len()).collect().item())
        self.names = self._schema.names()

    def pieces(self, wanted: Sequence[int], chunk: int) -> Iterator[Piece]:
        """See `OpenTable`."""
        import polars as pl

        names = list(dict.fromkeys(self.names[place] for place in wanted))
        as_text = [pl.col(n).cast(pl.String) if self._schema[n] == pl.Categorical else pl.col(n) for n in names]
        size = max(1, SLICE // chunk) * chunk
        for start in range(0, self._rows, size):
            with self._speaking():
                part = self._frame.select(as_text).slice(start, size).collect(engine="streaming")
            for at in range(0, len(part), chunk):
                rows = part.slice(at, chunk)
                numbers = range(start + at + 1, start + at + len(rows) + 1)
                yield Piece([rows[self.names[place]].to_list() for place in wanted], numbers, "row")

    def close(self) -> None:
        """Nothing is held open between slices."""

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """The reader's errors and panics as InputErrors that name the file."""
        from polars.exceptions import PolarsError

        try:
            with without_panics(lambda _: self._wrong("its content contradicts itself")):
                yield
        except (PolarsError, OSError, OverflowError, UnicodeDecodeError) as error:
            raise self._wrong((str(error).strip().splitlines() or [type(error).__name__])[0]) from error

    def _wrong(self, said: str) -> InputError:
        return InputError(f"{self.name} cannot be read as Parquet: {said}. The file is damaged: make it again.")


def _begins_with_mark(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MARK)) == MARK
