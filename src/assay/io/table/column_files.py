"""Reader for Parquet and Arrow (Feather) files; polars reads them slice by slice in a worker process (`column_worker`).

If damaged data crashes the worker, one error reports this. One worker serves all files that this process opens. It starts
with the first file, ends with the process, and restarts after a crash.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any

from assay.core.columns import import_polars
from assay.core.errors import InputError
from assay.io.files.text import MOST_TEXT, file_name
from assay.io.table.cells import cells
from assay.io.table.column_worker import ARROW, LENGTHS, SECONDS, most_memory
from assay.io.table.open_table import Opened, OpenTable, Piece, inside

PARQUET = b"PAR1"
STREAM = b"\xff\xff\xff\xff"
"""First bytes of an Arrow stream, such as the shards of ``datasets``."""
OLD_FEATHER = b"FEA1"
SLICE = 65_536
"""Rows of a slice. Each slice opens the file again, so it serves several pieces."""


class ScannedTable(OpenTable):
    """Table of a Parquet or Arrow file; categories are read as text."""

    nested = True

    def __init__(self, opened: Opened, kind: str, marks: tuple[bytes, ...]) -> None:
        opened.file.close()
        self.name, path = file_name(opened.path), Path(opened.path)
        if opened.path == "-" or not _begins_with(path, marks):
            file = f"{'an' if kind == 'Arrow' else 'a'} {kind} file"
            raise InputError(f"{self.name} is not {file}. Specify an uncompressed .{kind.lower()} file.")
        if find_spec("polars") is not None:
            WORKER.get()  # let the worker import polars at the same time as this process
        polars = import_polars(f"{self.name} is {kind}, which")
        self._file = ColumnFile(str(path.absolute()), kind, self.name)
        self.schema, self.rows_in_all = self._file.schema, self._file.rows
        self.names = self.schema.names()
        self.kinds = {name: polars.String if kind == polars.Categorical else kind for name, kind in self.schema.items()}

    def pieces(self, wanted: Sequence[int], chunk: int) -> Iterator[Piece]:
        paths = self.paths(wanted)
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
        """Yield slices of `size` rows with the number of their first row; each slice is read while the previous one is
        processed."""
        starts = range(first, last, size)
        with ThreadPoolExecutor(1, thread_name_prefix="assay-columns") as pool:
            pending = [pool.submit(self._file.slice, names, start, min(size, last - start)) for start in starts[:1]]
            try:
                for start, following in zip_longest(starts, starts[1:]):
                    part = pending.pop().result()
                    if following is not None:
                        pending.append(pool.submit(self._file.slice, names, following, min(size, last - following)))
                    yield start, part
            except KeyboardInterrupt:
                WORKER.end()  # do not wait for pending requests
                raise

    def frames(self, start: int, stop: int, rows: int) -> Iterator[Any]:
        """Yield the rows from `start` to `stop` as polars frames with all columns and `rows` rows each."""
        last, size = min(stop, self.rows_in_all), max(1, SLICE // rows) * rows
        for _, part in self._slices(None, start, last, size):
            yield from (part.slice(at, rows) for at in range(0, len(part), rows))

    def close(self) -> None:
        self._file.close()


def read_parquet(opened: Opened) -> OpenTable:
    """Open a Parquet file."""
    return ScannedTable(opened, "Parquet", (PARQUET,))


def read_arrow(opened: Opened) -> OpenTable:
    """Open an Arrow file (Feather version 2), or an Arrow stream, which is held in memory."""
    if opened.head.startswith(OLD_FEATHER):
        raise InputError(
            f"{file_name(opened.path)} is Feather version 1, which is obsolete. Save it again with a current version of "
            "pandas or pyarrow."
        )
    if opened.path != "-" and opened.head.startswith(STREAM) and Path(opened.path).stat().st_size > MOST_TEXT:
        raise InputError(
            f"{opened.path} is an Arrow stream of more than {MOST_TEXT >> 20} MiB, which does not fit in memory. "
            "Save it as Parquet."
        )
    return ScannedTable(opened, "Arrow", (ARROW, STREAM))


def _begins_with(path: Path, marks: tuple[bytes, ...]) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(8).startswith(marks)


class ColumnFile:
    """One file in the worker: its number of rows, its schema, and slices of it as polars frames."""

    def __init__(self, path: str, kind: str, name: str) -> None:
        self._path, self._kind, self._name = path, kind, name
        head, frame = self._ask("open")
        self.rows, self.schema = int(head["rows"]), frame.schema

    def slice(self, columns: list[str] | None, start: int, size: int) -> Any:
        """Return a range of rows, with all or some columns."""
        return self._ask("slice", columns=columns, start=start, size=size)[1]

    def close(self) -> None:
        """Close the file in the worker."""
        with suppress(InputError):
            self._ask("close")

    def _ask(self, what: str, **more: Any) -> tuple[dict[str, Any], Any]:
        try:
            head, body = WORKER.get().ask({"do": what, "path": self._path, "kind": self._kind, **more})
        except _Ended as ended:
            raise self.wrong(str(ended)) from None
        if "error" in head:
            raise self.wrong("its content is inconsistent" if head["panic"] else head["error"])
        polars = import_polars(f"{self._name} is {self._kind}, which")
        return head, polars.read_ipc_stream(io.BytesIO(body)) if body else None

    def wrong(self, reason: str) -> InputError:
        """Return the error for a file that cannot be read."""
        return InputError(
            f"{self._name} cannot be read as {self._kind}: {reason}. The file is damaged; create it again."
        )


class _Ended(Exception):
    """The worker crashed during a request."""


class ColumnWorker:
    """Worker process for Parquet and Arrow files, and the pipes to it."""

    def __init__(self) -> None:
        self.owner, self._lock = os.getpid(), threading.Lock()
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "assay.io.table.column_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pipesize=1 << 20,
            env=os.environ | {"PYTHONPATH": paths},
        )

    @property
    def alive(self) -> bool:
        """Return whether the worker is running and was started by this process, not by its parent before a fork."""
        return self.owner == os.getpid() and self.process.poll() is None

    def ask(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Send a request; return the head and body of the answer."""
        with self._lock:
            try:
                return self._exchange(json.dumps(request).encode() + b"\n")
            except BaseException:  # Ctrl-C: an unread answer would be mistaken for the next one
                self.end()
                raise

    def _exchange(self, line: bytes) -> tuple[dict[str, Any], bytes]:
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
            size, length = LENGTHS.unpack(_read_exactly(self.process.stdout, LENGTHS.size))
            return json.loads(_read_exactly(self.process.stdout, size)), _read_exactly(self.process.stdout, length)
        except (OSError, EOFError):
            raise _Ended(self._crash_reason()) from None

    def _crash_reason(self) -> str:
        code = self.process.wait()
        if code == -getattr(signal, "SIGXCPU", 0):
            return f"it took more than {SECONDS} s of processor time"
        return f"its content crashed the worker process, or needed more than {most_memory() >> 30} GiB of memory"

    def end(self) -> None:
        """Kill the process and close the pipes."""
        if self.owner != os.getpid():
            return
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()


def _read_exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


class _Current:
    """Holder of this process's worker; a forked process starts its own."""

    def __init__(self) -> None:
        self._worker: ColumnWorker | None = None
        self._starting = threading.Lock()

    def get(self) -> ColumnWorker:
        """Return the worker; start it if necessary."""
        with self._starting:
            if self._worker is None or not self._worker.alive:
                if self._worker is None:
                    atexit.register(self.end)
                self.end()
                self._worker = ColumnWorker()
            return self._worker

    def end(self) -> None:
        """End the worker; the next file starts a new one."""
        if self._worker is not None:
            self._worker.end()


WORKER = _Current()
