"""An engine without processes, for tests of what does not depend on them; and proof that an engine is four methods."""

from __future__ import annotations

from assay.corpus.execution import attempt
from assay.corpus.job import Job, ShardOutcome, ShardTask


class InlineEngine:
    """Does a task when it is waited for."""

    slots, threads = 3, 1

    def __init__(self, *, workers: int | None, neural: bool) -> None:
        self._tasks: list[ShardTask] = []

    def start(self, job: Job) -> None:
        """See `assay.corpus.engines.Engine`."""
        self._job = job

    def submit(self, task: ShardTask) -> None:
        """See `assay.corpus.engines.Engine`."""
        self._tasks.append(task)

    def wait(self, seconds: float) -> list[ShardOutcome]:
        """The last one first, so that nothing comes back in order."""
        return [attempt(self._job, self._tasks.pop())]

    def close(self) -> None:
        """See `assay.corpus.engines.Engine`."""
