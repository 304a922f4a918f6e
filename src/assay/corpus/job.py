"""Data types for a corpus run. All are plain values, which are pickled for workers and stored as JSON.

A `Job` is common to all tasks of a run, a `ShardTask` is one unit of work, and a `ShardRecord` is its result apart from the bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from assay.core.batch import EmptyReference
from assay.core.chunk import Flagging
from assay.core.rows import FLAGS, SIDES, SPANS

Kind = Literal["survey", "score", "join", "shard"]
"""Kind of task: hash the rows of a part, score a part, join the parts of a shard, or process a whole shard."""
Duplicates = Literal["pair", "mt", "src"]
"""Texts that must be equal in duplicate rows."""
OnError = Literal["stop", "skip"]
Purpose = Literal["score", "label", "make", "pairs"]
"""Purpose of a run: score rows, label them with a rule, make challenge items, or score minimal pairs."""
MANIFEST, WORK, REJECTED, LOCK = "_manifest.json", "_work", "_rejected.jsonl", "_lock"
"""Files next to the shards in the output folder."""
LABEL_COLUMNS = ("label", "breakdown_probability", "language", "reason")
"""Columns that a rule adds to a row."""
BATCH, NETWORK_BATCH = 16_384, 8_192
"""Largest number of rows that a metric gets at a time. A neural metric gets fewer, because a GPU idles while the first rows of
a shard are read and the last are written."""


@dataclass(frozen=True, slots=True)
class Source:
    """Input file with its size and a stamp (modification time or object tag) that reveals changes."""

    path: str
    size: int
    stamp: str


@dataclass(frozen=True, slots=True)
class Shard:
    """Input shard: one table, or parallel text with one file per column (`columns`)."""

    name: str
    """Name in the output folder, with / between folders."""
    form: str
    """``jsonl``, ``tsv``, ``csv``, ``parquet``, or ``text``."""
    files: tuple[Source, ...]
    columns: tuple[str, ...] = ()
    """Columns of parallel text: ``mt``, ``src``, ``ref``, ``ref2`` …"""

    @property
    def title(self) -> str:
        """Name in messages: the table file or the translation file."""
        return self.files[0].path

    @property
    def handle(self) -> str:
        """Short name for its work files."""
        return hashlib.blake2b(self.name.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()

    def mark(self) -> list[Any]:
        """Values that change if the shard changes."""
        return [self.name, self.form, [[file.path, file.size, file.stamp] for file in self.files]]


@dataclass(frozen=True, slots=True)
class ShardPart:
    """Part of a shard: the lines that begin between `starts` and `stops` (bytes, one pair per file), or these rows of Parquet.

    Without `stops`, it is the whole shard.
    """

    number: int = 0
    starts: tuple[int, ...] = ()
    stops: tuple[int, ...] = ()
    quoting: str = ""
    """Reading of quotation marks in the whole file, if it was detected before splitting."""


@dataclass(frozen=True, slots=True)
class Job:
    """Settings common to all tasks of a run. Jobs with the same `key` give the same bytes for the same shard."""

    out: str
    metrics: tuple[str, ...]
    signatures: Mapping[str, str]
    """Signatures of the driver by metric; a worker with another signature is refused."""
    version: str
    layout: tuple[tuple[str, str], ...] = ()
    """Columns by role, as in the first shard; all other shards must agree."""
    names: tuple[str, ...] = ()
    """Columns of the first shard that has a header."""
    choice: Mapping[str, Any] = field(default_factory=dict)
    """Columns chosen by the user (``--columns``)."""
    quoting: str = "auto"
    langpair: str | None = None
    empty_reference: EmptyReference | None = None
    flags: Flagging = "auto"
    identify: bool = False
    """Whether languages are identified. The driver decides, so that it does not depend on what a worker has installed."""
    spans: bool = False
    keep: str = ""
    dedup: Duplicates | None = None
    sample: int | None = None
    sample_by: str | None = None
    seed: int = 12345
    batch: int = BATCH
    threads: int = 1
    """Threads per worker. Only the last digits of neural scores depend on it."""
    whole: str = ""
    """Digest of all shards, if the result of one depends on the others (duplicates, a sample)."""
    purpose: Purpose = "score"
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Further settings of the purpose as plain values, such as a rule or perturbations."""

    def key(self) -> str:
        """Return a digest of everything other than the shard that its output bytes depend on."""
        return digest([self.run_key(), self.whole])

    def run_key(self) -> str:
        """Return a digest of the settings that must be the same for two runs into one folder.

        `names` are not part of it, because the first shard may be new, or may have been damaged before; they are checked per
        shard.
        """
        settings = asdict(self)
        later = ("purpose", "settings") if self.purpose == "score" else ()  # older output folders do not have these
        for name in ("out", "threads", "version", "whole", *later):
            del settings[name]
        settings["names"] = ()
        return digest(settings)

    def asked(self) -> dict[str, Any]:
        """Return the settings for the manifest."""
        names = ("quoting", "langpair", "flags", "spans", "keep", "dedup", "sample", "sample_by", "seed", "batch")
        values = {
            "columns": dict(self.choice),
            **{name: getattr(self, name) for name in names},
            "keep": self.keep or None,
        }
        if self.empty_reference:
            values["empty_reference"] = self.empty_reference
        if self.purpose != "score":
            values |= {"purpose": self.purpose, "settings": dict(self.settings)}
        return values

    @property
    def added(self) -> tuple[str, ...]:
        """The added columns."""
        if self.purpose == "make":
            return ()
        if self.purpose == "pairs":
            return (*self.scores, *((SPANS,) if self.spans else ()))
        own = self.settings.get("own", ())
        labels = [name for name in LABEL_COLUMNS if name not in own] if self.purpose == "label" else []
        flags = () if self.flags == "none" else (FLAGS,)
        return (*labels, *self.scores, *flags, *((SPANS,) if self.spans else ()))

    @property
    def scores(self) -> tuple[str, ...]:
        """The added columns that hold scores."""
        if self.purpose == "pairs":
            return tuple(f"{name} {side}" for name in self.metrics for side in SIDES)
        return self.metrics


@dataclass(frozen=True, slots=True)
class ShardTask:
    """Unit of work for `assay.corpus.execution.work`; it may run anywhere and any number of times."""

    kind: Kind
    shard: Shard
    part: ShardPart = ShardPart()
    parts: int = 1
    logged: bool = False
    """Whether the worker logs the next rows before each batch, because a worker crashed over this task."""
    suspect: tuple[int, int] | None = None
    """Range of rows of the part that contains a crashing row; it is scored in halves."""
    crashing: tuple[int, ...] = ()
    """Rows of the part that crashed workers alone; they are rejected without scoring."""

    @property
    def name(self) -> str:
        """Name for its work files."""
        return f"{self.shard.handle}-{self.part.number:05}"


@dataclass(frozen=True, slots=True)
class Rejected:
    """Row that no metric can score, with the reason."""

    line: int
    noun: str
    reason: str
    row: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ShardRecord:
    """Result of a finished task: small, and sufficient for computing all corpus scores."""

    key: str
    """Digest of the job, the shard and the part."""
    tally: Mapping[str, Any] = field(default_factory=dict)
    """Rows, sums, flags and histograms: `assay.corpus.tally.CorpusTally` as plain values."""
    rejected: Sequence[Rejected] = ()
    lines: int = 0
    """Number of lines of the part; line numbers of later parts depend on it."""
    bytes: int = 0
    hash: str = ""
    """`bytes` and `hash` are the size and BLAKE2b-128 of the output shard; a part has only a size."""
    notes: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain values."""
        return asdict(self)

    def without_rows(self) -> ShardRecord:
        """Return the record without the content of its rejected rows."""
        return replace(self, rejected=[replace(row, row={}) for row in self.rejected])

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ShardRecord:
        """Build a record from the values of `to_json`."""
        return cls(**{**values, "rejected": [Rejected(**row) for row in values.get("rejected", ())]})


@dataclass(frozen=True, slots=True)
class Fault:
    """Reason why a task failed.

    ``input``: the shard cannot be processed. ``output``: the results cannot be written. ``refused``: the worker cannot take
    part in the run. ``died``: the worker's process ended. ``broke``: an internal error.
    """

    kind: Literal["input", "output", "refused", "died", "broke"]
    said: str


@dataclass(frozen=True, slots=True)
class ShardOutcome:
    """Finished or failed task, with its record or its fault."""

    task: ShardTask
    record: ShardRecord | None = None
    fault: Fault | None = None


def digest(value: Any) -> str:
    """Return a short hash of plain values."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=list)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def task_key(job: Job, task: ShardTask) -> str:
    """Return the key for a task: a digest of everything that its bytes depend on."""
    return digest([job.key(), task.shard.mark(), asdict(task.part)])
