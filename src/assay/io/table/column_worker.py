"""Worker process that reads Parquet and Arrow files, so that damaged data cannot crash assay.

`column_files` starts it as ``python -m assay.io.table.column_worker`` and exchanges messages with it through pipes. A
request is a line of JSON. An answer consists of the lengths of its head and body, the head in JSON, and the body, an Arrow
stream written by this process. The worker exits at the end of its input.
"""

from __future__ import annotations

import io
import json
import os
import signal
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

LENGTHS = struct.Struct("<QQ")
SECONDS = 300
"""Processor time for one request, all cores together."""
LEAST_MEMORY = 4 << 30
"""Bytes of memory that it may always use; otherwise half of the machine's memory."""
ARROW = b"ARROW1"


def most_memory() -> int:
    """Return the memory limit of the process in bytes."""
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        whole = 0
    return max(whole // 2, LEAST_MEMORY)


def main() -> None:
    """Answer requests until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller handles Ctrl-C, and this process ends with it
    replies = os.fdopen(os.dup(1), "wb")
    _bound_memory()
    import polars

    open_files: dict[str, Any] = {}
    body: bytes | memoryview
    for line in sys.stdin.buffer:
        _bound_time()
        try:
            head, body = _answer(polars, open_files, json.loads(line))
        except BaseException as error:  # a Rust panic is not an Exception
            head, body = {"error": _message(error), "panic": type(error).__name__ == "PanicException"}, b""
        data = json.dumps(head).encode()
        replies.write(LENGTHS.pack(len(data), len(body)) + data)
        replies.write(body)
        replies.flush()


def _answer(
    polars: Any, open_files: dict[str, Any], request: dict[str, Any]
) -> tuple[dict[str, Any], bytes | memoryview]:
    path, kind = request["path"], request["kind"]
    if request["do"] == "close":
        open_files.pop(path, None)
        return {}, b""
    if request["do"] == "open" or path not in open_files:
        open_files[path] = _scan(polars, path, kind)
    frame = open_files[path]
    if request["do"] == "open":
        schema = frame.collect_schema()
        rows = int(frame.select(polars.len()).collect().item())
        return {"rows": rows}, _stream(polars.DataFrame(schema=schema))
    part = frame
    if (names := request["columns"]) is not None:
        schema = frame.collect_schema()
        part = frame.select(
            polars.col(name).cast(polars.String) if schema[name] == polars.Categorical else polars.col(name)
            for name in names
        )
    return {}, _stream(part.slice(request["start"], request["size"]).collect(engine="streaming"))


def _scan(polars: Any, path: str, kind: str) -> Any:
    if kind == "Parquet":
        return polars.scan_parquet(path, glob=False)
    with Path(path).open("rb") as file:
        mapped = file.read(len(ARROW)) == ARROW
    return polars.scan_ipc(path) if mapped else polars.read_ipc_stream(path).lazy()


def _stream(frame: Any) -> memoryview:
    out = io.BytesIO()
    frame.write_ipc_stream(out)
    return out.getbuffer()


def _message(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _bound_memory() -> None:
    """Limit the memory of the process, so that an allocation beyond the limit ends it."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (most_memory(), resource.getrlimit(resource.RLIMIT_DATA)[1]))


def _bound_time() -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + SECONDS, hard))


if __name__ == "__main__":
    main()
