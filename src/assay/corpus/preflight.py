"""Preflight check of a corpus: errors in the first shard are reported before workers start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.core.batch import Batch
from assay.core.errors import InputError, listing, unknown
from assay.corpus.job import Job, OnError, Shard, ShardPart, ShardTask
from assay.corpus.shard_columns import layout_of, renamed_columns, roles
from assay.corpus.shard_reader import local_files
from assay.engine.inputs import with_pair
from assay.io.files.text import read_parallel
from assay.io.table.formats import open_table
from assay.io.table.tables import read_table

if TYPE_CHECKING:
    from assay.core.batch import EmptyReference
    from assay.core.metric import Metric
    from assay.io.table.open_table import Quoting
    from assay.io.table.vocabulary import ColumnChoice


FIRST = 1_000
"""Number of rows to check."""


def first_batch(
    shards: Sequence[Shard],
    *,
    columns: ColumnChoice | None,
    quoting: Quoting,
    langpair: str | None,
    empty_reference: EmptyReference | None,
) -> Batch | None:
    """Return the first rows of the first shard that has any; None if no shard can be read, which its worker reports."""
    for shard in shards:
        try:
            with local_files(ShardTask("score", shard, ShardPart())) as paths:
                if shard.form == "text":
                    texts = dict(zip(shard.columns, next(read_parallel(paths, FIRST), ((),) * len(paths)), strict=True))
                    references = tuple(column for name, column in texts.items() if name.startswith("ref"))
                    batch = Batch(texts["mt"], sources=texts.get("src"), references=references or None)
                else:
                    choice = "skip" if empty_reference == "error" else empty_reference or "skip"
                    first = read_table(
                        paths[0], columns, FIRST, quoting=quoting, format=shard.form, empty_reference=choice
                    )
                    batch = next(first, Batch([]))
        except InputError:
            continue
        if len(batch):
            return with_pair(batch, langpair, "", [])
    return None


def check_first_shard(job: Job, shards: Sequence[Shard], metrics: Mapping[str, Metric], on_error: OnError) -> Job:
    """Return the job with the columns of the first shard; reject a shard without a column that the job needs."""
    for shard in shards:
        try:
            header = _columns(job, shard)
        except InputError:
            if on_error == "stop":
                raise
            continue
        if header is None:
            continue
        names, layout = header
        if job.purpose == "label" and "language" in names:  # the shards have their own column
            job = replace(job, settings={**job.settings, "own": ["language"]})
        job = replace(job, layout=layout, names=names if shard.form != "jsonl" else ())
        _check(job, shard, names, [role for role, _ in layout], metrics)
        return job
    return job


def _columns(job: Job, shard: Shard) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]] | None:
    """Return the columns of a shard with their roles; None if it has no header."""
    if shard.form == "text":
        roles_of_text = {"mt": "hypothesis", "src": "source"}
        return shard.columns, tuple((roles_of_text.get(name, "reference"), name) for name in shard.columns)
    with local_files(ShardTask("score", shard, ShardPart())) as paths:
        quoting = job.quoting if shard.form != "tsv" or job.quoting != "auto" else "none"  # only the header is read
        with open_table(paths[0], form=shard.form, quoting=quoting) as table:  # type: ignore[arg-type]
            names = tuple(table.names)
            return (names, roles(table, layout_of(table, job))) if names else None


def _check(job: Job, shard: Shard, names: Sequence[str], has: Sequence[str], metrics: Mapping[str, Metric]) -> None:
    reference = "reference" in has or "references" in has
    if job.purpose == "pairs":
        metrics = {}  # pairs that lack a text get no score
    for name, metric in metrics.items():
        for needed, there, option in (
            (metric.card.needs_reference, reference, "ref"),
            (metric.card.needs_source, "source" in has, "src"),
        ):
            if needed and not there:
                how = f"--{option} FOLDER" if shard.form == "text" else f"a column {option} (--columns {option}=COLUMN)"
                raise InputError(f"{name} requires {how}; {shard.title} has {listing(map(repr, names))}.")
        if metric.card.needs == "either" and not reference and "source" not in has:
            raise InputError(f"{name} requires sources or references; {shard.title} has {listing(map(repr, names))}.")
    renamed = renamed_columns(names, job)
    names = [renamed.get(name, name) for name in names]
    if job.keep:
        from assay.core.expression import parse
        from assay.corpus.row_selection import RATIO

        parse(job.keep).over([*names, *job.added, RATIO], shard.title)
    if job.sample_by and job.sample_by not in names:
        raise unknown(f"column in {shard.title}", job.sample_by, names)
    if job.dedup == "src" and "source" not in has:
        raise InputError(f"--dedup src requires sources; {shard.title} has {listing(map(repr, names))}.")
