"""Score records in the store: look up stored scores, compute missing ones, and convert between scores and bytes.

A segment's record consists of a header (the names of its content) and a body: value, statistics and components as float64,
one byte per flag, then spans as JSON. Segments scored together have the same header, so columns are read from the joined
bodies at once.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.batch import Batch
from assay.core.context import report_progress
from assay.core.metric import Metric, Scores
from assay.core.spans import ErrorSpan

if TYPE_CHECKING:
    from assay.engine.store import Store

_LENGTH = struct.Struct("<H")
PART = 1024
"""Rows per call of a metric: enough to make the overhead negligible, few enough to keep every core busy until the end."""
FIRST_PART = 64
"""Rows of a slow metric's first call. The number doubles up to `PART`, so that progress is visible early."""


def through_store(batch: Batch, metric: Metric, store: Store, compute: Callable[[Batch], Scores]) -> Scores:
    """Return the scores of all requests in order; look them up in the store, and compute and save the missing ones."""
    keys = store.keys(str(metric.signature), batch)
    records = store.get_many(keys)
    missing = [key not in records for key in keys]
    slow, wanted, done = metric.card.neural, sum(missing), 0
    for part in _parts(missing, FIRST_PART if slow else len(missing)):
        if slow:
            report_progress(metric.card.name, done, wanted)
        fresh = pack(compute(batch.select(part)))
        computed = [(keys[i], record) for i, record in zip(part, fresh, strict=True)]
        store.put_many(computed)
        records.update(computed)
        done += len(part)
    if slow:
        report_progress(metric.card.name, wanted, wanted)
    return unpack([records[key] for key in keys])


def _parts(missing: Sequence[bool], size: int) -> Iterator[list[int]]:
    """Yield the missing rows in parts, beginning with `size` rows, so that scores survive a killed process.

    The last digits of a neural metric's scores depend on the batch. Parts therefore end where they would end without stored scores,
    so an interrupted run resumes with the parts of an uninterrupted one. Parts with few missing rows are joined.
    """
    waiting: list[int] = []
    start = 0
    while start < len(missing):
        end = min(start + size, len(missing))
        waiting += [i for i in range(start, end) if missing[i]]
        if len(waiting) >= end - start:
            yield waiting
            waiting = []
        start, size = end, min(2 * size, PART)
    if waiting:
        yield waiting


def pack(scores: Scores) -> list[bytes]:
    """Return one record per segment."""
    if not len(scores):
        return []
    columns = [scores.values[:, None]]
    if scores.stats is not None:
        columns.append(scores.stats)
    columns += [column[:, None] for column in scores.components.values()]
    numbers = np.ascontiguousarray(np.concatenate(columns, axis=1), dtype="<f8")
    flags = np.array(list(scores.flags.values()), dtype=np.uint8).reshape(len(scores.flags), len(scores))
    head = json.dumps(
        {
            "stats": None if scores.stats is None else scores.stats.shape[1],
            "components": list(scores.components),
            "flags": list(scores.flags),
            "spans": scores.spans is not None,
        },
        separators=(",", ":"),
    ).encode()
    start = _LENGTH.pack(len(head)) + head
    body = np.concatenate([numbers.view(np.uint8).reshape(len(scores), -1), flags.T], axis=1)
    width, data = body.shape[1], body.tobytes()
    records = [start + data[at : at + width] for at in range(0, width * len(scores), width)]
    if scores.spans is not None:
        records = [record + _pack_spans(row) for record, row in zip(records, scores.spans, strict=True)]
    return records


def unpack(records: Sequence[bytes]) -> Scores:
    """Return the scores packed in `records`; damaged records raise a ValueError."""
    groups: dict[bytes, list[int]] = {}
    for i, record in enumerate(records):
        end = 2 + int.from_bytes(record[:2], "little")
        groups.setdefault(record[:end], []).append(i)
    try:
        parts = [_unpack_group(head, [records[i] for i in rows]) for head, rows in groups.items()]
        joined = Scores.concat(parts)
    except (KeyError, TypeError, ValueError, struct.error) as error:
        raise ValueError(f"a stored score is damaged: {error}") from error
    if len(parts) < 2:
        return joined
    order = np.empty(len(records), dtype=np.intp)
    order[np.concatenate(list(groups.values()))] = np.arange(len(records))
    return joined.take(order)


def _unpack_group(start: bytes, records: Sequence[bytes]) -> Scores:
    head: dict[str, Any] = json.loads(start[2:])
    stats = head["stats"] or 0
    count = 1 + stats + len(head["components"])
    first, middle = len(start), len(start) + 8 * count
    end = middle + len(head["flags"])
    if not head["spans"] and any(len(record) != end for record in records):
        raise ValueError("wrong length")
    numbers = np.frombuffer(b"".join([record[first:middle] for record in records]), dtype="<f8").reshape(-1, count)
    flags = np.frombuffer(b"".join([record[middle:end] for record in records]), dtype=np.uint8)
    flags = flags.reshape(len(records), len(head["flags"]))
    return Scores(
        values=numbers[:, 0].copy(),
        stats=None if head["stats"] is None else numbers[:, 1 : 1 + stats].copy(),
        components={name: numbers[:, 1 + stats + i].copy() for i, name in enumerate(head["components"])},
        spans=[_unpack_spans(record[end:]) for record in records] if head["spans"] else None,
        flags={name: flags[:, i].astype(bool) for i, name in enumerate(head["flags"])},
    )


def _pack_spans(row: Sequence[ErrorSpan]) -> bytes:
    if not row:
        return b""
    return json.dumps([span.fields() for span in row], separators=(",", ":")).encode()


def _unpack_spans(data: bytes) -> tuple[ErrorSpan, ...]:
    return tuple(ErrorSpan(*fields) for fields in json.loads(data)) if data else ()
