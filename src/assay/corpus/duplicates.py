"""Detection of duplicate rows within and across shards before scoring, based on hashes of their texts.

`survey` writes a 128-bit hash per row of a part, sorted by the first byte. `find` then reads the hashes byte by byte, as many
at a time as memory allows. Among rows with the same hash, the first one in shard order is kept, regardless of which worker
was faster. A row takes 24 bytes on disk, one bit in memory, and 24 bytes more while its first byte is processed.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError
from assay.corpus.job import WORK, Job, ShardRecord, ShardTask, task_key
from assay.corpus.records import record_name
from assay.corpus.shard_reader import local_files, reading

if TYPE_CHECKING:
    from assay.core.batch import Batch
    from assay.corpus.job import Duplicates
    from assay.io.files.folders import Folder

ROWS_AT_ONCE = 8_000_000
"""Number of hashes in memory at a time; sorting them takes about 400 MB."""
HEAD = 256 * 8


def _hashes_name(task: ShardTask) -> str:
    return f"{WORK}/{task.name}.hashes"


def _gone_name(task: ShardTask) -> str:
    return f"{WORK}/{task.name}.gone"


def _row_type() -> Any:
    import numpy as np

    return np.dtype([("high", "<u8"), ("low", "<u8"), ("row", "<u8")])


def survey(job: Job, task: ShardTask, folder: Folder) -> ShardRecord:
    """Write the row hashes for a part."""
    import json

    import numpy as np

    digests: list[bytes] = []
    with local_files(task) as paths, reading(job, task.shard, task.part, paths) as rows_in:
        for rows in rows_in.parts:
            digests += row_digests(job.dedup, rows.batch)
    table = np.empty(len(digests), _row_type())
    halves = np.frombuffer(b"".join(digests), "<u8").reshape(-1, 2)
    table["high"], table["low"], table["row"] = halves[:, 0], halves[:, 1], np.arange(len(digests))
    first = (table["high"] >> np.uint64(56)).astype(np.int64)
    table = table[np.argsort(first, kind="stable")]
    with folder.writing(_hashes_name(task)) as stream:
        stream.write(np.bincount(first, minlength=256).astype("<u8").tobytes())
        stream.write(table.tobytes())
    record = ShardRecord(task_key(job, task), lines=len(digests))
    folder.write(record_name(task), json.dumps(record.to_json()).encode())
    return record


def row_digests(dedup: Duplicates | None, batch: Batch) -> list[bytes]:
    """Return one hash per row, of the texts that define a duplicate."""
    columns: list[Sequence[str]] = []
    if dedup != "src":
        columns.append(batch.hypotheses)
    if dedup != "mt" and batch.sources is not None:
        columns.append(batch.sources)
    if not columns:
        raise InputError("--dedup src requires sources, but the input has none.")
    digests = []
    for texts in zip(*columns, strict=True):
        hashed = blake2b(digest_size=16)
        for text in texts:
            data = text.encode("utf-8", "surrogatepass")
            hashed.update(b"%d:" % len(data))
            hashed.update(data)
        digests.append(hashed.digest())
    return digests


def find(tasks: Sequence[ShardTask], folder: Folder) -> int:
    """Write the duplicate rows of each part, and return their number. `tasks` are in shard order."""
    import numpy as np

    counts = np.zeros((len(tasks), 256), np.int64)
    for at, task in enumerate(tasks):
        with folder.local(_hashes_name(task)) as path:
            counts[at] = np.fromfile(path, "<u8", 256)
    gone = [np.zeros(int(of.sum()), bool) for of in counts]
    offsets = np.concatenate([np.zeros((len(tasks), 1), np.int64), np.cumsum(counts, axis=1)], axis=1)
    for low, high in _stretches(counts.sum(axis=0).tolist()):
        parts, owners = [], []
        for at, task in enumerate(tasks):
            n = int(offsets[at, high] - offsets[at, low])
            if n:
                with folder.local(_hashes_name(task)) as path:
                    offset = HEAD + int(offsets[at, low]) * _row_type().itemsize
                    parts.append(np.fromfile(path, _row_type(), n, offset=offset))
                owners.append(np.full(n, at))
        if not parts:
            continue
        table, owner = np.concatenate(parts), np.concatenate(owners)
        order = np.lexsort((table["row"], owner, table["low"], table["high"]))
        ordered = table[order]
        again = (ordered["high"][1:] == ordered["high"][:-1]) & (ordered["low"][1:] == ordered["low"][:-1])
        late = order[1:][again]
        for at in np.unique(owner[late]).tolist():
            gone[at][table["row"][late][owner[late] == at].astype(np.int64)] = True
    for task, rows in zip(tasks, gone, strict=True):
        held = io.BytesIO()
        np.save(held, np.packbits(rows))
        folder.write(_gone_name(task), held.getvalue())
    return sum(int(rows.sum()) for rows in gone)


def _stretches(rows: Sequence[int]) -> list[tuple[int, int]]:
    """Group consecutive first bytes so that each group has at most `ROWS_AT_ONCE` rows; a group has at least one byte."""
    ranges, start, held = [], 0, 0
    for byte, n in enumerate(rows):
        if held and held + n > ROWS_AT_ONCE:
            ranges.append((start, byte))
            start, held = byte, 0
        held += n
    return [*ranges, (start, len(rows))]


def dropped(job: Job, task: ShardTask, folder: Folder) -> set[int] | None:
    """Return the duplicate rows of a part; None if duplicates are not removed."""
    import numpy as np

    if job.dedup is None:
        return None
    bits = np.unpackbits(np.load(io.BytesIO(folder.read(_gone_name(task)) or b"")))
    return set(np.flatnonzero(bits).tolist())
