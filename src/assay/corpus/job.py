"""The nouns of a corpus run, all of them plain values: they are pickled to workers and kept as JSON.

A `Job` is what is the same for all work of a run, a `ShardTask` one piece of work, a `ShardRecord` what is left of it beside its
bytes.
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
"""What is to be done: hash the rows of a piece; score a piece into a part; join the parts of a shard; or a whole shard at once."""
Duplicates = Literal["pair", "mt", "src"]
"""Which texts make two rows the same."""
OnError = Literal["stop", "skip"]
Purpose = Literal["score", "label", "make", "pairs"]
"""What a run is for: score rows; label them by a rule; make items of them; score minimal pairs."""
MANIFEST, WORK, REJECTED, LOCK = "_manifest.json", "_work", "_rejected.jsonl", "_lock"
"""What lies beside the shards in the folder of results."""
LABEL_COLUMNS = ("label", "breakdown_probability", "language", "reason")
"""What a rule says of a row."""
BATCH, NETWORK_BATCH = 16_384, 8_192
"""Rows that a metric gets at a time, at most. A network gets fewer, since a GPU waits while a shard's first rows are read and its
last are written."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was found: where, how large, and the stamp (time, or an object's tag) by which a change is seen."""

    path: str
    size: int
    stamp: str


@dataclass(frozen=True, slots=True)
class Shard:
    """One input shard. A table is one file; parallel text is one file a column (`columns`)."""

    name: str
    """Its name in the folder of results, with / between folders."""
    form: str
    """``jsonl``, ``tsv``, ``csv``, ``parquet``, or ``text``."""
    files: tuple[Source, ...]
    columns: tuple[str, ...] = ()
    """What the files of parallel text hold: ``mt``, ``src``, ``ref``, ``ref2`` …"""

    @property
    def title(self) -> str:
        """What messages call it: the file of its table, or of its translations."""
        return self.files[0].path

    @property
    def handle(self) -> str:
        """A short name for its files of work, whatever its own is."""
        return hashlib.blake2b(self.name.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()

    def mark(self) -> list[Any]:
        """By which a changed shard is told from an unchanged one."""
        return [self.name, self.form, [[file.path, file.size, file.stamp] for file in self.files]]


@dataclass(frozen=True, slots=True)
class ShardPart:
    """A part of a shard: the lines that begin from `starts` up to `stops` (bytes, one of each for a file), or those rows of
    Parquet. Without `stops` it is the whole shard."""

    number: int = 0
    starts: tuple[int, ...] = ()
    stops: tuple[int, ...] = ()
    quoting: str = ""
    """What was found out about quotation marks in the whole file, where it is cut."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is the same for every task of a run. Two jobs with the same `key` give the same bytes for the same shard."""

    out: str
    metrics: tuple[str, ...]
    signatures: Mapping[str, str]
    """By metric, as the driver has them: a worker that has another is refused."""
    version: str
    layout: tuple[tuple[str, str], ...] = ()
    """Which column plays which role, as in the first shard; every other shard must agree."""
    names: tuple[str, ...] = ()
    """The columns of the first shard that has a header."""
    choice: Mapping[str, Any] = field(default_factory=dict)
    """The columns that the user chose (``--columns``)."""
    quoting: str = "auto"
    langpair: str | None = None
    empty_reference: EmptyReference | None = None
    flags: Flagging = "auto"
    identify: bool = False
    """Whether languages are identified: decided once, not by what a worker has installed."""
    spans: bool = False
    keep: str = ""
    dedup: Duplicates | None = None
    sample: int | None = None
    sample_by: str | None = None
    seed: int = 12345
    batch: int = BATCH
    threads: int = 1
    """Threads that a worker may use. No result depends on it but the last digits of a network's."""
    whole: str = ""
    """A mark of all shards together, where the result of one depends on the others (duplicates, a sample)."""
    purpose: Purpose = "score"
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What the purpose needs beside the above, as plain values: a rule, perturbations …"""

    def key(self) -> str:
        """A digest of all that the bytes of a shard depend on beside the shard."""
        return digest([self.run_key(), self.whole])

    def run_key(self) -> str:
        """A digest of what was asked: two runs into one folder must agree in it. `names` are looked at shard by shard: the first
        shard may be a new one, or one that was damaged before."""
        told = asdict(self)
        later = ("purpose", "settings") if self.purpose == "score" else ()  # folders of scores are older than these
        for name in ("out", "threads", "version", "whole", *later):
            del told[name]
        told["names"] = ()
        return digest(told)

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
        """The columns that a run adds."""
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
        """Those of them that hold scores."""
        if self.purpose == "pairs":
            return tuple(f"{name} {side}" for name in self.metrics for side in SIDES)
        return self.metrics


@dataclass(frozen=True, slots=True)
class ShardTask:
    """One piece of work, for `assay.corpus.execution.work`: it may run anywhere and any number of times."""

    kind: Kind
    shard: Shard
    part: ShardPart = ShardPart()
    parts: int = 1
    logged: bool = False
    """A worker died over it: say before each batch which rows are next, so that the next death tells whose fault it is."""
    suspect: tuple[int, int] | None = None
    """Rows of the piece among which one kills: they are scored in halves."""
    crashing: tuple[int, ...] = ()
    """Rows of the piece that killed a worker when they were scored alone: they are not scored again, but rejected."""

    @property
    def name(self) -> str:
        """The name of its files in the folder of work."""
        return f"{self.shard.handle}-{self.part.number:05}"


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that no metric could take, kept with the reason."""

    line: int
    noun: str
    reason: str
    row: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ShardRecord:
    """What is known of a task that was done: small, and enough to put all corpus scores together."""

    key: str
    """What it was made from: the job, the shard and its piece."""
    tally: Mapping[str, Any] = field(default_factory=dict)
    """Rows, sums, flags and histograms: `assay.corpus.tally.CorpusTally` as plain values."""
    rejected: Sequence[Rejected] = ()
    lines: int = 0
    """Lines of the piece, by which later pieces number theirs."""
    bytes: int = 0
    hash: str = ""
    """Size and BLAKE2b-128 of the output shard; of a part only the size."""
    notes: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    def without_rows(self) -> ShardRecord:
        """Return the record without the content of its rejected rows."""
        return replace(self, rejected=[replace(row, row={}) for row in self.rejected])

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ShardRecord:
        """From what `to_json` gave."""
        return cls(**{**values, "rejected": [Rejected(**row) for row in values.get("rejected", ())]})


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a task was not done. ``input``: the shard is at fault; ``output``: nothing can be written; ``refused``: this worker may
    not work for this run; ``died``: its process ended; ``broke``: a fault of ours."""

    kind: Literal["input", "output", "refused", "died", "broke"]
    said: str


@dataclass(frozen=True, slots=True)
class ShardOutcome:
    """A task that came back: with its record, or with the fault."""

    task: ShardTask
    record: ShardRecord | None = None
    fault: Fault | None = None


def digest(value: Any) -> str:
    """A short hash of plain values."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=list)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def task_key(job: Job, task: ShardTask) -> str:
    """What the bytes of a task follow from."""
    return digest([job.key(), task.shard.mark(), asdict(task.part)])
