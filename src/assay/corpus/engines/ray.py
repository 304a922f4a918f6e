"""Workers as actors of a Ray cluster: one that is given by its address, or one of this machine that ends with the run.

Ray itself lives in a process of its own, the broker (`assay.corpus.engines.ray_broker`), behind a pipe: what Ray prints and the
signals it takes for itself stay there, a cluster that does not answer can be left alone after a while, and everything ends when the
driver does, however it ends.
"""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import IO, Any

from assay.core.errors import AssayError, InputError, MissingPart
from assay.corpus.engines.local import receive, send
from assay.corpus.job import Job, ShardOutcome, ShardTask

CONNECT_SECONDS = 30.0
"""How long a cluster may take to answer; a cluster of our own gets four times as long to start."""
CLOSE_SECONDS = 20.0
REMOVE_SECONDS = 5.0
"""How long the removal of a stopped cluster's folder is repeated."""


@dataclass(frozen=True, slots=True)
class WantedWorkers:
    """What the broker is values first."""

    address: str | None
    workers: int | None
    gpus_per_worker: float | None
    neural: bool
    seconds: float
    folder: str | None = None
    """Folder of a cluster of our own, which the broker and the driver both remove, whichever ends last."""


@dataclass(frozen=True, slots=True)
class Connected:
    """What the broker says when it has a cluster: how many workers there will be, and the threads of each."""

    workers: int
    threads: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the cluster cannot be used, in one line."""

    said: str


class RayEngine:
    """See `assay.corpus.engines.Engine`."""

    def __init__(
        self,
        *,
        workers: int | None,
        neural: bool,
        address: str | None = None,
        gpus_per_worker: float | None = None,
    ) -> None:
        if find_spec("ray") is None:
            raise MissingPart("--engine ray needs the extra 'ray': pip install 'mt-assay[ray]'")
        own = 1.0 if address else 4.0
        if address:
            check_address(address)
        self._folder = None if address else make_folder()
        self._wanted = WantedWorkers(
            address, workers, gpus_per_worker, neural, CONNECT_SECONDS * own, folder=self._folder
        )
        self._heard: queue.Queue[Any] = queue.Queue()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
            [sys.executable, "-P", "-c", "from assay.corpus.engines.ray_broker import main; main()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, env=os.environ | {"PYTHONPATH": paths},
            start_new_session=True,
        )  # fmt: skip
        threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True, name="assay-ray").start()
        self._send(self._wanted)
        try:
            self._connected = self._connect()
        except BaseException:
            self.close(wait=False)
            raise

    def _connect(self) -> Connected:
        end = time.monotonic() + self._wanted.seconds
        try:
            said = self._heard.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            raise InputError(
                f"the Ray cluster {self._wanted.address or 'of this machine'} did not answer in {self._wanted.seconds:.0f} s. "
                "Try: ray status --address " + (self._wanted.address or "auto")
            ) from None
        if isinstance(said, Connected):
            return said
        raise self._ended(said)

    def _ended(self, said: object) -> AssayError:
        """The error for a broker that refused, or is gone."""
        if isinstance(said, Refusal):
            return InputError(said.said)
        self._log.seek(0)
        lines = [line for line in self._log.read().decode("utf-8", "replace").splitlines() if line.strip()]
        return AssayError(f"the connection to Ray broke off: {lines[-1] if lines else 'its process ended.'}")

    def _listen(self, stream: IO[bytes]) -> None:
        with suppress(EOFError, OSError, ValueError):
            while True:
                self._heard.put(receive(stream))
        self._heard.put(None)

    def _send(self, message: Any) -> None:
        """A broker that is gone is noticed by the one who listens."""
        assert self._process is not None and self._process.stdin is not None
        with suppress(OSError):
            send(self._process.stdin, message)

    @property
    def slots(self) -> int:
        """One task a worker, and one that waits near it."""
        return 2 * self._connected.workers

    @property
    def threads(self) -> int:
        """See `Engine`."""
        return self._connected.threads

    def start(self, job: Job) -> None:
        """See `Engine`."""
        self._send(job)

    def submit(self, task: ShardTask) -> None:
        """See `Engine`."""
        self._send(task)

    def wait(self, seconds: float) -> list[ShardOutcome]:
        """See `Engine`."""
        found: list[ShardOutcome] = []
        with suppress(queue.Empty):
            said = self._heard.get(timeout=seconds)
            while True:
                if not isinstance(said, ShardOutcome):
                    raise self._ended(said)
                found.append(said)
                said = self._heard.get_nowait()
        return found

    def close(self, *, wait: bool = True) -> None:
        """See `Engine`."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(CLOSE_SECONDS if wait or self._folder else 1.0)
        except subprocess.TimeoutExpired:
            process.kill()  # a cluster of our own ends with its broker
            process.wait()
        self._log.close()
        if self._folder:
            remove_folder(self._folder)


def make_folder() -> str:
    """Make the folder of a cluster of our own: ``/tmp`` if it exists, because the paths of sockets must be short."""
    return tempfile.mkdtemp(prefix="assay-ray-", dir="/tmp" if os.path.isdir("/tmp") else None)


def remove_folder(folder: str) -> None:
    """Remove the folder of a stopped cluster.

    Processes that are still exiting may write logs, so the removal is repeated for a few seconds.
    """
    end = time.monotonic() + REMOVE_SECONDS
    while os.path.lexists(folder):
        shutil.rmtree(folder, ignore_errors=True)
        if time.monotonic() > end:
            return
        time.sleep(0.05)


def check_address(address: str) -> None:
    """Refuse what is no address, and one where nobody listens, before Ray goes on trying for minutes."""
    import socket

    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if "://" in address or not host or not port.isdigit():
        raise InputError(
            f"--address is HOST:PORT of the cluster's head (ray start --head says it) or auto, not {address!r}. assay runs on a "
            "machine of the cluster."
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except (OSError, OverflowError) as error:
        why = str(getattr(error, "strerror", None) or error or "it did not answer")
        raise InputError(f"no Ray cluster answers at {address}: {why}. Is it running (ray status)?") from None
