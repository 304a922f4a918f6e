"""Scoring a batch with a metric: the different requests once, spread over the cores, remembered where it pays.

A metric sees parts of the batch with equal references side by side, so that it can prepare a reference once. Results are
put back into the batch's order; they do not depend on the number of workers.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.metric import Metric, Scores

if TYPE_CHECKING:
    from assay.engine.store import Store

PART = 1024
"""Rows a metric gets at a time: enough to forget the overhead, few enough to keep every core busy to the end."""


def score(batch: Batch, metric: Metric, *, workers: int | None = None, store: Store | None = None) -> Scores:
    """Scores of every row of `batch`, in its order."""
    check_needs(batch, metric)
    if len(batch) == 0:
        return metric.score(batch)
    rows, inverse, requests = _distinct(batch, metric)
    if store is not None and metric.card.stored:
        scores = _through_store(requests, metric, store, workers)
    else:
        scores = _spread(requests, metric, workers)
    return scores if rows is None else scores.take(inverse)


def check_needs(batch: Batch, metric: Metric) -> None:
    """Refuse at once what the metric's card says it cannot do without."""
    card = metric.card
    if card.needs_reference and not batch.references:
        raise InputError(f"{card.name} needs a reference, and none was given (--ref FILE, or references=[...]).")
    if card.needs_source and batch.sources is None:
        raise InputError(f"{card.name} needs the source, and none was given (--src FILE, or sources=[...]).")
    if card.needs == "either" and batch.sources is None and not batch.references:
        raise InputError(f"{card.name} needs a source or a reference, and neither was given (--src FILE, --ref FILE).")


def _distinct(batch: Batch, metric: Metric) -> tuple[object | None, object, Batch]:
    """The different requests of a batch and the way back; a batch without repetition is handed on as it is."""
    import numpy as np

    from assay.kernels import _native

    others: list[Sequence[str | None]] = []
    if batch.sources is not None and metric.card.needs != "reference":
        others.append(batch.sources)
    if batch.langpairs is not None and metric.card.kind != "string":
        others.append(batch.langpairs)
    rows, inverse = _native.distinct(batch.hypotheses, batch.references or (), others)
    if len(rows) == len(batch) and bool((rows == np.arange(len(batch))).all()):
        return None, None, batch
    return rows, inverse, batch.select(rows.tolist())


def _spread(batch: Batch, metric: Metric, workers: int | None) -> Scores:
    """Score parts of the batch side by side; the metric's loops release the GIL."""
    count = workers or cores()
    if count == 1 or len(batch) <= PART // 2:
        return metric.score(batch)
    size = min(PART, -(-len(batch) // count))
    parts = [batch.slice(start, start + size) for start in range(0, len(batch), size)]
    return Scores.concat(list(_pool(count).map(metric.score, parts)))


def _through_store(batch: Batch, metric: Metric, store: Store, workers: int | None) -> Scores:
    """Look every request up, score only what is missing, keep it, and give all of it back in order."""
    from assay.engine.records import pack, unpack

    signature = str(metric.signature)
    keys = [
        store.key(
            signature,
            batch.hypotheses[i],
            None if batch.sources is None else batch.sources[i],
            tuple(column[i] for column in batch.references or ()),
            None if batch.langpairs is None else batch.langpairs[i],
        )
        for i in range(len(batch))
    ]
    records = store.get_many(keys)
    missing = [i for i, key in enumerate(keys) if key not in records]
    if missing:
        fresh = pack(_spread(batch.select(missing), metric, workers))
        found = [(keys[i], record) for i, record in zip(missing, fresh, strict=True)]
        store.put_many(found)
        records.update(found)
    return unpack([records[key] for key in keys])


def cores() -> int:
    """Processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="assay")


FLAGS = {1: "empty_hypothesis", 2: "copied_source", 4: "far_longer", 8: "empty_reference"}
"""What `describe` looks for. Far longer: over three times its longest reference, and by 50 characters at least."""


def describe(batch: Batch) -> dict[str, int]:
    """How many rows a reader should know about: empty hypotheses, copied sources, lines far longer than their reference."""
    from assay.kernels import _native

    bits = _native.describe(batch.hypotheses, batch.sources, batch.references or (), 3.0, 50)
    return {name: found for bit, name in FLAGS.items() if (found := int(((bits & bit) != 0).sum()))}
