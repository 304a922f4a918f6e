"""Execution of tasks by a worker: a task in, output bytes and a small record out.

A task depends on its arguments only and may run twice: the same task gives the same bytes, and each file is written atomically.
Loaded metrics stay in memory for the next task of the process.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from assay._version import __version__
from assay.core.errors import AssayError, InputError, OutputError
from assay.corpus.job import WORK, Fault, Job, Rejected, ShardOutcome, ShardPart, ShardRecord, ShardTask, digest
from assay.corpus.tally import CorpusTally, merge_all
from assay.io.files.folders import Folder, is_remote, open_folder
from assay.metrics import build_metrics

if TYPE_CHECKING:
    from assay.core.metric import Metric


class WorkerRefused(AssayError):
    """This worker cannot take part in the run: its metrics differ from the driver's, or cannot do what is requested for any
    shard."""


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


@functools.lru_cache(maxsize=1)
def _built(specs: tuple[str, ...]) -> Mapping[str, Metric]:
    return build_metrics(specs)


def check_version(job: Job) -> None:
    """Refuse to work for a driver of another version."""
    if job.version != __version__:
        raise WorkerRefused(
            f"a worker has assay {__version__}, the driver {job.version}. Install the same version everywhere."
        )


def metrics_of(job: Job) -> Mapping[str, Metric]:
    """Return the metrics of the job, loaded once per process; refuse if their signatures differ from the driver's."""
    metrics = _built(job.metrics)
    if job.purpose == "label":  # a rule's metrics do not depend on the target language
        metrics = {name: metric.for_language("") for name, metric in metrics.items()}
    languages = job.settings.get("target_languages", {})  # detected from the script of the first rows
    metrics = {
        name: metric.for_language(languages[name]) if name in languages else metric for name, metric in metrics.items()
    }
    for name, metric in metrics.items():
        signature = str(metric.signature)
        if signature != job.signatures[name]:
            raise WorkerRefused(
                f"a worker computes {name} differently from the driver: it has {signature}, the driver {job.signatures[name]}. "
                "Install the same version of assay and of the weights everywhere."
            )
    check_version(job)
    return metrics


def part_name(task: ShardTask, number: int | None = None) -> str:
    """Return the name of a part in the work folder."""
    return f"{WORK}/{task.shard.handle}-{task.part.number if number is None else number:05}.part"


def record_name(task: ShardTask) -> str:
    """Return the name of a task's record in the work folder."""
    return f"{WORK}/{task.name}.{'shard' if task.kind in ('shard', 'join') else task.kind}.json"


def crash_log_name(task: ShardTask) -> str:
    """Return the name of a task's crash log in the work folder."""
    return f"{WORK}/{task.name}.crash_log"


def read_record(folder: Folder, task: ShardTask, key: str) -> ShardRecord | None:
    """Read the record of the same task from an earlier run; None if it does not exist, or is of other work."""
    values = folder.read(record_name(task))
    try:
        record = ShardRecord.of(json.loads(values or b""))
    except (ValueError, TypeError, KeyError):
        return None
    return record if record.key == key else None


def keep_record(folder: Folder, task: ShardTask, record: ShardRecord) -> ShardRecord:
    """Write the record of a finished task, and return it."""
    folder.write(record_name(task), json.dumps(record.to_json()).encode())
    return record


@contextmanager
def local_files(task: ShardTask) -> Iterator[list[str]]:
    """Provide the shard's files on this machine; errors name them as the user does."""
    with ExitStack() as held:
        paths = []
        for source in task.shard.files:
            if is_remote(source.path):
                from assay.io.files.remote import local_copy

                paths.append(held.enter_context(local_copy(source.path)))
            else:
                paths.append(source.path)
        try:
            yield paths
        except InputError as error:
            from assay.corpus.shard_reader import with_user_paths

            message = with_user_paths(str(error), task.shard, paths)
            raise InputError(_renumbered(message, task, paths[0])) from error


def _renumbered(said: str, task: ShardTask, path: str) -> str:
    """Replace the line number in a message about a part by the number in the whole file."""
    if task.part.number == 0 or task.shard.form == "parquet":
        return said
    from assay.corpus.shard_reader import lines_before

    before = lines_before(path, task.part.starts[0]) - (task.shard.form == "tsv")  # the header is read before each part
    return re.sub(r"(?<= line )[0-9]+", lambda found: str(int(found[0]) + before), said, count=1)


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


def shard_key(job: Job, task: ShardTask) -> str:
    """Return the key of a whole shard: a digest of everything that its bytes depend on."""
    return digest([job.key(), task.shard.mark()])


def _part_record(folder: Folder, task: ShardTask, number: int) -> ShardRecord:
    from dataclasses import replace

    part = replace(task, kind="score", part=ShardPart(number))
    values = folder.read(record_name(part))
    if values is None:
        raise OutputError(f"{record_name(part)} is missing from {folder.path}. Run the same command again.")
    return ShardRecord.of(json.loads(values))
