"""Execution of tasks by a worker: each task produces output bytes and a small record.

A task depends only on its arguments and may run twice: the same task gives the same bytes, and each file is written atomically.
Loaded metrics stay in memory for the next task of the process.
"""

from __future__ import annotations

import json

from assay.core.errors import AssayError, OutputError
from assay.corpus.job import Fault, Job, Rejected, ShardOutcome, ShardPart, ShardRecord, ShardTask
from assay.corpus.records import WorkerRefused, keep_record, part_name, record_name, shard_key
from assay.corpus.tally import CorpusTally, merge_all
from assay.io.files.folders import Folder, open_folder


def attempt(job: Job, task: ShardTask) -> ShardOutcome:
    """Run `work` and turn any error into a fault, which an engine returns to the driver."""
    try:
        return ShardOutcome(task, record=work(job, task))
    except WorkerRefused as error:
        return ShardOutcome(task, fault=Fault("refused", str(error)))
    except OutputError as error:
        return ShardOutcome(task, fault=Fault("output", str(error)))
    except AssayError as error:
        return ShardOutcome(task, fault=Fault("input", str(error)))
    except MemoryError:
        return ShardOutcome(task, fault=Fault("input", f"{task.shard.title}: it exceeds the available memory."))
    except Exception as error:
        import traceback

        last = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__}: {error} ({last.filename.rpartition('/')[2]} line {last.lineno})"
        return ShardOutcome(task, fault=Fault("broke", message))


def work(job: Job, task: ShardTask) -> ShardRecord:
    """Execute a task."""
    folder = open_folder(job.out)
    if task.kind == "survey":
        from assay.corpus.duplicates import survey

        return survey(job, task, folder)
    if task.kind == "join":
        return join_shard(job, task, folder)
    if job.purpose == "make":
        from assay.corpus.challenge_items import make_shard

        return make_shard(job, task, folder)
    from assay.corpus.part_scoring import score_part

    return score_part(job, task, folder)


def join_shard(job: Job, task: ShardTask, folder: Folder) -> ShardRecord:
    """Join the parts of a shard into the output shard, and their records into one."""
    from assay.corpus.row_selection import chosen
    from assay.corpus.shard_writer import join

    records = [_part_record(folder, task, number) for number in range(task.parts)]
    parts = [part_name(task, number) for number in range(task.parts)]
    header = records[0].notes[-1].encode("utf-8", "backslashreplace")
    taken = chosen(job, task, folder)
    size, hashed = join(job, task.shard, folder, parts, header, taken)
    tally = merge_all(CorpusTally.of(record.tally) for record in records)
    if taken is not None:
        tally.kept = sum(map(len, taken))
    rejected, before = list[Rejected](), 0
    for number, record in enumerate(records):
        offset = before - (1 if number and task.shard.form == "tsv" else 0)
        rejected += [
            Rejected(row.line + (offset if row.noun == "line" else 0), row.noun, row.reason, row.row)
            for row in record.rejected
        ]
        before += record.lines
    notes = list(dict.fromkeys(note for record in records for note in record.notes[:-1]))
    whole = ShardRecord(shard_key(job, task), tally.to_json(), rejected, before, size, hashed, notes)
    keep_record(folder, task, whole)
    for name in (*parts, *(f"{part}.rows" for part in parts if job.sample is not None)):
        folder.remove(name)
    return whole


def _part_record(folder: Folder, task: ShardTask, number: int) -> ShardRecord:
    from dataclasses import replace

    part = replace(task, kind="score", part=ShardPart(number))
    values = folder.read(record_name(part))
    if values is None:
        raise OutputError(f"{record_name(part)} is missing from {folder.path}. Run the same command again.")
    return ShardRecord.of(json.loads(values))
