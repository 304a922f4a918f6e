"""The process of a local worker: jobs and tasks come in through stdin, outcomes go out where stdout was.

What a library prints goes to stderr. When the driver is gone, stdin ends, and the worker with it, in the middle of its work.
"""

from __future__ import annotations

import os
import queue
import shutil
import sys
import threading
from typing import IO

from assay.corpus.engines.local import SCRATCH, receive, send
from assay.corpus.execution import attempt
from assay.corpus.job import Job, ShardTask


def main() -> None:
    """Work until nobody sends any more."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    tasks: queue.Queue[Job | ShardTask] = queue.Queue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, tasks), daemon=True).start()
    job: Job | None = None
    while True:
        message = tasks.get()
        if isinstance(message, Job):
            job = message
        elif job is not None:
            try:
                send(replies, attempt(job, message))
            except BrokenPipeError:
                _end()


def _read(stream: IO[bytes], tasks: queue.Queue[Job | ShardTask]) -> None:
    try:
        while True:
            tasks.put(receive(stream))
    except EOFError:
        _end()


def _end() -> None:
    """The driver is gone: end at once, with the temporary files."""
    for _ in range(10):  # the work goes on meanwhile, and may put one file more there
        shutil.rmtree(os.environ[SCRATCH], ignore_errors=True)
        if not os.path.exists(os.environ[SCRATCH]):
            break
    os._exit(0)


if __name__ == "__main__":
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the driver's: it ends the workers
    main()
