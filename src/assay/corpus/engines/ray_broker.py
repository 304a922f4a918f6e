"""Broker process between the driver and Ray: holds the connection and the actors, and distributes the tasks.

An actor gets a task only after it has started and reported its version. An actor that cannot be scheduled therefore does not
delay the run, and one with another version of assay gets no tasks. An actor with short tasks gets the next one in advance,
to avoid the round trip.
"""

from __future__ import annotations

import os
import platform
import queue
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import IO, Any

from assay._version import __version__
from assay.corpus.engines.local import receive, send
from assay.corpus.engines.ray import Connected, Refusal, WantedWorkers, remove_folder
from assay.corpus.engines.ray_cluster import connect, laid_out, last_line, no_place, too_few_gpus, why_not
from assay.corpus.execution import attempt
from assay.corpus.job import WORK, Fault, Job, ShardOutcome, ShardTask
from assay.io.files.folders import open_folder

PLACE_SECONDS = 120.0
"""Seconds without any worker after which the run fails."""
SHORT_SECONDS = 1.0
"""Longest task after which an actor gets the next one in advance; behind a longer one, a task could wait while others are idle."""
MOST_FALSE_STARTS = 20
"""Consecutive workers that may end before they have reported."""
KILL_SECONDS = 5.0
"""Seconds to wait for killed processes of a stopped cluster."""


class ShardWorker:
    """Ray actor: the process that scores."""

    def __init__(self) -> None:
        self._seen = ""

    def hello(self, folder: str) -> str:
        """Change to the driver's working directory, so that relative paths match, and return the version of assay."""
        with suppress(OSError):  # the folder may be missing if all data is in an object store
            os.chdir(folder)
        return __version__

    def work(self, job: Job, task: ShardTask) -> ShardOutcome:
        """Execute a task; metrics stay loaded for the next one."""
        key = job.run_key()
        if key != self._seen:
            if not sees_results(job.out, key):
                message = (
                    f"a worker on {platform.node()} does not see {job.out}. The machines of a cluster need a shared folder, "
                    "or an object store (s3://…)."
                )
                return ShardOutcome(task, fault=Fault("refused", message))
            self._seen = key
        return attempt(job, task)


def sees_results(out: str, key: str) -> bool:
    """Whether a folder is the one in which the driver stored this run's key."""
    return (open_folder(out).read(f"{WORK}/job.json") or b"").decode() == key


@dataclass(eq=False)
class Actor:
    """Actor as seen by the broker."""

    handle: Any
    tasks: deque[ShardTask] = field(default_factory=deque)
    """Assigned tasks, the current one first."""
    since: float = 0.0
    """Time at which the current task began."""
    short: bool = False
    """Whether the last task was short."""
    dead: bool = False


class BrokerEnd(Exception):
    """The driver has ended, or there is nothing to do."""


class Broker:
    """Actors and their queued tasks."""

    def __init__(
        self, ray: Any, replies: IO[bytes], events: queue.Queue[tuple[Any, ...]], options: dict[str, Any]
    ) -> None:
        self._ray, self._replies, self._events = ray, replies, events
        self._made = ray.remote(**options)(ShardWorker)
        self._job: Job | None = None
        self._waiting = deque[ShardTask]()
        self._starting: list[Actor] = []
        self._idle: list[Actor] = []
        self._busy: set[Actor] = set()
        self._short: dict[Actor, None] = {}
        """Busy actors that may have one task more."""
        self._false_starts = 0

    def run(self, workers: int) -> None:
        """Run until the driver ends."""
        while True:
            placed = self._idle or self._busy
            try:
                event = self._events.get(timeout=None if placed or not self._starting else PLACE_SECONDS)
            except queue.Empty:
                raise self._end(no_place(self._ray, PLACE_SECONDS)) from None
            match event:
                case ("end",):
                    return
                case ("message", Job() as job):
                    self._job = job
                case ("message", ShardTask() as task):
                    self._waiting.append(task)
                    if not self._idle and len(self._starting) + len(self._busy) < workers:
                        self._new()
                case ("hello", Actor() as actor, None, said, error):
                    self._started(actor, said, error)
                case ("done", Actor() as actor, ShardTask() as task, said, error) if not actor.dead:
                    self._done(actor, task, said, error)
            self._hand_out()

    def _end(self, said: str) -> BrokerEnd:
        send(self._replies, Refusal(said))
        return BrokerEnd()

    def _new(self) -> None:
        actor = Actor(self._made.remote())
        self._starting.append(actor)
        self._ask("hello", actor, None, actor.handle.hello.remote(os.getcwd()))

    def _ask(self, what: str, actor: Actor, task: ShardTask | None, ref: Any) -> None:
        ref.future().add_done_callback(partial(self._heard, what, actor, task))

    def _heard(self, what: str, actor: Actor, task: ShardTask | None, future: Any) -> None:
        error = future.exception()
        self._events.put((what, actor, task, None if error else future.result(), error))

    def _started(self, actor: Actor, version: str | None, error: Exception | None) -> None:
        self._starting.remove(actor)
        if error is not None:
            self._false_starts += 1
            if not self._died(error) or self._false_starts >= MOST_FALSE_STARTS:
                raise self._end(
                    f"a worker of the Ray cluster cannot start: {last_line(error)}. Install the same version of assay on "
                    "every machine."
                )
            self._new()
            return
        assert self._job is not None
        if version != self._job.version:
            raise self._end(
                f"a worker runs assay {version}, but the driver runs {self._job.version}. Install the same version on "
                "every machine."
            )
        self._false_starts = 0
        self._idle.append(actor)

    def _died(self, error: Exception) -> bool:
        """Whether a process or its node ended, as opposed to an exception in it."""
        import ray.exceptions as known

        on_start = "creation task" in str(error)
        return not on_start and isinstance(error, (known.RayActorError, known.OutOfMemoryError, known.NodeDiedError))

    def _done(self, actor: Actor, task: ShardTask, outcome: ShardOutcome | None, error: Exception | None) -> None:
        if error is not None and self._died(error):
            actor.dead = True
            self._busy.remove(actor)
            self._short.pop(actor, None)
            task = actor.tasks.popleft()
            self._waiting.extendleft(reversed(actor.tasks))  # not started yet
            send(self._replies, ShardOutcome(task, fault=Fault("died", "its worker in the Ray cluster crashed")))
            if self._waiting and not self._idle:
                self._new()
            return
        actor.tasks.remove(task)
        now = time.monotonic()
        actor.short, actor.since = now - actor.since < SHORT_SECONDS, now
        self._short.pop(actor, None)
        if not actor.tasks:
            self._busy.remove(actor)
            self._idle.append(actor)
        elif actor.short:
            self._short[actor] = None
        send(self._replies, outcome or ShardOutcome(task, fault=Fault("broke", last_line(error))))

    def _hand_out(self) -> None:
        while self._waiting and (self._idle or self._short):
            if self._idle:
                actor = self._idle.pop()
                actor.since = time.monotonic()
                self._busy.add(actor)
                if actor.short:
                    self._short[actor] = None
            else:
                actor, _ = self._short.popitem()
            task = self._waiting.popleft()
            actor.tasks.append(task)
            self._ask("done", actor, task, actor.handle.work.remote(self._job, task))


def main() -> None:
    """Serve the driver until it ends."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    wanted: WantedWorkers = receive(sys.stdin.buffer)
    events: queue.Queue[tuple[Any, ...]] = queue.Queue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, events, wanted.folder), daemon=True).start()
    ray = None
    try:
        ray = connect(wanted)
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        workers, threads, gpus = laid_out(wanted, nodes)
        if reason := too_few_gpus(wanted, gpus, nodes):
            send(replies, Refusal(reason))
            return
        send(replies, Connected(workers, threads))
        options = {"num_cpus": threads, "num_gpus": gpus, "max_restarts": 0, "scheduling_strategy": "SPREAD"}
        Broker(ray, replies, events, options).run(workers)
    except (BrokerEnd, BrokenPipeError):
        pass
    except Exception as error:
        with suppress(OSError):
            send(replies, Refusal(why_not(wanted, error)))
    finally:
        _exit(0, wanted.folder, ray)


def _exit(code: int, folder: str | None, ray: Any = None) -> None:
    """End the cluster in the folder, remove the folder, and exit without waiting for Ray's threads."""
    processes = _descendants() if folder else []
    if ray is not None:
        with suppress(Exception):
            ray.shutdown()
    if folder:
        kill(processes)
        remove_folder(folder)
    os._exit(code)


def _descendants() -> list[Any]:
    """Return the processes that Ray has started for assay's cluster; empty if Ray was not imported."""
    if "ray" not in sys.modules:
        return []
    import psutil  # installed with Ray

    processes: list[Any] = psutil.Process().children(recursive=True)
    return processes


def kill(processes: list[Any]) -> None:
    """Kill processes and wait until they end.

    Ray's agents outlive a shutdown by some seconds, and their logs would recreate a folder that was removed.
    """
    import psutil

    for process in processes:
        with suppress(psutil.Error):
            process.kill()
    end = time.monotonic() + KILL_SECONDS
    while any(map(_alive, processes)) and time.monotonic() < end:
        time.sleep(0.01)


def _alive(process: Any) -> bool:
    import psutil

    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _read(stream: IO[bytes], events: queue.Queue[tuple[Any, ...]], folder: str | None) -> None:
    """Turn the driver's messages into events. When it ends, send a last event, and force an exit if that is not processed."""
    with suppress(EOFError, OSError):
        while True:
            events.put(("message", receive(stream)))
    events.put(("end",))
    threading.Event().wait(15)
    _exit(1, folder)
