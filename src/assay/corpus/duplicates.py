"""Rows whose texts came before, in this shard or in an earlier one: found by hash, before anything is scored.

Every piece writes 128 bits for each of its rows, sorted by their first byte (`survey`). Then the bytes are gone through one after
the other, as many at once as memory is given to (`find`): of equal hashes the first row in the order of the shards stays.
Who was faster plays no part. On the disk a row costs 24 bytes, in memory a bit and, while its byte is looked at, 24 bytes more.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError
from assay.corpus.execution import local_files, record_name
from assay.corpus.job import WORK, Job, ShardRecord, ShardTask, task_key
from assay.corpus.shard_reader import reading

if TYPE_CHECKING:
    from assay.core.batch import Batch
    from assay.corpus.job import Duplicates
    from assay.io.files.folders import Folder

ROWS_AT_ONCE = 8_000_000
"""Rows whose hashes are held in memory at a time: some 400 MB while they are sorted."""
HEAD = 256 * 8


def _hashes_name(task: ShardTask) -> str:
    return f"{WORK}/{task.name}.hashes"


def _gone_name(task: ShardTask) -> str:
    return f"{WORK}/{task.name}.gone"


def _row_type() -> Any:
    import numpy as np

    return np.dtype([("high", "<u8"), ("low", "<u8"), ("row", "<u8")])


def survey(job: Job, task: ShardTask, folder: Folder) -> ShardRecord:
    """Write the hashes of a piece's rows."""
    import json

    import numpy as np

    found: list[bytes] = []
    with local_files(task) as paths, reading(job, task.shard, task.part, paths) as rows_in:
        for rows in rows_in.parts:
            found += row_digests(job.dedup, rows.batch)
    table = np.empty(len(found), _row_type())
    halves = np.frombuffer(b"".join(found), "<u8").reshape(-1, 2)
    table["high"], table["low"], table["row"] = halves[:, 0], halves[:, 1], np.arange(len(found))
    first = (table["high"] >> np.uint64(56)).astype(np.int64)
    table = table[np.argsort(first, kind="stable")]
    with folder.writing(_hashes_name(task)) as stream:
        stream.write(np.bincount(first, minlength=256).astype("<u8").tobytes())
        stream.write(table.tobytes())
    record = ShardRecord(task_key(job, task), lines=len(found))
    folder.write(record_name(task), json.dumps(record.to_json()).encode())
    return record


def row_digests(dedup: Duplicates | None, batch: Batch) -> list[bytes]:
    """A hash of the texts that make two rows the same."""
    columns: list[Sequence[str]] = []
    if dedup != "src":
        columns.append(batch.hypotheses)
    if dedup != "mt" and batch.sources is not None:
        columns.append(batch.sources)
    if not columns:
        raise InputError("--dedup src needs the sources, and there are none.")
    made = []
    for texts in zip(*columns, strict=True):
        hashed = blake2b(digest_size=16)
        for text in texts:
            data = text.encode("utf-8", "surrogatepass")
            hashed.update(b"%d:" % len(data))
            hashed.update(data)
        made.append(hashed.digest())
    return made


def find(tasks: Sequence[ShardTask], folder: Folder) -> int:
    """Write for every piece which of its rows came before, and give back how many there are. `tasks` are in the shards' order."""
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
                    place = HEAD + int(offsets[at, low]) * _row_type().itemsize
                    parts.append(np.fromfile(path, _row_type(), n, offset=place))
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
    for task, mine in zip(tasks, gone, strict=True):
        held = io.BytesIO()
        np.save(held, np.packbits(mine))
        folder.write(_gone_name(task), held.getvalue())
    return sum(int(mine.sum()) for mine in gone)


def _stretches(rows: Sequence[int]) -> list[tuple[int, int]]:
    """Neighbouring bytes that together have no more rows than are held at once; one byte at least."""
    found, start, held = [], 0, 0
    for byte, n in enumerate(rows):
        if held and held + n > ROWS_AT_ONCE:
            found.append((start, byte))
            start, held = byte, 0
        held += n
    return [*found, (start, len(rows))]


def dropped(job: Job, task: ShardTask, folder: Folder) -> set[int] | None:
    """The rows of a piece that came before; None where nobody asked."""
    import numpy as np

    if job.dedup is None:
        return None
    bits = np.unpackbits(np.load(io.BytesIO(folder.read(_gone_name(task)) or b"")))
    return set(np.flatnonzero(bits).tolist())
