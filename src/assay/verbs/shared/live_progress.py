"""Live progress of a run in its run directory, for `assay view`: state and finished rows.

At most twice a second, `progress.json` is replaced and some new rows are appended to `rows.live.jsonl`. A fast run therefore
shows a sample of its rows and a slow one all of them, and neither is slowed down. The writer holds a lock on
`rows.live.jsonl`; if the lock is free, the run has crashed. Resuming uses different files (`assay.engine.progress_file`).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay._version import __version__
from assay.core.columns import plain
from assay.core.context import listen_to_chunks, listen_to_progress
from assay.core.rows import nested_row
from assay.core.view_data import LIVE, PROGRESS

if TYPE_CHECKING:
    from assay.core.chunk import Chunk, Retained
    from assay.core.metric import Metric

EVERY = 0.5
"""Seconds between two updates."""
ROWS_AT_ONCE, MOST_ROWS = 1000, 50_000
"""Number of rows per update, and in total."""


@contextmanager
def live(
    folder: str | os.PathLike[str] | None,
    verb: str,
    metrics: Mapping[str, Metric] | None = None,
    total: int | None = None,
) -> Iterator[None]:
    """Write the progress of the run in this block to a run directory; with None, write nothing.

    The progress files are removed on success and kept after an error. A folder without any progress is not changed.
    """
    if folder is None:
        yield
        return
    writer = Live(Path(folder), verb, metrics or {}, total)
    try:
        with listen_to_progress(writer.metric), listen_to_chunks(writer.chunk):
            yield
    except BaseException as error:
        writer.stop(error)
        raise
    writer.end()


class Live:
    """Writer for the progress of a run. Write errors never stop the run."""

    def __init__(self, folder: Path, verb: str, metrics: Mapping[str, Metric], total: int | None) -> None:
        self._folder, self._verb, self._total = folder, verb, total
        self._made = not folder.exists()
        self._metrics = {
            name: {"label": m.card.label, "decimals": m.card.decimals, "higher_is_better": m.card.higher_is_better}
            for name, m in metrics.items()
        }
        self._start, self._last, self._done, self._fresh, self._shown = time.time(), 0.0, 0, 0, 0
        self._met: dict[int, int] = {}
        self._slow: dict[str, Any] = {}
        self._rows: Any = None
        self._broken = False

    def metric(self, name: str, done: int, total: int) -> None:
        """Record how many requests of a slow metric are finished."""
        self._slow = {} if done == total else {"metric": name, "done": done, "total": total}
        self._write()

    def chunk(self, chunk: Chunk, kept: Retained, reused: bool) -> None:
        """Record finished rows."""
        self._done += len(chunk)
        self._fresh += 0 if reused else len(chunk)
        before = self._shown
        self._write(chunk, kept)
        if self._shown == before:
            for code in chunk.codes.tolist():
                self._met[code] = self._met.get(code, 0) + 1

    def _write(self, chunk: Chunk | None = None, kept: Retained | None = None, **said: Any) -> None:
        now = time.time()
        if self._broken or (not said and now - self._last < EVERY):
            return
        self._last = now
        try:
            if self._rows is None:
                self._open()
            if chunk is not None and kept is not None:
                self._append(chunk, kept)
            seconds = max(now - self._start, 1e-9)
            about = {
                "format": 1, "version": __version__, "verb": self._verb, "state": "running", "started": self._start, "updated": now,
                "done": self._done, "total": self._total, "rate": self._fresh / seconds, "slow": self._slow,
                "rows": self._shown, "metrics": self._metrics, **said,
            }  # fmt: skip
            part = self._folder / f".{PROGRESS}.part"  # atomic, but without a sync to disk
            part.unlink(missing_ok=True)  # always a new file, never an existing link or pipe
            with part.open("x", encoding="utf-8") as out:
                out.write(json.dumps(about, allow_nan=False))
            part.replace(self._folder / PROGRESS)
        except (OSError, ValueError):
            self._broken = True

    def _open(self) -> None:
        from assay.io.files.atomic import open_locked

        self._folder.mkdir(parents=True, exist_ok=True)
        for _ in range(20):  # a page holds the lock briefly while it checks for a writer
            try:
                file = open_locked(self._folder / LIVE)
                break
            except BlockingIOError:
                time.sleep(0.01)
        else:
            raise OSError("another run writes to this folder")
        os.truncate(file, 0)
        self._rows = open(file, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115

    def _append(self, chunk: Chunk, kept: Retained) -> None:
        from assay.verbs.shared.view_rows import chunk_rows

        most = min(ROWS_AT_ONCE, MOST_ROWS - self._shown)
        if most <= 0:
            return
        for row in islice(chunk_rows(chunk, kept, self._met), most):
            self._rows.write(
                json.dumps(plain(nested_row(row, self._metrics)), ensure_ascii=False, allow_nan=False) + "\n"
            )
            self._shown += 1
        self._rows.flush()

    def stop(self, error: BaseException) -> None:
        """Record that the run ended early."""
        if self._done or self._slow:
            message = "" if isinstance(error, KeyboardInterrupt) else str(error)[:500]
            self._write(state="stopped", message=message)
            self._close()
        else:
            self.end()

    def end(self) -> None:
        """Remove the progress files."""
        self._close()
        with suppress(OSError):
            for name in (PROGRESS, LIVE):
                (self._folder / name).unlink(missing_ok=True)
            if self._made and self._folder.is_dir() and not any(self._folder.iterdir()):
                self._folder.rmdir()

    def _close(self) -> None:
        if self._rows is not None:
            with suppress(OSError):
                self._rows.close()
