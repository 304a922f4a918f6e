"""Metrics, names and records that the tasks of a worker share."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay._version import __version__
from assay.core.errors import AssayError
from assay.corpus.job import WORK, Job, ShardRecord, ShardTask, digest
from assay.io.files.folders import Folder
from assay.metrics import build_metrics

if TYPE_CHECKING:
    from assay.core.metric import Metric


class WorkerRefused(AssayError):
    """This worker cannot take part in the run: its metrics differ from the driver's, or do not support the request for any
    shard."""


@functools.lru_cache(maxsize=1)
def _built(specs: tuple[str, ...]) -> Mapping[str, Metric]:
    return build_metrics(specs)


def check_version(job: Job) -> None:
    """Refuse to work for a driver with a different version."""
    if job.version != __version__:
        raise WorkerRefused(
            f"a worker runs assay {__version__}, but the driver runs {job.version}. Install the same version on every machine."
        )


def metrics_of(job: Job) -> Mapping[str, Metric]:
    """Return the metrics of the job, loaded once per process; raise an error if their signatures differ from the driver's."""
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
                f"a worker computes {name} differently from the driver: its signature is {signature}, "
                f"the driver's is {job.signatures[name]}. "
                "Install the same version of assay and the same weights on every machine."
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
    """Read the record of the same task from an earlier run; None if it does not exist or belongs to different work."""
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


def shard_key(job: Job, task: ShardTask) -> str:
    """Return the key for a whole shard: a digest of everything that its bytes depend on."""
    return digest([job.key(), task.shard.mark()])
