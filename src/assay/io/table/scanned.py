"""Parquet, and Arrow's own files (Feather): columns on the disk, through polars, a slice at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.core.columns import import_polars
from assay.core.errors import InputError
from assay.io.files.panics import without_panics
from assay.io.files.text import MOST_TEXT, file_name
from assay.io.table.cells import cells
from assay.io.table.open_table import Opened, OpenTable, Piece, inside

PARQUET = b"PAR1"
ARROW = b"ARROW1"
STREAM = b"\xff\xff\xff\xff"
"""How an Arrow stream begins, as the shards of ``datasets`` do."""
OLD_FEATHER = b"FEA1"
SLICE = 65_536
"""Rows. A slice costs a new look at the file, so each one feeds several pieces."""


class ScannedTable(OpenTable):
    """The columns of a file; categories are read as their text."""

    def __init__(self, opened: Opened, kind: str, marks: tuple[bytes, ...], scan: Callable[[Any, Path], Any]) -> None:
        opened.file.close()
        self.name, self._kind, path = file_name(opened.path), kind, Path(opened.path)
        if opened.path == "-" or not _begins_with(path, marks):
            file = f"{'an' if kind == 'Arrow' else 'a'} {kind} file"
            raise InputError(f"{self.name} is not {file} as it stands. Give a plain .{kind.lower()} file.")
        polars = import_polars(f"{self.name} is {kind}, which")
        with self._speaking():
            self._frame = scan(polars, path)
            self.schema = self._frame.collect_schema()
            self.rows_in_all = int(self._frame.select(polars.len()).collect().item())
        self.names = self.schema.names()
        self.kinds = {name: polars.String if kind == polars.Categorical else kind for name, kind in self.schema.items()}
        self._inner: dict[str, list[str]] = {}

    def look_inside(self, column: str) -> bool:
        """See `OpenTable`."""
        self.names.append(column)
        self._inner[column] = column.split(".")
        return True

    def pieces(self, wanted: Sequence[int], chunk: int) -> Iterator[Piece]:
        """See `OpenTable`."""
        import polars as pl

        paths = [self._inner.get(self.names[place], [self.names[place]]) for place in wanted]
        names = list(dict.fromkeys(path[0] for path in paths))
        as_text = [pl.col(n).cast(pl.String) if self.schema[n] == pl.Categorical else pl.col(n) for n in names]
        size = max(1, SLICE // chunk) * chunk
        for start in range(0, self.rows_in_all, size):
            with self._speaking():
                part = self._frame.select(as_text).slice(start, size).collect(engine="streaming")
            for at in range(0, len(part), chunk):
                rows = part.slice(at, chunk)
                numbers = range(start + at + 1, start + at + len(rows) + 1)
                lists = {name: cells(rows[name], self.name) for name in names}
                yield Piece(
                    [
                        lists[path[0]] if len(path) == 1 else [inside(value, path[1:]) for value in lists[path[0]]]
                        for path in paths
                    ],
                    numbers,
                    "row",
                )

    def frames(self, start: int, stop: int, rows: int) -> Iterator[Any]:
        """The rows from `start` up to `stop` as frames of polars with all columns as they are, so many rows each."""
        last, size = min(stop, self.rows_in_all), max(1, SLICE // rows) * rows
        for begin in range(start, last, size):
            with self._speaking():
                part = self._frame.slice(begin, min(size, last - begin)).collect(engine="streaming")
            yield from (part.slice(at, rows) for at in range(0, len(part), rows))

    def close(self) -> None:
        """Nothing is held open between slices."""

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """The reader's errors and panics as InputErrors that name the file."""
        from polars.exceptions import PolarsError

        try:
            with without_panics(lambda _: self._wrong("its content contradicts itself")):
                yield
        except InputError:
            raise
        except (PolarsError, OSError, OverflowError, UnicodeDecodeError, ValueError) as error:
            raise self._wrong((str(error).strip().splitlines() or [type(error).__name__])[0]) from error

    def _wrong(self, said: str) -> InputError:
        return InputError(f"{self.name} cannot be read as {self._kind}: {said}. The file is damaged: make it again.")


def read_parquet(opened: Opened) -> OpenTable:
    """A Parquet file."""
    return ScannedTable(opened, "Parquet", (PARQUET,), lambda polars, path: polars.scan_parquet(path, glob=False))


def read_arrow(opened: Opened) -> OpenTable:
    """A file of Arrow (Feather of version 2), or a stream of it, which is held in memory."""
    if opened.head.startswith(OLD_FEATHER):
        raise InputError(
            f"{file_name(opened.path)} is Feather of version 1, which is no longer written. Write it again with pandas or pyarrow."
        )
    return ScannedTable(opened, "Arrow", (ARROW, STREAM), _scan_arrow)


def _scan_arrow(polars: Any, path: Path) -> Any:
    if _begins_with(path, (ARROW,)):
        return polars.scan_ipc(path)
    if path.stat().st_size > MOST_TEXT:
        raise InputError(
            f"{path} is an Arrow stream of more than {MOST_TEXT >> 20} MiB, which would be held in memory. Write it as Parquet."
        )
    return polars.read_ipc_stream(path).lazy()


def _begins_with(path: Path, marks: tuple[bytes, ...]) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(8).startswith(marks)
