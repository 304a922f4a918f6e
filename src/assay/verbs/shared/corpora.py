"""Corpora in many files, for the verbs that process them: shards, jobs, workers and results."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from assay._version import __version__
from assay.core.batch import check_empty_reference
from assay.core.errors import InputError, alert, count, listing
from assay.core.flags import missing_notes
from assay.corpus import discovery, splitting
from assay.corpus.driver import Driver, digest_of_shards
from assay.corpus.engines import engine
from assay.corpus.job import BATCH, NETWORK_BATCH, Job, ShardPart
from assay.corpus.preflight import check_first_shard
from assay.engine.flags import with_languages
from assay.verbs.result import Result
from assay.verbs.shared.options import check_rows

if TYPE_CHECKING:
    from assay.core.metric import Metric
    from assay.corpus.driver import CorpusProgress as CorpusProgress
    from assay.corpus.job import Shard
    from assay.corpus.manifest import CorpusManifest
    from assay.verbs.shared.options import ScoreOptions


@dataclass(repr=False)
class CorpusResult(Result):
    """Result of a run over a corpus: corpus scores, counts, and the manifest in the output folder."""

    corpus: CorpusManifest = field(kw_only=True)
    """Content of ``_manifest.json`` (`docs/corpora.md`)."""
    out: str = field(default="", kw_only=True)
    """The folder of results."""
    reused: int = field(default=0, kw_only=True)
    """Shards that an earlier run had finished."""

    verb: ClassVar[str] = "score"
    headline: ClassVar[str] = "corpus"

    @property
    def systems(self) -> dict[str, dict[str, float]]:
        """Corpus scores by system and metric."""
        return dict(self.corpus.scores)

    @property
    def system(self) -> dict[str, float]:
        """Corpus scores by metric, if all rows belong to one system."""
        if len(self.systems) != 1:
            raise InputError(f"the corpus has {len(self.systems)} systems. Use result.systems.")
        return next(iter(self.systems.values()))

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of shards and rows, and of written, rejected and duplicate rows."""
        return asdict(self.corpus.counts)

    @property
    def failed(self) -> dict[str, str]:
        """Skipped shards, each with the reason."""
        return dict(self.corpus.failed)

    def head(self) -> Mapping[str, Any]:
        """Return the manifest without shard records."""
        return self.corpus.head()

    def sizes(self) -> Mapping[str, int]:
        """Return `counts`."""
        return self.counts


@dataclass(frozen=True, slots=True)
class CorpusRun:
    """Run over a corpus in many files: its shards, output folder and options."""

    out: str
    shards: Sequence[Shard]
    options: ScoreOptions
    notes: Sequence[str] = ()
    """Files that were left out, one sentence each."""

    @classmethod
    def of(cls, out: str | os.PathLike[str], options: ScoreOptions) -> CorpusRun:
        """Find the shards that the options name; reject an `out` among them or an unknown `on_error`."""
        if options.get("on_error", "stop") not in ("stop", "skip"):
            raise InputError(f"--on-error must be stop or skip, not {options['on_error']!r}.")
        return cls(os.fspath(out), *_shards(os.fspath(out), options))

    def job(self, metrics: Mapping[str, Metric], **fields: Any) -> Job:
        """Return the job for this run without a preflight check; `fields` are additional fields of `Job`."""
        options = self.options
        neural = any(metric.card.neural for metric in metrics.values())
        return Job(
            out=self.out,
            metrics=tuple(metrics),
            signatures={name: str(metric.signature) for name, metric in metrics.items()},
            version=__version__,
            choice=dict(options.get("columns") or {}),
            quoting=options.get("quoting", "auto"),
            langpair=options.get("langpair"),
            batch=options.get("batch") or (NETWORK_BATCH if neural else BATCH),
            **fields,
        )

    def scoring_job(self, metrics: Mapping[str, Metric], **fields: Any) -> Job:
        """Return the job for a run that scores rows, checked against the first readable shard."""
        options = self.options
        check_empty_reference(options.get("empty_reference"))
        for name, metric in metrics.items():
            if metric.card.service:
                raise InputError(
                    f"{name} asks a language model, which requires a single process for its cache and budget. A corpus in many "
                    "files requires several. Score one file at a time (--data FILE)."
                )
        check_rows(options)
        flags = fields.pop("flags", options.get("flags", "auto"))
        job = self.job(
            metrics,
            empty_reference=options.get("empty_reference"),
            flags=flags,
            identify=with_languages(flags, metrics.values(), None),
            keep=options.get("keep") or "",
            dedup=options.get("dedup"),
            sample=options.get("sample"),
            sample_by=options.get("sample_by"),
            **fields,
        )
        if job.dedup is not None or job.sample is not None:
            job = replace(job, whole=digest_of_shards(self.shards))
        return check_first_shard(job, self.shards, metrics, options.get("on_error", "stop"))

    def carry_out(self, job: Job, metrics: Mapping[str, Metric], *, cut: bool = True) -> Driver:
        """Process all shards and return the driver, which holds the manifest. With `cut`, large shards are split."""
        options = self.options
        shards = {
            shard.name: (shard, splitting.split(shard, job.quoting) if cut else [ShardPart()]) for shard in self.shards
        }
        workers = engine(
            options.get("engine", "local"),
            workers=options.get("workers"),
            neural=any(metric.card.neural for metric in metrics.values()),
            address=options.get("address"),
            gpus_per_worker=options.get("gpus_per_worker"),
        )
        progress: Any = options.get("progress") or (lambda seen: None)
        with closing(workers):
            job = replace(job, threads=workers.threads)
            driver = Driver(job, shards, metrics, workers, options.get("on_error", "stop"), progress)
            driver.run()
        if driver.failed and not driver.manifest.shards:
            several = "the only shard" if len(shards) == 1 else f"each of {len(shards):,} shards"
            raise InputError(f"{several} failed, so there are no results. {next(iter(driver.failed.values()))}")
        return driver

    def outcome(self, driver: Driver, metrics: Mapping[str, Metric], alerts: Sequence[str] = ()) -> dict[str, Any]:
        """Return the fields common to all corpus results; warn about rows without a reference."""
        corpus = driver.manifest
        counts = corpus.counts
        scored = counts.rows - counts.duplicates - counts.rejected
        missing = missing_notes(metrics.values(), {"": corpus.flags}, scored)
        alert(missing)
        return {
            "out": self.out,
            "corpus": corpus,
            "reused": driver.reused,
            "signatures": dict(corpus.signatures),
            "alerts": [*alerts, *missing],
            "notes": [*alerts, *missing, *self.notes, *remarks(driver)],
        }


def named_metrics(metrics: Any, default: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the metrics, for workers to load; objects are rejected."""
    specs = (metrics,) if isinstance(metrics, str) else tuple(metrics or default)
    if not all(isinstance(spec, str) for spec in specs):
        raise InputError("workers load the metrics of a corpus by name. Pass names ('chrf', 'module:name').")
    return specs


def _shards(out: str, options: ScoreOptions) -> tuple[list[Shard], ScoreOptions, list[str]]:
    """Return the table or parallel-text shards, the options, and the files that were left out."""
    given: Mapping[str, Any] = options
    data, mt, ref, src = (given.get(name) or () for name in ("data", "mt", "ref", "src"))
    notes: list[str] = []
    if mt:
        if data:
            raise InputError("specify tables (a folder or a pattern) or parallel text (--mt, --src, --ref), not both.")
        shards = discovery.text_shards(mt, src or None, ref)
    else:
        if ref or src:
            raise InputError("--ref and --src require --mt; tables have their own columns.")
        shards, notes = discovery.table_shards(data)
    _refuse_inside(out, shards, discovery.searched_folders([data, mt, *ref, *([src] if src else [])]))
    return shards, options, notes


def _refuse_inside(out: str, shards: Sequence[Shard], searched_folders: Sequence[str]) -> None:
    """Reject an output folder that contains inputs: the next run would read its own results as shards."""
    folder = os.path.join(os.path.realpath(out), "")
    for shard in shards:
        for file in shard.files:
            if os.path.realpath(file.path).startswith(folder) or file.path.startswith(os.path.join(out, "")):
                raise InputError(f"--out {out} contains the input {file.path}. Choose a different folder.")
    if "://" not in out and any(
        folder.startswith(os.path.join(os.path.realpath(root), "")) for root in searched_folders
    ):
        raise InputError(f"--out {out} is inside an input folder. Choose a different folder.")


def remarks(driver: Driver) -> list[str]:
    """Return notes on a finished run: skipped or empty shards, and the readers' notes."""
    notes = dict.fromkeys(note for entry in driver.manifest.shards.values() for note in entry.record.notes)
    failures = [f"left out: {reason}" for reason in driver.failed.values()]
    return [*failures, *_without_rows(driver.manifest), *list(notes)[:5]]


def _without_rows(corpus: CorpusManifest) -> list[str]:
    """Return a note on shards without rows, which may result from an interrupted export."""
    bare = [name for name, entry in corpus.shards.items() if not entry.record.tally["rows"]]
    if not bare:
        return []
    if len(bare) == len(corpus.shards):
        return ["these shards have no rows, so there are no results."]
    has = "has" if len(bare) == 1 else "have"
    return [f"{len(bare):,} of {count(len(corpus.shards), 'shard')} {has} no rows: {listing(bare, 3)}."]


def counted(corpus: CorpusManifest) -> str:
    """Return the counts for a corpus on one line."""
    counts = corpus.counts
    parts = [count(counts.shards, "shard"), count(counts.rows, "row")]
    if counts.duplicates:
        parts.append(f"{count(counts.duplicates, 'duplicate')} left out")
    if counts.rejected:
        parts.append(f"{counts.rejected:,} rejected")
    if counts.failed:
        parts.append(f"{count(counts.failed, 'shard')} failed")
    if counts.kept != counts.rows:
        parts.append(f"{counts.kept:,} kept")
    return " · ".join(parts)
