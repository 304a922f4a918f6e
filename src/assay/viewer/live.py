"""A run that is still being written: how far it is, whether somebody still writes, and the rows so far."""

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
"""Seconds after which a run of another machine that says nothing any more is taken for dead."""
MOST_BYTES, MOST_ROWS = 1 << 26, 50_000
"""Bytes that one look reads, and rows that are shown: a run writes no more."""


def progress(folder: Path) -> dict[str, Any] | None:
    """What a run directory says of a run under way; None where there is none, or it is through.

    ``state`` is ``running``, ``stopped`` (by a person or an error, with its message) or ``died`` (without a word).
    """
    path = folder / PROGRESS
    rows = folder / LIVE
    if not is_own_file(path) or (os.path.lexists(rows) and not is_own_file(rows)):
        return None
    try:
        found = read_document(path, said="is damaged")
    except (AssayError, OSError):
        return None
    said = {"done": 0, "total": None, "rate": 0, "verb": "", "slow": {}, "metrics": {}, "state": "", **_sound(found)}
    if said["state"] == "running" and not _written(folder / LIVE, float(said.get("updated") or 0)):
        said["state"] = "died"
    left = None
    if said["state"] == "running" and isinstance(said["total"], int) and said["rate"]:
        left = max(0.0, (said["total"] - said["done"]) / said["rate"])
    return {**said, "left": left}


def _sound(found: Any) -> dict[str, Any]:
    """What of a file that anybody may have written is what it should be."""
    kinds: Mapping[str, Any] = {
        "done": int, "total": int, "rate": (int, float), "updated": (int, float), "verb": str, "state": str, "message": str,
        "slow": Mapping, "metrics": Mapping,
    }  # fmt: skip
    whole = found if isinstance(found, Mapping) else {}
    sound = {name: whole[name] for name, kind in kinds.items() if isinstance(whole.get(name), kind)}
    facts = sound.get("metrics", {})
    if not all(isinstance(one, Mapping) and isinstance(one.get("label"), str) for one in facts.values()):
        sound.pop("metrics")
    return sound


def _written(path: Path, updated: float) -> bool:
    """Whether a process still holds the rows; where locks say nothing, whether it spoke lately."""
    try:
        with path.open("rb") as file:
            lock(file.fileno(), wait=False)
    except BlockingIOError:
        return True
    except OSError:
        return time.time() - updated < SILENT
    return False


def said(found: Mapping[str, Any]) -> str:
    """The sentence about a run that ended before it was through."""
    total = found.get("total")
    of = f" of about {total:,}" if isinstance(total, int) and total > found["done"] else ""
    how = "was stopped" if found["state"] == "stopped" else "died without a word"
    why = f" ({found['message']})" if found.get("message") else ""
    return f"the run {how} at {found['done']:,}{of} rows{why}. The same command goes on from there."


class Growing:
    """The rows of a run under way, read on from where the last look ended."""

    def __init__(self, folder: Path) -> None:
        self._path, self._at = folder / LIVE, 0
        self._rows: list[dict[str, Any]] = []
        self._made = Rows({})

    def rows(self) -> Rows:
        """All rows so far; lines that are not whole yet wait for the next look."""
        try:
            with self._path.open("rb") as file:
                if file.seek(0, 2) < self._at:  # begun anew
                    self._at, self._rows = 0, []
                file.seek(self._at)
                new = file.read(MOST_BYTES) if len(self._rows) < MOST_ROWS else b""
        except OSError:
            return self._made
        whole, _, _ = new.rpartition(b"\n")
        if whole:
            self._at += len(whole) + 1
            self._rows += [page_row(row) for line in whole.split(b"\n") if (row := _object(line))]
            names = list(self._rows[0]) if self._rows else []
            self._made = Rows(sound_columns({name: [row.get(name) for row in self._rows] for name in names}))
        return self._made


def _object(line: bytes) -> dict[str, Any]:
    """The row on a line; nothing where it is damaged."""
    try:
        found = decode(line.decode())
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
