"""Engine with worker processes on this machine.

Workers are started as ``python -m assay.corpus.engines.worker`` and communicate through pipes. A program that calls assay
therefore needs no ``if __name__ == "__main__"``, a killed worker does not affect any other process, and workers always end
with the driver.
"""

from __future__ import annotations

import os
import pickle
import queue
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from assay.core.context import cores
from assay.corpus.job import Fault, Job, ShardOutcome, ShardTask
from assay.io.files.atomic import open_locked, scratch_errors
from assay.io.files.paths import Untrusted, check_file
from assay.io.files.system import MOVES_OPEN_FILES

LENGTH = struct.Struct("<Q")
SCRATCH = "ASSAY_WORKER_SCRATCH"
"""Environment variable with the folder of a worker's temporary files; whichever process ends last removes it."""

_SCRATCH, _LOCK = "assay-worker-", ".lock"


def send(stream: IO[bytes], message: Any) -> None:
    """Send one message through a pipe."""
    data = pickle.dumps(message)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Receive the next message from a pipe; EOFError if the other end is closed."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    size = LENGTH.unpack(head)[0]
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)


def _scratch() -> tuple[str, int]:
    """Create a folder for a worker's temporary files; a lock in it is held while the driver or the worker is running."""
    while True:
        folder = tempfile.mkdtemp(prefix=_SCRATCH)
        try:
            return folder, open_locked(Path(folder, _LOCK), mode=0o600)
        except BlockingIOError:  # another driver considered it abandoned before it was locked
            shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned() -> None:
    """Remove the temporary folders of workers that were killed together with their driver."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*"):
        with suppress(OSError, Untrusted):
            check_file(folder / _LOCK)
            if folder.is_symlink() or not (folder / _LOCK).is_file():
                continue
            held = open_locked(folder / _LOCK)  # BlockingIOError: it is in use
            os.close(held)
            shutil.rmtree(folder, ignore_errors=True)


class _Worker:
    """Worker process, and the thread that reads its messages."""

    def __init__(self, heard: queue.Queue[tuple[_Worker, ShardOutcome | None]]) -> None:
        self.task: ShardTask | None = None
        command = [sys.executable, "-m", "assay.corpus.engines.worker"]
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        with scratch_errors():
            self._scratch, self._lock = _scratch()
        values = {"PYTHONPATH": paths, "TMPDIR": self._scratch, SCRATCH: self._scratch}
        held = (self._lock,) if MOVES_OPEN_FILES else ()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | values, pass_fds=held
        )
        self._heard = heard
        threading.Thread(target=self._listen, daemon=True, name="assay-worker").start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with suppress(EOFError, OSError, pickle.UnpicklingError):
            while True:
                self._heard.put((self, receive(self.process.stdout)))
        self._heard.put((self, None))

    def send(self, message: Any) -> None:
        """Send a job or a task; the reading thread detects a closed pipe."""
        assert self.process.stdin is not None
        with suppress(OSError):
            send(self.process.stdin, message)

    def end(self) -> int:
        """End the process, remove its temporary files and return how it ended."""
        self.process.kill()
        code = self.process.wait()
        os.close(self._lock)
        shutil.rmtree(self._scratch, ignore_errors=True)
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        return code


class LocalEngine:
    """Engine with processes on this machine."""

    def __init__(self, *, workers: int | None, neural: bool) -> None:
        self._wanted = workers or (1 if neural else cores())  # a neural metric uses all cores
        self._heard: queue.Queue[tuple[_Worker, ShardOutcome | None]] = queue.Queue()
        self._idle: list[_Worker] = []
        self._busy: list[_Worker] = []
        self._job: Job | None = None

    @property
    def slots(self) -> int:
        """One task per worker."""
        return self._wanted

    @property
    def threads(self) -> int:
        return max(1, cores() // self._wanted)

    def start(self, job: Job) -> None:
        self._job = job
        remove_abandoned()
        for worker in (*self._idle, *self._busy):
            worker.send(job)

    def submit(self, task: ShardTask) -> None:
        worker = self._idle.pop() if self._idle else self._new()
        worker.task = task
        self._busy.append(worker)
        worker.send(task)

    def _new(self) -> _Worker:
        worker = _Worker(self._heard)
        worker.send(self._job)
        return worker

    def wait(self, seconds: float) -> list[ShardOutcome]:
        outcomes: list[ShardOutcome] = []
        with suppress(queue.Empty):
            outcomes += self._outcome(*self._heard.get(timeout=seconds))
            while True:
                outcomes += self._outcome(*self._heard.get_nowait())
        return outcomes

    def _outcome(self, worker: _Worker, said: ShardOutcome | None) -> list[ShardOutcome]:
        task = worker.task
        if said is not None:
            worker.task = None
            self._busy.remove(worker)
            self._idle.append(worker)
            return [said]
        for held in (self._busy, self._idle):
            with suppress(ValueError):
                held.remove(worker)
        code = worker.end()
        if task is None:
            return []
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return [ShardOutcome(task, fault=Fault("died", f"its worker crashed ({how})"))]

    def close(self) -> None:
        for worker in (*self._idle, *self._busy):
            worker.end()
        self._idle, self._busy = [], []
