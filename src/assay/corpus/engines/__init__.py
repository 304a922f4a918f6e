"""Engines, which run a corpus's tasks on workers. The driver makes all decisions.

``local`` uses processes on this machine, ``ray`` actors on a cluster. To add an engine, add a class with these methods in a
file in this folder, and one line in `ENGINES`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from assay.core.errors import InputError, unknown
from assay.corpus.job import Job, ShardOutcome, ShardTask


class Engine(Protocol):
    """Workers that call `assay.corpus.execution.work(job, task)`, each in a separate process.

    A process keeps its metrics from one task to the next.
    """

    @property
    def slots(self) -> int:
        """Maximum number of tasks in progress; the driver submits no more than this."""

    @property
    def threads(self) -> int:
        """Number of threads per worker."""

    def start(self, job: Job) -> None:
        """Begin a phase whose tasks belong to `job`. This is called again with another job for the next phase."""

    def submit(self, task: ShardTask) -> None:
        """Submit a task without waiting for it."""

    def wait(self, seconds: float) -> list[ShardOutcome]:
        """Return the outcomes since the last call; wait at most `seconds` for the first one.

        A task whose worker crashed returns with a fault of the kind ``died``, and the worker is replaced.
        """

    def close(self) -> None:
        """Stop the workers immediately."""


ENGINES = {"local": "assay.corpus.engines.local:LocalEngine", "ray": "assay.corpus.engines.ray:RayEngine"}
"""Module and class by name; classes are created with the options of `engine`."""


def engine(name: str, *, workers: int | None, neural: bool, **options: Any) -> Engine:
    """Create an engine by name.

    By default, the engine chooses the number of workers. `options` are the options specified for any engine.
    """
    if name not in ENGINES:
        raise unknown("engine", name, ENGINES)
    module, _, attribute = ENGINES[name].partition(":")
    given = {option: value for option, value in options.items() if value is not None}
    if given and name != "ray":
        raise InputError(f"--{min(given).replace('_', '-')} requires --engine ray.")
    workers_engine: Engine = getattr(import_module(module), attribute)(workers=workers, neural=neural, **given)
    return workers_engine
