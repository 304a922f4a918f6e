"""Local worker process: jobs and tasks arrive on stdin, and outcomes are written to the original stdout.

Library output goes to stderr. When the driver ends, stdin closes, and the worker ends immediately.
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
    """Work until stdin closes."""
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
    """End immediately when the driver has ended, and remove the temporary files."""
    for _ in range(10):  # the task is still running and may create another file
        shutil.rmtree(os.environ[SCRATCH], ignore_errors=True)
        if not os.path.exists(os.environ[SCRATCH]):
            break
    os._exit(0)


if __name__ == "__main__":
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver handles Ctrl-C and ends the workers
    main()
