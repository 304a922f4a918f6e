"""Unfinished runs: their progress, whether the process is still running, and the rows so far."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.core.errors import AssayError
from assay.core.view_data import LIVE, PROGRESS
from assay.io.documents import decode, read_document
from assay.io.files.paths import is_own_file
from assay.io.files.system import lock
from assay.viewer.row_format import page_row, sound_columns
from assay.viewer.rows import Rows

SILENT = 60.0
"""Seconds without an update after which a run on another machine counts as crashed."""
MOST_BYTES, MOST_ROWS = 1 << 26, 50_000
"""Largest number of bytes per read, and of rows; a run does not write more."""


def progress(folder: Path) -> dict[str, Any] | None:
    """Return the progress of an unfinished run; None if the folder has no unfinished run.

    ``state`` is ``running``, ``stopped`` (by the user or an error, with its message) or ``died`` (without a message).
    """
    path = folder / PROGRESS
    rows = folder / LIVE
    if not is_own_file(path) or (os.path.lexists(rows) and not is_own_file(rows)):
        return None
    try:
        document = read_document(path, said="is damaged")
    except (AssayError, OSError):
        return None
    state = {
        "done": 0,
        "total": None,
        "rate": 0,
        "verb": "",
        "slow": {},
        "metrics": {},
        "state": "",
        **_valid(document),
    }
    if state["state"] == "running" and not _is_written(folder / LIVE, float(state.get("updated") or 0)):
        state["state"] = "died"
    left = None
    if state["state"] == "running" and isinstance(state["total"], int) and state["rate"]:
        left = max(0.0, (state["total"] - state["done"]) / state["rate"])
    return {**state, "left": left}


def _valid(document: Any) -> dict[str, Any]:
    """Return the valid fields of a progress file."""
    kinds: Mapping[str, Any] = {
        "done": int, "total": int, "rate": (int, float), "updated": (int, float), "verb": str, "state": str, "message": str,
        "slow": Mapping, "metrics": Mapping,
    }  # fmt: skip
    fields = document if isinstance(document, Mapping) else {}
    valid = {name: fields[name] for name, kind in kinds.items() if isinstance(fields.get(name), kind)}
    facts = valid.get("metrics", {})
    if not all(isinstance(fact, Mapping) and isinstance(fact.get("label"), str) for fact in facts.values()):
        valid.pop("metrics")
    return valid


def _is_written(path: Path, updated: float) -> bool:
    """Return whether a process holds the lock on the rows or, if locks do not work, updated them recently."""
    try:
        with path.open("rb") as file:
            lock(file.fileno(), wait=False)
    except BlockingIOError:
        return True
    except OSError:
        return time.time() - updated < SILENT
    return False


def interruption_message(state: Mapping[str, Any]) -> str:
    """Return the message for a run that ended before it was finished."""
    total = state.get("total")
    of = f" of about {total:,}" if isinstance(total, int) and total > state["done"] else ""
    verb = "was stopped" if state["state"] == "stopped" else "crashed"
    reason = f" ({state['message']})" if state.get("message") else ""
    return f"the run {verb} at {state['done']:,}{of} rows{reason}. Run the same command again to resume."


class LiveRows:
    """The rows of an unfinished run, read incrementally."""

    def __init__(self, folder: Path) -> None:
        self._path, self._at = folder / LIVE, 0
        self._rows: list[dict[str, Any]] = []
        self._current = Rows({})

    def rows(self) -> Rows:
        """Return all rows so far; an incomplete line is read the next time."""
        try:
            with self._path.open("rb") as file:
                if file.seek(0, 2) < self._at:  # the run was restarted
                    self._at, self._rows = 0, []
                file.seek(self._at)
                new = file.read(MOST_BYTES) if len(self._rows) < MOST_ROWS else b""
        except OSError:
            return self._current
        lines, _, _ = new.rpartition(b"\n")
        if lines:
            self._at += len(lines) + 1
            self._rows += [page_row(row) for line in lines.split(b"\n") if (row := _object(line))]
            names = list(self._rows[0]) if self._rows else []
            self._current = Rows(sound_columns({name: [row.get(name) for row in self._rows] for name in names}))
        return self._current


def _object(line: bytes) -> dict[str, Any]:
    """Return the row on a line; empty if the line is damaged."""
    try:
        row = decode(line.decode())
    except ValueError:
        return {}
    return row if isinstance(row, dict) else {}
