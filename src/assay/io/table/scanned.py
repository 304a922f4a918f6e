"""Parquet, and Arrow's own files (Feather): columns on the disk, through polars in a process of its own, a slice at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Any

from assay.core.columns import import_polars
from assay.core.errors import InputError
from assay.io.files.text import MOST_TEXT, file_name
from assay.io.table.cells import cells
from assay.io.table.column_files import WORKER, ColumnFile
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

    def __init__(self, opened: Opened, kind: str, marks: tuple[bytes, ...]) -> None:
        opened.file.close()
        self.name, path = file_name(opened.path), Path(opened.path)
        if opened.path == "-" or not _begins_with(path, marks):
            file = f"{'an' if kind == 'Arrow' else 'a'} {kind} file"
            raise InputError(f"{self.name} is not {file} as it stands. Give a plain .{kind.lower()} file.")
        if find_spec("polars") is not None:
            WORKER.get()  # imports polars while this process does
        polars = import_polars(f"{self.name} is {kind}, which")
        self._file = ColumnFile(str(path.absolute()), kind, self.name)
        self.schema, self.rows_in_all = self._file.schema, self._file.rows
        self.names = self.schema.names()
        self.kinds = {name: polars.String if kind == polars.Categorical else kind for name, kind in self.schema.items()}
        self.inner: dict[str, Sequence[str]] = {}

    def look_inside(self, column: str, keys: Sequence[str] = ()) -> bool:
        self.names.append(column)
        self.inner[column] = list(keys) or column.split(".")
        return True

    def pieces(self, wanted: Sequence[int], chunk: int) -> Iterator[Piece]:
        paths = [self.inner.get(self.names[place], [self.names[place]]) for place in wanted]
        names = list(dict.fromkeys(path[0] for path in paths))
        size = max(1, SLICE // chunk) * chunk
        for start, part in self._slices(names, 0, self.rows_in_all, size):
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

    def _slices(self, names: list[str] | None, first: int, last: int, size: int) -> Iterator[tuple[int, Any]]:
        """Parts of so many rows with the number of their first one; the next is read while one is worked on."""
        starts = range(first, last, size)
        with ThreadPoolExecutor(1, thread_name_prefix="assay-columns") as pool:
            asked = [pool.submit(self._file.slice, names, start, min(size, last - start)) for start in starts[:1]]
            try:
                for start, following in zip_longest(starts, starts[1:]):
                    part = asked.pop().result()
                    if following is not None:
                        asked.append(pool.submit(self._file.slice, names, following, min(size, last - following)))
                    yield start, part
            except KeyboardInterrupt:
                WORKER.end()  # what was asked for is not waited for
                raise

    def frames(self, start: int, stop: int, rows: int) -> Iterator[Any]:
        """The rows from `start` up to `stop` as frames of polars with all columns as they are, so many rows each."""
        last, size = min(stop, self.rows_in_all), max(1, SLICE // rows) * rows
        for _, part in self._slices(None, start, last, size):
            yield from (part.slice(at, rows) for at in range(0, len(part), rows))

    def close(self) -> None:
        self._file.close()


def read_parquet(opened: Opened) -> OpenTable:
    """A Parquet file."""
    return ScannedTable(opened, "Parquet", (PARQUET,))


def read_arrow(opened: Opened) -> OpenTable:
    """A file of Arrow (Feather of version 2), or a stream of it, which is held in memory."""
    if opened.head.startswith(OLD_FEATHER):
        raise InputError(
            f"{file_name(opened.path)} is Feather of version 1, which is no longer written. Write it again with pandas or pyarrow."
        )
    if opened.path != "-" and opened.head.startswith(STREAM) and Path(opened.path).stat().st_size > MOST_TEXT:
        raise InputError(
            f"{opened.path} is an Arrow stream of more than {MOST_TEXT >> 20} MiB, which would be held in memory. Write it as "
            "Parquet."
        )
    return ScannedTable(opened, "Arrow", (ARROW, STREAM))


def _begins_with(path: Path, marks: tuple[bytes, ...]) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(8).startswith(marks)
