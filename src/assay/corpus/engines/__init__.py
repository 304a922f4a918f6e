"""Where tasks are done. An engine is a few methods; the driver does the thinking.

``local`` has processes of this machine, ``ray`` actors of a cluster. Another one is one file here with a class of these methods,
and one line in `ENGINES`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from assay.core.errors import InputError, unknown
from assay.corpus.job import Job, ShardOutcome, ShardTask


class Engine(Protocol):
    """Workers somewhere, each of which calls `assay.corpus.execution.work(job, task)` in a process of its own and keeps its metrics
    from one task to the next (`assay.corpus.execution` holds them by their names)."""

    @property
    def slots(self) -> int:
        """How many tasks may be under way at once; the driver hands over no more."""

    @property
    def threads(self) -> int:
        """Threads that each of them may use."""

    def start(self, job: Job) -> None:
        """Begin a phase: `job` goes with every task from now on. Called again for the next phase with another job."""

    def submit(self, task: ShardTask) -> None:
        """Have a task done. Does not wait."""

    def wait(self, seconds: float) -> list[ShardOutcome]:
        """What has come back since the last call, waiting so long for the first; a task whose worker died comes back with a fault
        of the kind ``died``, and the worker is replaced."""

    def close(self) -> None:
        """End the workers, whatever they do."""


ENGINES = {"local": "assay.corpus.engines.local:LocalEngine", "ray": "assay.corpus.engines.ray:RayEngine"}
"""By name: module and class, made with the options of `engine`."""


def engine(name: str, *, workers: int | None, neural: bool, **options: Any) -> Engine:
    """An engine by name, with so many workers, or as many as it holds right; `options` are those that were given, of any engine."""
    if name not in ENGINES:
        raise unknown("engine", name, ENGINES)
    module, _, made = ENGINES[name].partition(":")
    given = {option: value for option, value in options.items() if value is not None}
    if given and name != "ray":
        raise InputError(f"--{min(given).replace('_', '-')} goes with --engine ray.")
    found: Engine = getattr(import_module(module), made)(workers=workers, neural=neural, **given)
    return found
