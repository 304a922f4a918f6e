"""What verbs over a corpus in many files share: its shards, the workers, and what is told when they are through."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from assay.core.errors import InputError, count, listing
from assay.verbs.result import Result

if TYPE_CHECKING:
    from assay.core.metric import Metric
    from assay.corpus.driver import Driver, Watch
    from assay.corpus.driver import Seen as Seen
    from assay.corpus.job import Job, OnError, Shard
    from assay.corpus.plan import Paths


@dataclass(repr=False)
class CorpusResult(Result):
    """Corpus scores of many shards, and the manifest that lies beside them."""

    out: str = ""
    told: dict[str, Any] = field(default_factory=dict)
    """The manifest: `docs/corpora.md` says what is in it."""
    reused: int = 0
    """Shards that an earlier run had done."""

    verb: ClassVar[str] = "score"
    headline: ClassVar[str] = "corpus"

    @property
    def systems(self) -> dict[str, dict[str, float]]:
        """Corpus scores by system and metric."""
        return dict(self.told["scores"])

    @property
    def system(self) -> dict[str, float]:
        """Corpus scores by metric, where the rows are of one system."""
        if len(self.systems) != 1:
            raise InputError(f"there are {len(self.systems)} systems: take result.systems.")
        return next(iter(self.systems.values()))

    @property
    def counts(self) -> dict[str, int]:
        """Shards, rows, and how many of them were kept, rejected or came twice."""
        return dict(self.told["counts"])

    @property
    def failed(self) -> dict[str, str]:
        """Shards that were left out, with the reason."""
        return dict(self.told["failed"])

    def head(self) -> Mapping[str, Any]:
        """All of the manifest but the records of the shards."""
        return {name: value for name, value in self.told.items() if name != "shards"}

    def sizes(self) -> Mapping[str, int]:
        """See `counts`."""
        return self.counts


@dataclass(frozen=True, slots=True)
class CorpusWorkers:
    """Where workers are and how many, what to do about a shard that cannot be read, and who watches."""

    engine: str = "local"
    workers: int | None = None
    address: str | None = None
    gpus_per_worker: float | None = None
    on_error: OnError = "stop"
    progress: Watch | None = None

    def __post_init__(self) -> None:
        if self.on_error not in ("stop", "skip"):
            raise InputError(f"--on-error is stop or skip, not {self.on_error!r}.")

    def carry_out(
        self, job: Job, shards: Sequence[Shard], metrics: Mapping[str, Metric], *, cut: bool = True
    ) -> tuple[dict[str, Any], Driver]:
        """Have it done; the manifest, and the driver that knows how it went. `cut`: large shards are cut into pieces."""
        from assay.corpus.cutting import pieces
        from assay.corpus.driver import Driver
        from assay.corpus.engines import engine
        from assay.corpus.job import ShardPiece

        known = {shard.name: (shard, pieces(shard, job.quoting) if cut else [ShardPiece()]) for shard in shards}
        neural = any(metric.card.neural for metric in metrics.values())
        made = engine(
            self.engine,
            workers=self.workers,
            neural=neural,
            address=self.address,
            gpus_per_worker=self.gpus_per_worker,
        )
        with closing(made) as there:
            job = replace(job, threads=there.threads)
            driver = Driver(job, known, metrics, there, self.on_error, self.progress or (lambda seen: None))
            told = driver.run()
        if driver.failed and not told["shards"]:
            several = "the only shard" if len(shards) == 1 else f"each of {len(shards):,} shards"
            raise InputError(f"{several} failed, and nothing was done. {next(iter(driver.failed.values()))}")
        return told, driver


def corpus_shards(
    out: str | os.PathLike[str],
    data: Paths = (),
    mt: Paths = (),
    ref: Sequence[Paths] = (),
    src: Paths | None = None,
) -> tuple[list[Shard], list[str]]:
    """The shards of tables or of parallel text, and what was left out, in sentences; an `out` among them is refused."""
    from assay.corpus import plan

    notes: list[str] = []
    if mt:
        if data:
            raise InputError("give tables (a folder or a pattern), or parallel text (--mt, --src, --ref), not both.")
        shards = plan.text_shards(mt, src, ref)
    else:
        if ref or src:
            raise InputError("--ref and --src go with --mt; tables bring their own columns.")
        shards, notes = plan.table_shards(data)
    _refuse_inside(os.fspath(out), shards, plan.walked([data, mt, *ref, *([src] if src else [])]))
    return shards, notes


def names_corpus(path: str) -> bool:
    """Whether an input is a corpus in many files: a folder, a pattern, or a place in an object store."""
    from assay.corpus.plan import is_corpus

    return is_corpus(path)


def names_table(path: str) -> bool:
    """Whether an input is one table in several files: a data set of Hugging Face's (docs/tables.md)."""
    from assay.io.table.folder import shards_of

    try:
        return shards_of(path) is not None
    except InputError:  # of several tables: whoever reads it says so
        return True


def names_folder(out: str) -> bool:
    """Whether the name of an output is that of a folder: it ends in a slash, or is a place in an object store."""
    from assay.io.files.folders import is_remote

    return is_remote(out) or out.endswith(("/", os.sep))


def _refuse_inside(out: str, shards: Sequence[Shard], walked: Sequence[str]) -> None:
    """Refuse a folder of results that holds what is read: the next run would take its own results for shards."""
    place = os.path.join(os.path.realpath(out), "")
    for shard in shards:
        for file in shard.files:
            if os.path.realpath(file.path).startswith(place) or file.path.startswith(os.path.join(out, "")):
                raise InputError(f"--out {out} holds the input {file.path}: give another folder.")
    if "://" not in out and any(place.startswith(os.path.join(os.path.realpath(root), "")) for root in walked):
        raise InputError(f"--out {out} lies among the shards that are read: give a folder beside them.")


def alerts_of(told: Mapping[str, Any], metrics: Mapping[str, Metric]) -> list[str]:
    """Warn about rows that lack a reference; the same sentences for the result."""
    from assay.core.errors import alert
    from assay.core.flags import missing_notes

    counts = told["counts"]
    alerts = missing_notes(
        metrics.values(), {"": told["flags"]}, counts["rows"] - counts["duplicates"] - counts["rejected"]
    )
    alert(alerts)
    return alerts


def remarks(told: Mapping[str, Any], driver: Driver) -> list[str]:
    """What people should hear of a run: shards that were left out, and how doubtful things were read."""
    notes = dict.fromkeys(note for shard in told["shards"].values() for note in shard["notes"])
    return [*(f"left out: {said}" for said in driver.failed.values()), *_without_rows(told), *list(notes)[:5]]


def _without_rows(told: Mapping[str, Any]) -> list[str]:
    """A sentence about shards that have no rows: an export that broke off looks like that, too."""
    bare = [name for name, shard in told["shards"].items() if not shard["tally"]["rows"]]
    if not bare:
        return []
    if len(bare) == len(told["shards"]):
        return ["there are no rows in these shards: nothing was done."]
    has = "has" if len(bare) == 1 else "have"
    return [f"{len(bare):,} of {count(len(told['shards']), 'shard')} {has} no rows: {listing(bare, 3)}."]


def counted(counts: Mapping[str, int]) -> str:
    """What was counted, in a line."""
    said = [count(counts["shards"], "shard"), count(counts["rows"], "row")]
    if counts["duplicates"]:
        said.append(f"{count(counts['duplicates'], 'duplicate')} left out")
    if counts["rejected"]:
        said.append(f"{counts['rejected']:,} rejected")
    if counts["failed"]:
        said.append(f"{count(counts['failed'], 'shard')} failed")
    if counts["kept"] != counts["rows"]:
        said.append(f"{counts['kept']:,} kept")
    return " · ".join(said)
