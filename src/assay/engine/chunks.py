"""Regrouping a stream of batches into chunks of bounded size, so that memory depends on neither lines nor their length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from assay.core.batch import Batch


def regroup(batches: Iterable[Batch], rows: int, characters: int) -> Iterator[Batch]:
    """Consecutive batches joined until a chunk has `rows` rows or `characters` characters; the data alone decide."""
    waiting: list[Batch] = []
    n = size = 0
    for batch in batches:
        waiting.append(batch)
        n += len(batch)
        size += sum(map(len, batch.hypotheses))
        size += sum(len(text) for column in batch.references or () for text in column if text is not None)
        if n >= rows or size >= characters:
            yield concat(waiting)
            waiting, n, size = [], 0, 0
    if waiting:
        yield concat(waiting)


def concat(batches: list[Batch]) -> Batch:
    """One batch out of consecutive ones that have the same columns."""
    if len(batches) == 1:
        return batches[0]
    joined: dict[str, Any] = {}
    for field in fields(Batch):
        columns = [getattr(batch, field.name) for batch in batches]
        if columns[0] is None:
            continue
        if field.name == "references":
            joined[field.name] = tuple(_flat(parts) for parts in zip(*columns, strict=True))
        else:
            joined[field.name] = _flat(columns)
    return Batch(**joined)


def _flat(columns: Iterable[Any]) -> list[Any]:
    flat: list[Any] = []
    for column in columns:
        flat.extend(column)
    return flat
