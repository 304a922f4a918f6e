"""Which group every row belongs to, where scores are wanted by group: a column of the table, a label each, or the length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from assay.core.batch import Batch
from assay.core.errors import InputError, count
from assay.engine.inputs import Inputs

LENGTH = "length"
BUCKETS = 4
"""Groups of about the same size that segments are parted into by their length."""


def column_of(by: str | Sequence[str] | None, table: bool) -> str | None:
    """The column of a table that `by` names; None where it names none, refused where there is no table to have one."""
    if not isinstance(by, str) or by in (LENGTH, "langpair"):
        return None
    if not table:
        raise InputError(
            f"--by {by} needs a table with such a column (--data FILE); text files can be grouped by {LENGTH} alone."
        )
    return by


def grouped(inputs: Inputs, by: str | Sequence[str] | None) -> Inputs:
    """The inputs with a group on every row. A list has one label for each segment, the same for every system."""
    if by is not None and not isinstance(by, str):
        inputs.chunks = _labelled(inputs.chunks, [str(label) for label in by])
    elif by in (LENGTH, "langpair"):
        inputs.chunks = _by_length(inputs.chunks) if by == LENGTH else _by_langpair(inputs.chunks)
    return inputs


def _by_length(chunks: Iterator[Batch]) -> Iterator[Batch]:
    """Characters of the reference, without one of the source, without either of the translation."""
    for batch in chunks:
        others = batch.sources or batch.hypotheses
        texts = batch.column("reference") or others
        if None in texts:
            texts = [other if text is None else text for text, other in zip(texts, others, strict=True)]
        yield replace(batch, groups=[str(len(text or "")) for text in texts])


def _by_langpair(chunks: Iterator[Batch]) -> Iterator[Batch]:
    for batch in chunks:
        if batch.langpairs is None:
            raise InputError("--by langpair needs a table with a column langpair.")
        yield replace(batch, groups=batch.langpairs)


def _labelled(chunks: Iterator[Batch], labels: Sequence[str]) -> Iterator[Batch]:
    seen: dict[Any, int] = {}
    for batch in chunks:
        groups = []
        for system in batch.systems or [""] * len(batch):
            place = seen[system] = seen.get(system, -1) + 1
            if place >= len(labels):
                raise InputError(f"by has {len(labels):,} labels, and there are more segments: give one for each.")
            groups.append(labels[place])
        yield replace(batch, groups=groups)
    if seen and min(seen.values()) + 1 < len(labels):
        raise InputError(f"by has {len(labels):,} labels for {min(seen.values()) + 1:,} segments: give one for each.")


def length_names(lengths: Iterable[str]) -> dict[str, str]:
    """Each length's group, shortest first: about the same number of segments in each, called ``1–43 characters`` …"""
    import numpy as np

    numbers = np.array([int(length) for length in lengths], np.int64)
    inner = np.quantile(numbers, np.arange(1, BUCKETS) / BUCKETS, method="inverted_cdf")
    edges = np.unique([*inner.astype(np.int64).tolist(), int(numbers.max())])
    starts = [int(numbers.min()), *(edges[:-1] + 1).tolist()]
    names = [
        f"{start}–{end} characters" if start < end else count(end, "character")
        for start, end in zip(starts, edges.tolist(), strict=True)
    ]
    distinct = np.unique(numbers)
    return {str(n): names[i] for n, i in zip(distinct, np.searchsorted(edges, distinct, side="left"), strict=True)}
