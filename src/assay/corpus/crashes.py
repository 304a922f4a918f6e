"""Retries of tasks whose worker crashed, and bisection to find the row that crashes workers.

The first crash may have any cause. After it, the task's worker logs the next rows before each batch, so that another crash
identifies these rows. They are scored in halves until one row is left. A row that crashes two workers on its own is skipped.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from assay.corpus.job import ShardTask
from assay.corpus.records import crash_log_name
from assay.io.files.folders import Folder

MAX_CRASHES = 60
"""Crashes per task before it fails; finding one row of a million takes about twenty."""
MAX_UNLOGGED_CRASHES = 3
"""Crashes per task without a crash log before it fails."""


@dataclass
class Crashes:
    """Worker crashes during a run."""

    _of: dict[str, int] = field(default_factory=dict)
    """Number of crashes by task."""
    _alone: dict[tuple[str, int], int] = field(default_factory=dict)
    """Number of crashes over one row alone, by task and row."""

    def retry(self, task: ShardTask, folder: Folder) -> ShardTask | None:
        """Return the task to try next after a crash; None if it has crashed too often."""
        crashes = self._of[task.name] = self._of.get(task.name, 0) + 1
        if crashes > MAX_CRASHES:
            return None
        if not task.logged:
            folder.remove(crash_log_name(task))
            return replace(task, logged=True)
        log = folder.read(crash_log_name(task))
        if log is None:
            return task if crashes <= MAX_UNLOGGED_CRASHES else None
        start, stop = json.loads(log)
        if stop - start > 1:
            return replace(task, suspect=(start, stop))
        row = (task.name, start)
        self._alone[row] = self._alone.get(row, 0) + 1
        return task if self._alone[row] < 2 else replace(task, crashing=(*task.crashing, start), suspect=None)
