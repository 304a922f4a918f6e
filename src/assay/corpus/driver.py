"""Driver of a corpus run: submits tasks to an engine, collects their records and writes the manifest.

Workers and the driver may crash at any time. A worker stores each finished part and its record in the work folder. A crashed
worker's task is repeated, and a restarted driver reads the records. The result does not depend on the order in which tasks
finish.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.core.errors import AssayError, InputError, Interrupted, OutputError, count, listing
from assay.corpus.crashes import Crashes
from assay.corpus.engines import Engine
from assay.corpus.job import (
    LOCK,
    REJECTED,
    WORK,
    Job,
    OnError,
    Shard,
    ShardOutcome,
    ShardPart,
    ShardRecord,
    ShardTask,
    digest,
    task_key,
)
from assay.corpus.manifest import CorpusManifest
from assay.corpus.records import part_name, read_record, record_name, shard_key
from assay.io.files.folders import Folder, is_intact, open_folder, owner

if TYPE_CHECKING:
    from assay.core.metric import Metric

TICK = 0.5
"""Longest wait for an outcome, in seconds, before the progress is updated."""


@dataclass
class CorpusProgress:
    """State of a run, for progress displays."""

    shards: int = 0
    done: int = 0
    rows: int = 0
    """Rows scored in this run."""
    bytes: int = 0
    """Bytes of input that are finished in this run, of `all_bytes` in total."""
    all_bytes: int = 0
    failed: int = 0
    crashes: int = 0
    phase: str = ""


ProgressCallback = Callable[[CorpusProgress], None]


class Stopped(AssayError):
    """A shard failed in a run that stops at the first failure."""


@dataclass
class Driver:
    """One run over a corpus."""

    job: Job
    shards: Mapping[str, tuple[Shard, list[ShardPart]]]
    """Shards and their parts by name, in order."""
    metrics: Mapping[str, Metric]
    engine: Engine
    on_error: OnError = "stop"
    watch: ProgressCallback = lambda seen: None
    failed: dict[str, str] = field(default_factory=dict)
    seen: CorpusProgress = field(default_factory=CorpusProgress)
    reused: int = 0
    manifest: CorpusManifest = field(init=False)
    """Available after `run`."""
    _records: dict[str, ShardRecord] = field(default_factory=dict)
    """Records of finished shards by name."""
    _crashes: Crashes = field(default_factory=Crashes)
    _left: frozenset[str] = frozenset()
    """Names of the work files of an earlier run."""

    def run(self) -> None:
        """Process the missing shards and write the manifest."""
        folder = open_folder(self.job.out)
        with folder.locked(LOCK, json.dumps(owner())):
            rejected = self._settle(folder)
            self.seen.shards = len(self.shards)
            self.seen.done = self.reused = len(self._records)
            try:
                if len(self._records) < len(self.shards):
                    self._work(folder)
            except KeyboardInterrupt:
                raise Interrupted(
                    f"stopped at {self.seen.done:,} of {count(len(self.shards), 'shard')}. Run the same command again to "
                    "resume."
                ) from None
            finally:
                self.engine.close()
            self._finish(folder, rejected)

    # Earlier results

    def _settle(self, folder: Folder) -> list[bytes]:
        """Reject a folder with unrelated files, and read finished results; return the rejected rows of shards that remain
        valid."""
        there = {name: size for name, size in folder.sizes().items() if not name.startswith("_")}
        before, under_way = CorpusManifest.read(folder), folder.read(f"{WORK}/job.json")
        key = self.job.run_key()
        earlier_key = before.key if before is not None else (under_way or b"").decode()
        if there and earlier_key != key:
            what = "of another run (other metrics, options or columns)" if earlier_key else "that assay did not write"
            raise InputError(
                f"{folder.path} has files {what}: {listing(sorted(there), 3)}. Choose a different --out, or remove them."
            )
        if strange := sorted(there.keys() - self.shards.keys()):
            raise InputError(
                f"{folder.path} contains shards of another run that match no input of this one: {listing(strange, 3)}. "
                "Choose a different --out, or remove them."
            )
        if (under_way or b"").decode() != key:
            folder.remove(WORK)
            folder.write(f"{WORK}/job.json", key.encode())
        self._left = frozenset(folder.sizes(WORK))
        if before is not None and before.key == key:
            before.check(self.metrics, folder.path)
        entries = before.shards if before is not None else {}
        for name, (shard, parts) in self.shards.items():
            task = ShardTask("shard", shard, parts=len(parts))
            wanted = shard_key(self.job, task)
            record = entries[name].record if name in entries else None
            if record is None or record.key != wanted:
                record = self._earlier(folder, task, wanted)
            if record is not None and there.get(name) == record.bytes and is_intact(folder, name, record.hash):
                self._records[name] = record
        if self.job.sample is not None and len(self._records) < len(self.shards):
            self._records.clear()  # a sample depends on all shards, so all are written again
        lines = (folder.read(REJECTED) or b"").splitlines()
        return [line for line in lines if _shard_name(line) in self._records and not self._has_rows(_shard_name(line))]

    def _earlier(self, folder: Folder, task: ShardTask, key: str) -> ShardRecord | None:
        """Return the record of the same task from an earlier run, if any. Missing files are not requested from an object
        store."""
        return read_record(folder, task, key) if record_name(task) in self._left else None

    def _has_rows(self, name: str) -> bool:
        return any(row.row for row in self._records[name].rejected)

    # Phases

    def _work(self, folder: Folder) -> None:
        todo = {name: parts_of_shard for name, parts_of_shard in self.shards.items() if name not in self._records}
        job = self.job
        if job.dedup is not None:
            from assay.corpus.duplicates import find

            tasks = [task for shard, parts in self.shards.values() for task in _tasks_of("survey", shard, parts)]
            self._phase(folder, tasks, "looking for duplicates")
            find([task for task in tasks if task.shard.name not in self.failed], folder)
        todo = {name: parts_of_shard for name, parts_of_shard in todo.items() if name not in self.failed}
        whole = job.sample is None
        tasks = [
            task
            for shard, parts in todo.values()
            for task in _tasks_of("shard" if whole and len(parts) == 1 else "score", shard, parts)
        ]
        self._phase(folder, tasks, "making" if job.purpose == "make" else "scoring")
        if not whole:
            from assay.corpus.row_selection import choose

            joins = [
                ShardTask("join", shard, parts=len(parts))
                for name, (shard, parts) in todo.items()
                if name not in self.failed
            ]
            choose(job, [(task, task.parts) for task in joins], folder)
            self._phase(folder, joins, "writing")

    def _phase(self, folder: Folder, tasks: Iterable[ShardTask], name: str) -> None:
        """Run tasks; those finished in an earlier run are skipped."""
        waiting, under_way = deque[ShardTask](), 0
        self.seen.phase, self.seen.bytes, self.seen.all_bytes = name, 0, 0
        left = {shard.name: len(parts) for shard, parts in self.shards.values()}
        for task in tasks:
            record = None
            if task.kind in ("survey", "score"):
                record = self._earlier(folder, task, task_key(self.job, task))
            if task.kind == "score" and part_name(task) not in self._left:
                record = None  # the part was joined into its shard and removed
            if record is not None:
                self._part_done(task, left, waiting)
            else:
                waiting.append(task)
        self.seen.all_bytes = sum(map(_bytes, waiting))
        self.engine.start(self.job)
        while waiting or under_way:
            while waiting and under_way < self.engine.slots:
                task = waiting.popleft()
                if task.shard.name not in self.failed:
                    self.engine.submit(task)
                    under_way += 1
            for outcome in self.engine.wait(TICK) if under_way else ():
                under_way -= 1
                self._receive(folder, outcome, left, waiting)
            self.watch(self.seen)

    def _part_done(self, task: ShardTask, left: dict[str, int], waiting: deque[ShardTask]) -> None:
        """Count a finished part; after the last part of a shard, submit the task that joins them."""
        left[task.shard.name] -= 1
        if task.kind == "score" and left[task.shard.name] == 0 and self.job.sample is None:
            waiting.appendleft(ShardTask("join", task.shard, parts=task.parts))

    def _receive(self, folder: Folder, outcome: ShardOutcome, left: dict[str, int], waiting: deque[ShardTask]) -> None:
        task, record, fault = outcome.task, outcome.record, outcome.fault
        name = task.shard.name
        if record is not None:
            self.seen.bytes += _bytes(task)
            if task.kind in ("score", "shard"):
                self.seen.rows += int(record.tally["rows"])
            if task.kind in ("shard", "join"):
                self._records[name] = record
                self.seen.done += 1
            else:
                self._part_done(task, left, waiting)
            return
        if fault is None:
            raise AssertionError("an outcome has a record or a fault")
        if fault.kind == "died":
            self.seen.crashes += 1
            again = self._crashes.retry(task, folder)
            if again is not None:
                waiting.appendleft(again)
                return
        kept = (
            f" {self.seen.done:,} of {count(len(self.shards), 'shard')} are finished. The same command resumes the run."
        )
        if fault.kind == "output":
            raise OutputError(fault.said + kept)
        if fault.kind == "refused":
            raise InputError(fault.said)
        message = fault.said if task.shard.title in fault.said else f"{task.shard.title}: {fault.said}"
        if fault.kind == "died":
            message = f"{task.shard.title} cannot be scored: {fault.said} repeatedly."
        if self.on_error == "stop":
            if fault.kind == "broke":
                raise RuntimeError(message)
            raise Stopped(f"{message.rstrip()}{kept} (Use --on-error skip to skip such shards.)")
        if name not in self.failed:
            self.failed[name] = message
            self.seen.failed += 1

    # Completion

    def _finish(self, folder: Folder, rejected: list[bytes]) -> None:
        shards = {
            name: (shard, self._records[name]) for name, (shard, _) in self.shards.items() if name in self._records
        }
        lines = list(rejected)
        for name, (_, record) in shards.items():
            for row in record.rejected:
                if row.row:
                    values = {"shard": name, row.noun: row.line, "reason": row.reason, "row": row.row}
                    lines.append(
                        json.dumps(values, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")
                    )
        self.failed = {name: self.failed[name] for name in self.shards if name in self.failed}
        order = {name: at for at, name in enumerate(shards)}
        lines.sort(key=lambda line: order.get(_shard_name(line), 0))
        if lines:
            folder.write(REJECTED, b"\n".join(lines) + b"\n")
        else:
            folder.remove(REJECTED)
        for name in self.failed:  # the output of an earlier version of the shard
            folder.remove(name)
        self.manifest = CorpusManifest.of(self.job, self.metrics, shards, self.failed)
        self.manifest.write(folder)
        folder.remove(WORK)


def _tasks_of(kind: Any, shard: Shard, parts: list[ShardPart]) -> list[ShardTask]:
    return [ShardTask(kind, shard, part, len(parts)) for part in parts]


def _bytes(task: ShardTask) -> int:
    if task.kind == "join":
        return 0
    return sum(file.size for file in task.shard.files) // task.parts


def _shard_name(line: bytes) -> str:
    try:
        return str(json.loads(line)["shard"])
    except (ValueError, KeyError, TypeError):
        return ""


def digest_of_shards(shards: Iterable[Shard]) -> str:
    """Return a digest of all shards."""
    return digest([shard.mark() for shard in shards])
