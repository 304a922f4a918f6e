"""Workers that died over a task: how it is tried again, and how the row that kills them is narrowed down.

The first death may be anybody's. After it the task is careful: before each batch its worker writes down which rows are next, so
that the next death tells among which rows the fault is. They are scored in halves until one row is left; one that kills twice
alone is not scored again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from assay.corpus.job import ShardTask
from assay.corpus.piece import diary_name
from assay.io.files.folders import Folder

MOST_DEATHS = 60
"""Workers that one piece may end before it is given up: finding one row of a million takes some twenty."""
UNTOLD_DEATHS = 3
"""Workers that it may end before they say which rows they were at."""


@dataclass
class Deaths:
    """Those of a run."""

    _of: dict[str, int] = field(default_factory=dict)
    """How many, by task."""
    _alone: dict[tuple[str, int], int] = field(default_factory=dict)
    """How many over one row alone."""

    def after(self, task: ShardTask, folder: Folder) -> ShardTask | None:
        """The task as it is tried again after its worker died; None when it has been tried enough."""
        deaths = self._of[task.name] = self._of.get(task.name, 0) + 1
        if deaths > MOST_DEATHS:
            return None
        if not task.careful:
            folder.remove(diary_name(task))
            return replace(task, careful=True)
        told = folder.read(diary_name(task))
        if told is None:
            return task if deaths <= UNTOLD_DEATHS else None
        start, stop = json.loads(told)
        if stop - start > 1:
            return replace(task, suspect=(start, stop))
        place = (task.name, start)
        self._alone[place] = self._alone.get(place, 0) + 1
        return task if self._alone[place] < 2 else replace(task, lethal=(*task.lethal, start), suspect=None)
