"""Scoring of one part of a shard: its rows with the added columns become an output part, and its counts a record.

While a neural metric scores rows, one thread reads the next rows and another writes the last ones, so that a GPU does not wait.
Other metrics already use all cores, so threads would only take memory.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from assay.core.errors import InputError
from assay.corpus.bisection import BisectingScorer, CrashLog
from assay.corpus.duplicates import dropped
from assay.corpus.job import Job, Rejected, ShardRecord, ShardTask, task_key
from assay.corpus.records import crash_log_name, keep_record, part_name, shard_key
from assay.corpus.row_jobs import RowsJob, rows_for
from assay.corpus.row_selection import RowSelection
from assay.corpus.shard_reader import local_files, reading
from assay.corpus.shard_writer import HashedStream, ParquetPartWriter, TextPartWriter, compressed, output_format
from assay.corpus.tally import CorpusTally

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.core.metric import Bools
    from assay.corpus.shard_reader import ShardRows
    from assay.corpus.shard_writer import PartWriter
    from assay.io.files.folders import Folder

T = TypeVar("T")


def score_part(job: Job, task: ShardTask, folder: Folder) -> ShardRecord:
    """Score a part of a shard, or a whole small shard."""
    key, whole, header = task_key(job, task), task.kind == "shard", b""
    scoring = rows_for(job)
    crash_log = CrashLog(folder, crash_log_name(task)) if task.logged else None
    bisecting = BisectingScorer(scoring.score, crash_log, task.suspect, task.crashing)
    tally, rejected, at = CorpusTally(), list[Rejected](), 0
    gone = dropped(job, task, folder)
    with local_files(task) as paths, reading(job, task.shard, task.part, paths) as rows_in:
        keeping = RowSelection(job, task, rows_in.names)
        with (
            folder.writing(task.shard.name if whole else part_name(task)) as target,
            compressed(counted := HashedStream(target), task.shard.name if whole else "") as stream,
        ):
            part: PartWriter
            if task.shard.form == "parquet":
                part = ParquetPartWriter(job, rows_in.kinds or {}, stream)
            else:
                part = TextPartWriter(
                    output_format(task.shard), [*rows_in.names, *job.added], stream, job.sample is not None, job.scores
                )
                header = part.header()
                stream.write(header if whole else b"")
            with read_ahead(rows_in.parts, scoring.neural) as parts, write_behind(scoring.neural) as later:
                for rows in parts:
                    n = len(rows)
                    tally.rows += n
                    tally.nrefs = max(tally.nrefs, rows.batch.nrefs)
                    places = list(range(at, at + n))
                    at += n
                    if gone is not None:
                        fresh = [place not in gone for place in places]
                        if not all(fresh):
                            rows, places = rows.where(fresh), [p for p, new in zip(places, fresh, strict=True) if new]
                            tally.duplicates += n - len(rows)
                        if not places:
                            continue
                    before = len(bisecting.rejected)
                    scored, chunks = bisecting.scored(rows.batch, places[0])
                    for row, reason in bisecting.rejected[before:]:
                        i = row - places[0]
                        rejected.append(Rejected(rows.numbers[i], rows.noun, reason, rows.row(i)))
                    later(_write, job, part, rows, scored, scoring, chunks, tally, keeping)
            if len(rejected) > 1 and len(rejected) == tally.rows - tally.duplicates:
                raise InputError(
                    f"none of its {len(rejected):,} rows can be scored. The last one failed because: {rejected[-1].reason}"
                )
            part.close()
        if isinstance(part, TextPartWriter) and job.sample is not None:
            folder.write(f"{part_name(task)}.rows", json.dumps(part.sizes).encode())
        keeping.write_draws(folder)
    tally.rejected, tally.more = len(rejected), scoring.counted()
    if whole:
        record = ShardRecord(
            shard_key(job, task), tally.to_json(), rejected, rows_in.lines(), counted.size, counted.hash, rows_in.notes
        )
    else:
        record = ShardRecord(key, tally.to_json(), rejected, rows_in.lines(), notes=[*rows_in.notes, header.decode()])
    return keep_record(folder, task, record)


def _write(
    job: Job,
    part: PartWriter,
    rows: ShardRows,
    scored: Sequence[int],
    scoring: RowsJob,
    chunks: Sequence[Any],
    tally: CorpusTally,
    keeping: RowSelection,
) -> None:
    """Count the scores of some rows, and write the selected ones."""
    chunk = scoring.joined(chunks, scored, len(rows))
    if chunk is None:
        return
    if len(chunk) < len(rows):
        held = set(scored)
        rows = rows.where([i in held for i in range(len(rows))])
    added = scoring.columns(chunk)
    keep: Bools | None = keeping.kept(rows, added)
    scoring.count(tally, chunk, keep)
    if keep is not None and not keep.all():
        chosen = keep.tolist()
        rows = rows.where(chosen)
        added = {name: [v for v, yes in zip(column, chosen, strict=True) if yes] for name, column in added.items()}
    tally.kept += len(rows)
    keeping.draw(rows)
    if len(rows):
        part.write(rows, added)


@functools.cache
def _thread(name: str) -> ThreadPoolExecutor:
    """Return a thread for the lifetime of the process; memory that it frees is reused for the next shard."""
    return ThreadPoolExecutor(1, thread_name_prefix=f"assay-{name}")


@contextmanager
def read_ahead(items: Iterable[T], threaded: bool) -> Iterator[Iterator[T]]:
    """Iterate over items. With `threaded`, a thread produces the next item while the current one is processed."""
    if not threaded:
        yield iter(items)
        return
    source, end = iter(items), object()
    coming: Future[Any] = _thread("read").submit(next, source, end)

    def given() -> Iterator[T]:
        nonlocal coming
        while (item := coming.result()) is not end:
            coming = _thread("read").submit(next, source, end)
            yield item

    try:
        yield given()
    finally:
        wait([coming])


@contextmanager
def write_behind(threaded: bool) -> Iterator[Callable[..., None]]:
    """Provide a function that runs calls in order.

    With `threaded`, they run in a thread. The next call waits for the last one and raises its error.
    """
    last: Future[None] | None = None

    def later(call: Callable[..., None], *arguments: Any) -> None:
        nonlocal last
        if not threaded:
            call(*arguments)
            return
        if last is not None:
            last.result()
        last = _thread("write").submit(call, *arguments)

    try:
        yield later
        if last is not None:
            last.result()
    finally:
        if last is not None:
            wait([last])
