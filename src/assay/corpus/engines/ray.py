"""Engine with actors on a Ray cluster: an existing one by its address, or one on this machine that ends with the run.

Ray runs in a separate process, the broker (`assay.corpus.engines.ray_broker`), behind a pipe. Its output and signal handlers
therefore do not affect the driver, an unresponsive cluster can be abandoned, and everything ends with the driver.
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
"""Seconds to wait for a cluster's answer; a cluster started by assay has four times as long."""
CLOSE_SECONDS = 20.0
REMOVE_SECONDS = 5.0
"""Seconds for which the removal of a stopped cluster's folder is repeated."""


@dataclass(frozen=True, slots=True)
class WantedWorkers:
    """First message to the broker: the requested workers."""

    address: str | None
    workers: int | None
    gpus_per_worker: float | None
    neural: bool
    seconds: float
    folder: str | None = None
    """Folder of a cluster started by assay; broker and driver both remove it, whichever ends last."""


@dataclass(frozen=True, slots=True)
class Connected:
    """Message from the broker after connecting: the number of workers, and the threads per worker."""

    workers: int
    threads: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """Message from the broker that the cluster cannot be used, with the reason on one line."""

    said: str


class RayEngine:
    """Engine with actors on a Ray cluster."""

    def __init__(
        self,
        *,
        workers: int | None,
        neural: bool,
        address: str | None = None,
        gpus_per_worker: float | None = None,
    ) -> None:
        if find_spec("ray") is None:
            raise MissingPart("--engine ray requires the extra 'ray': pip install 'mt-assay[ray]'")
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
            message = self._heard.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            raise InputError(
                f"the Ray cluster {self._wanted.address or 'of this machine'} did not answer in {self._wanted.seconds:.0f} s. "
                "Try: ray status --address " + (self._wanted.address or "auto")
            ) from None
        if isinstance(message, Connected):
            return message
        raise self._ended(message)

    def _ended(self, said: object) -> AssayError:
        """Return the error for a broker that rejected the request or ended."""
        if isinstance(said, Refusal):
            return InputError(said.said)
        self._log.seek(0)
        lines = [line for line in self._log.read().decode("utf-8", "replace").splitlines() if line.strip()]
        return AssayError(f"the connection to Ray was lost: {lines[-1] if lines else 'its process ended.'}")

    def _listen(self, stream: IO[bytes]) -> None:
        with suppress(EOFError, OSError, ValueError):
            while True:
                self._heard.put(receive(stream))
        self._heard.put(None)

    def _send(self, message: Any) -> None:
        """Send a message; the reading thread detects a closed pipe."""
        assert self._process is not None and self._process.stdin is not None
        with suppress(OSError):
            send(self._process.stdin, message)

    @property
    def slots(self) -> int:
        """One task per worker, plus one queued per worker."""
        return 2 * self._connected.workers

    @property
    def threads(self) -> int:
        return self._connected.threads

    def start(self, job: Job) -> None:
        self._send(job)

    def submit(self, task: ShardTask) -> None:
        self._send(task)

    def wait(self, seconds: float) -> list[ShardOutcome]:
        outcomes: list[ShardOutcome] = []
        with suppress(queue.Empty):
            message = self._heard.get(timeout=seconds)
            while True:
                if not isinstance(message, ShardOutcome):
                    raise self._ended(message)
                outcomes.append(message)
                message = self._heard.get_nowait()
        return outcomes

    def close(self, *, wait: bool = True) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(CLOSE_SECONDS if wait or self._folder else 1.0)
        except subprocess.TimeoutExpired:
            process.kill()  # a cluster started by assay ends with its broker
            process.wait()
        self._log.close()
        if self._folder:
            remove_folder(self._folder)


def make_folder() -> str:
    """Create a folder for a cluster, in ``/tmp`` if it exists, because socket paths must be short."""
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
    """Reject an invalid address or one without a listener, because Ray would retry for minutes."""
    import socket

    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if "://" in address or not host or not port.isdigit():
        raise InputError(
            f"--address must be HOST:PORT of the cluster's head (ray start --head prints it) or auto, not {address!r}. Run "
            "assay on a machine of the cluster."
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except (OSError, OverflowError) as error:
        why = str(getattr(error, "strerror", None) or error or "it did not answer")
        raise InputError(f"no Ray cluster answers at {address}: {why}. Is it running (ray status)?") from None
