"""Parquet and Arrow files, read by a process of its own (`column_worker`): what damaged data makes of it is one error here.

One worker serves all files of this process. It starts with the first file, ends with the process, and is started again after a
crash.
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
from contextlib import suppress
from typing import IO, Any

from assay.core.columns import import_polars
from assay.core.errors import InputError
from assay.io.table.column_worker import LENGTHS, SECONDS, most_memory


class ColumnFile:
    """One file: its rows and the schema, and slices of it as frames of polars."""

    def __init__(self, path: str, kind: str, name: str) -> None:
        self._path, self._kind, self._name = path, kind, name
        head, frame = self._ask("open")
        self.rows, self.schema = int(head["rows"]), frame.schema

    def slice(self, columns: list[str] | None, start: int, size: int) -> Any:
        """Some rows, of all columns or of some."""
        return self._ask("slice", columns=columns, start=start, size=size)[1]

    def close(self) -> None:
        """Let the worker forget the file."""
        with suppress(InputError):
            self._ask("close")

    def _ask(self, what: str, **more: Any) -> tuple[dict[str, Any], Any]:
        try:
            head, body = WORKER.get().ask({"do": what, "path": self._path, "kind": self._kind, **more})
        except _Ended as ended:
            raise self.wrong(str(ended)) from None
        if "error" in head:
            raise self.wrong("its content contradicts itself" if head["panic"] else head["error"])
        polars = import_polars(f"{self._name} is {self._kind}, which")
        return head, polars.read_ipc_stream(io.BytesIO(body)) if body else None

    def wrong(self, said: str) -> InputError:
        """The file cannot be read, and why."""
        return InputError(f"{self._name} cannot be read as {self._kind}: {said}. The file is damaged: make it again.")


class _Ended(Exception):
    """The worker ended over a request."""


class ColumnWorker:
    """The process that reads Parquet and Arrow files, and the pipes to it."""

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
        """Whether the process runs and was started by this one, not by the one that this was forked off."""
        return self.owner == os.getpid() and self.process.poll() is None

    def ask(self, asked: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Send a request; return the head and the body of the answer."""
        with self._lock:
            try:
                return self._asked(json.dumps(asked).encode() + b"\n")
            except BaseException:  # Ctrl-C: an answer that nobody read would be taken for the next one
                self.end()
                raise

    def _asked(self, line: bytes) -> tuple[dict[str, Any], bytes]:
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
            size, length = LENGTHS.unpack(_exactly(self.process.stdout, LENGTHS.size))
            return json.loads(_exactly(self.process.stdout, size)), _exactly(self.process.stdout, length)
        except (OSError, EOFError):
            raise _Ended(self._why()) from None

    def _why(self) -> str:
        code = self.process.wait()
        if code == -getattr(signal, "SIGXCPU", 0):
            return f"it took more than {SECONDS} s of processor time"
        return f"its content ended the process that read it, or needed more than {most_memory() >> 30} GiB of memory"

    def end(self) -> None:
        """End the process and close the pipes."""
        if self.owner != os.getpid():
            return
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


class _Current:
    """The worker of this process; a process that was forked off another one has its own."""

    def __init__(self) -> None:
        self._worker: ColumnWorker | None = None
        self._starting = threading.Lock()

    def get(self) -> ColumnWorker:
        """The worker, started if there is none."""
        with self._starting:
            if self._worker is None or not self._worker.alive:
                if self._worker is None:
                    atexit.register(self.end)
                self.end()
                self._worker = ColumnWorker()
            return self._worker

    def end(self) -> None:
        """End the worker; the next file has another one."""
        if self._worker is not None:
            self._worker.end()


WORKER = _Current()
