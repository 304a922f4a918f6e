"""``assay score FOLDER --out FOLDER``: a corpus in many files, shard by shard, by workers of this machine or others."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay._version import __version__
from assay.core.batch import check_empty_reference
from assay.core.errors import InputError, alert
from assay.core.flags import flag_notes
from assay.core.table import Table, TableColumn
from assay.corpus.driver import whole_mark
from assay.corpus.first_look import first_batch, looked
from assay.corpus.job import BATCH, NETWORK_BATCH, Job
from assay.engine.flags import with_languages
from assay.engine.languages import target_languages
from assay.engine.preflight import find_misplaced_texts
from assay.metrics import build_metrics
from assay.verbs.shared.corpora import CorpusResult, CorpusWorkers, alerts_of, corpus_shards, counted, remarks

if TYPE_CHECKING:
    from assay.core.batch import EmptyReference
    from assay.core.chunk import Flagging
    from assay.core.metric import Metric
    from assay.corpus.driver import Watch
    from assay.corpus.job import Duplicates, OnError, Shard
    from assay.corpus.plan import Paths
    from assay.io.table.open_table import Quoting
    from assay.io.table.vocabulary import ColumnChoice


def score_corpus(
    data: Paths = (),
    *,
    out: str | os.PathLike[str],
    mt: Paths = (),
    ref: Sequence[Paths] = (),
    src: Paths | None = None,
    metrics: Sequence[str] | str | None = None,
    columns: ColumnChoice | None = None,
    quoting: Quoting = "auto",
    langpair: str | None = None,
    empty_reference: EmptyReference | None = None,
    spans: bool = False,
    flags: Flagging = "auto",
    keep: str | None = None,
    dedup: Duplicates | None = None,
    sample: int | None = None,
    sample_by: str | None = None,
    seed: int = 12345,
    on_error: OnError = "stop",
    engine: str = "local",
    workers: int | None = None,
    batch: int | None = None,
    address: str | None = None,
    gpus_per_worker: float | None = None,
    progress: Watch | None = None,
) -> CorpusResult:
    """Score a corpus in many files: each shard becomes a shard of the same name in `out`, with its columns and the scores.

    Args:
        data: A folder, a pattern (``"corpus/*.jsonl"``) or several files of tables: Parquet, JSON lines, TSV or CSV, compressed or
            not; also in an object store (``s3://bucket/corpus/``).
        out: The folder of results; made where it is missing. A call that was killed goes on there when it is made again.
        mt: Instead of `data`: files of translations, one segment a line; a folder or a pattern.
        ref: The references that go with `mt`: for each reference a folder or a pattern of files of the same names.
        src: The sources that go with `mt`, in the same way.
        metrics: Names with options; by default chrF and BLEU. Workers load them, so that objects cannot be given.
        columns: Which column plays which role where the names differ: ``{"mt": "Output"}``.
        quoting: How quotation marks in a TSV are read.
        langpair: The language pair where the tables do not say.
        empty_reference: What becomes of rows whose references are all empty: ``skip`` leaves them out of metrics that need a
            reference (the default for tables), ``score`` scores them against an empty text (the default for text files and
            lists, as in sacrebleu), ``error`` refuses them.
        spans: Add the error spans that metrics mark.
        flags: Which flags of the texts to raise.
        keep: Let only rows out for which an expression holds: ``"chrf > 30 and length_ratio < 2"``.
        dedup: Let a row out only where its texts come first: ``pair`` (translation and source), ``mt`` or ``src``.
        sample: Let only so many rows out, in shares of the strata.
        sample_by: The column whose values are the strata; by default every shard is one.
        seed: Seed of the sample.
        on_error: What to do about a shard that cannot be read: ``stop``, or ``skip`` it.
        engine: Where workers are: ``local`` (processes of this machine) or ``ray`` (a Ray cluster, `docs/cluster.md`).
        workers: How many; by default one a core, or where a network scores one a GPU, or one a machine.
        batch: Rows that a metric gets at a time, at most.
        address: The head of the Ray cluster, ``host:port`` or ``auto``; by default Ray is started on this machine for this call.
        gpus_per_worker: GPUs that each worker in a Ray cluster gets; a fraction shares one.
        progress: Called with how far it is (`assay.corpus.driver.Seen`).
    """
    how = CorpusWorkers(engine, workers, address, gpus_per_worker, on_error, progress)
    specs = named_metrics(metrics, ("chrf", "bleu"))
    shards, notes = corpus_shards(out, data, mt, ref, src)
    built, settings, alerts = settled_metrics(
        shards,
        build_metrics(specs),
        columns=columns,
        quoting=quoting,
        langpair=langpair,
        empty_reference=empty_reference,
    )
    job = scoring_job(built, os.fspath(out), shards, {
        "columns": columns, "quoting": quoting, "langpair": langpair, "empty_reference": empty_reference,
        "spans": spans, "flags": flags, "keep": keep, "dedup": dedup,
        "sample": sample, "sample_by": sample_by, "seed": seed, "batch": batch,
        "settings": settings,
    }, on_error)  # fmt: skip
    told, driver = how.carry_out(job, shards, built)
    made = CorpusResult(
        {"corpus": _table(told, built)},
        out=os.fspath(out),
        told=told,
        reused=driver.reused,
        signatures=dict(told["signatures"]),
    )
    made.alerts = [*alerts, *alerts_of(told, built)]
    made.notes = [*made.alerts, *notes, *remarks(told, driver)]
    return made


def settled_metrics(
    shards: Sequence[Shard], metrics: Mapping[str, Metric], **how: Any
) -> tuple[Mapping[str, Metric], dict[str, Any], list[str]]:
    """The metrics for the target language of the first rows, as for one file; the settings that say so to workers; and alerts."""
    first = first_batch(shards, **how)
    if first is None:
        return metrics, {}, []
    languages, notes = target_languages(first, metrics)
    alerts = [*notes, *find_misplaced_texts(first)]
    alert(alerts)
    settled = {
        name: metric.for_language(languages[name]) if name in languages else metric for name, metric in metrics.items()
    }
    return settled, {"target_languages": languages} if languages else {}, alerts


def named_metrics(metrics: Sequence[str] | str | None, default: Sequence[str]) -> tuple[str, ...]:
    """The metrics as names, for workers to load; objects are refused."""
    specs = (metrics,) if isinstance(metrics, str) else tuple(metrics or default)
    if not all(isinstance(spec, str) for spec in specs):
        raise InputError(
            "a corpus is scored by workers, which load metrics by name: give names ('chrf', 'module:name')."
        )
    return specs


def scoring_job(
    built: Mapping[str, Metric], out: str, shards: Sequence[Shard], asked: Mapping[str, Any], on_error: OnError
) -> Job:
    """What is asked, checked against the first shard that can be read."""
    check_empty_reference(asked.get("empty_reference"))

    for name, metric in built.items():
        if metric.card.service:
            raise InputError(
                f"{name} asks a language model: what is asked, kept and paid for is seen to by one process, and a corpus in many "
                "files has many. Give it one file at a time (--data FILE)."
            )
    if asked["sample"] is not None and asked["sample"] < 1:
        raise InputError("--sample wants a whole number above 0.")
    if asked["sample_by"] and asked["sample"] is None:
        raise InputError("--sample-by goes with --sample.")
    if asked["dedup"] not in (None, "pair", "mt", "src"):
        raise InputError(f"--dedup is pair, mt or src, not {asked['dedup']!r}.")
    network = any(metric.card.neural for metric in built.values())
    job = Job(
        out=out,
        metrics=tuple(built),
        signatures={name: str(metric.signature) for name, metric in built.items()},
        version=__version__,
        choice=dict(asked["columns"] or {}),
        quoting=asked["quoting"],
        langpair=asked["langpair"],
        empty_reference=asked.get("empty_reference"),
        flags=asked["flags"],
        identify=with_languages(asked["flags"], built.values(), None),
        spans=asked["spans"],
        keep=asked["keep"] or "",
        dedup=asked["dedup"],
        sample=asked["sample"],
        sample_by=asked["sample_by"],
        seed=asked["seed"],
        batch=asked["batch"] or (NETWORK_BATCH if network else BATCH),
        purpose=asked.get("purpose", "score"),
        settings=asked.get("settings", {}),
    )
    if job.dedup is not None or job.sample is not None:
        job = replace(job, whole=whole_mark(shards))
    return looked(job, shards, built, on_error)


def _table(told: Mapping[str, Any], built: Mapping[str, Metric]) -> Table:
    """The corpus scores, and what was counted under them."""
    names = list(told["signatures"])
    columns = [TableColumn("system", hidden=list(told["scores"]) in ([""], []))]
    for name in names:
        metric = built.get(name) or built[name.rpartition(" ")[0]]
        label = metric.card.label if name in built else name
        columns.append(
            TableColumn(
                name, label if metric.card.higher_is_better else f"{label} ↓", "number", decimals=metric.card.decimals
            )
        )
    rows = [{"system": system, **scores} for system, scores in told["scores"].items()]
    if told["kept_scores"]:
        rows += [{"system": f"{system} kept".strip(), **scores} for system, scores in told["kept_scores"].items()]
        columns[0] = TableColumn("system", "rows" if list(told["scores"]) == [""] else "")
        rows = [{**row, "system": row["system"] or "all"} for row in rows]
    return Table(
        "corpus",
        tuple(columns),
        rows,
        "Corpus scores",
        notes=[counted(told["counts"]), *flag_notes({"": told["flags"]})],
    )
