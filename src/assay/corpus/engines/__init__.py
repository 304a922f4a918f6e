"""Engines, which run the tasks of a corpus on workers. All decisions are made by the driver.

``local`` uses processes of this machine, ``ray`` actors of a cluster. A new engine is a class with these methods in a file
here, and one line in `ENGINES`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from assay.core.errors import InputError, unknown
from assay.corpus.job import Job, ShardOutcome, ShardTask


class Engine(Protocol):
    """Workers that call `assay.corpus.execution.work(job, task)`, each in a process of its own.

    A process keeps its metrics from one task to the next.
    """

    @property
    def slots(self) -> int:
        """Largest number of tasks in progress; the driver submits no more."""

    @property
    def threads(self) -> int:
        """Number of threads per worker."""

    def start(self, job: Job) -> None:
        """Begin a phase, whose tasks belong to `job`. It is called again for the next phase with another job."""

    def submit(self, task: ShardTask) -> None:
        """Submit a task without waiting for it."""

    def wait(self, seconds: float) -> list[ShardOutcome]:
        """Return the outcomes since the last call, and wait at most `seconds` for the first one.

        A task whose worker crashed returns with a fault of the kind ``died``, and the worker is replaced.
        """

    def close(self) -> None:
        """Stop the workers at once."""


ENGINES = {"local": "assay.corpus.engines.local:LocalEngine", "ray": "assay.corpus.engines.ray:RayEngine"}
"""Module and class by name; classes are created with the options of `engine`."""


def engine(name: str, *, workers: int | None, neural: bool, **options: Any) -> Engine:
    """Create an engine by name.

    Without a number of workers, the engine chooses one. `options` are those given for any engine.
    """
    if name not in ENGINES:
        raise unknown("engine", name, ENGINES)
    module, _, attribute = ENGINES[name].partition(":")
    given = {option: value for option, value in options.items() if value is not None}
    if given and name != "ray":
        raise InputError(f"--{min(given).replace('_', '-')} requires --engine ray.")
    workers_engine: Engine = getattr(import_module(module), attribute)(workers=workers, neural=neural, **given)
    return workers_engine
