"""Row groups for scores by group: a column of the table, one label per segment, the language pair, or the length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from assay.core.batch import Batch
from assay.core.errors import InputError, count
from assay.engine.inputs import Inputs

LENGTH = "length"
BUCKETS = 4
"""Number of groups of similar size that segments are divided into by length."""


def column_of(by: str | Sequence[str] | None, table: bool) -> str | None:
    """Return the column of a table that `by` names, or None; without a table, a column is an error."""
    if not isinstance(by, str) or by in (LENGTH, "langpair"):
        return None
    if not table:
        raise InputError(
            f"--by {by} requires a table with that column (--data FILE). Text files can only be grouped by {LENGTH}."
        )
    return by


def grouped(inputs: Inputs, by: str | Sequence[str] | None) -> Inputs:
    """Assign a group to every row of the inputs. A list has one label per segment, the same for every system."""
    if by is not None and not isinstance(by, str):
        inputs.chunks = _labelled(inputs.chunks, [str(label) for label in by])
    elif by in (LENGTH, "langpair"):
        inputs.chunks = _by_length(inputs.chunks) if by == LENGTH else _by_langpair(inputs.chunks)
    return inputs


def _by_length(chunks: Iterator[Batch]) -> Iterator[Batch]:
    """Group by the number of characters of the reference or, if missing, of the source or the translation."""
    for batch in chunks:
        others = batch.sources or batch.hypotheses
        texts = batch.column("reference") or others
        if None in texts:
            texts = [other if text is None else text for text, other in zip(texts, others, strict=True)]
        yield replace(batch, groups=[str(len(text or "")) for text in texts])


def _by_langpair(chunks: Iterator[Batch]) -> Iterator[Batch]:
    for batch in chunks:
        if batch.langpairs is None:
            raise InputError("--by langpair requires a table with a langpair column.")
        yield replace(batch, groups=batch.langpairs)


def _labelled(chunks: Iterator[Batch], labels: Sequence[str]) -> Iterator[Batch]:
    seen: dict[Any, int] = {}
    for batch in chunks:
        groups = []
        for system in batch.systems or [""] * len(batch):
            row = seen[system] = seen.get(system, -1) + 1
            if row >= len(labels):
                raise InputError(
                    f"by has {len(labels):,} labels, but there are more segments. Pass one label per segment."
                )
            groups.append(labels[row])
        yield replace(batch, groups=groups)
    if seen and min(seen.values()) + 1 < len(labels):
        segments = min(seen.values()) + 1
        raise InputError(f"by has {len(labels):,} labels for {segments:,} segments. Pass one label per segment.")


def length_names(lengths: Iterable[str]) -> dict[str, str]:
    """Return the group of each length, shortest first. Groups have similar sizes and names such as ``1–43 characters``."""
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
