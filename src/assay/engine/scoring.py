"""Scoring a batch with a metric: the different requests once, spread over the cores, remembered where it pays.

A metric sees parts of the batch with equal references side by side, so that it can prepare a reference once. Results are
put back into the batch's order; they do not depend on the number of workers.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.keeping import Keeper, keeping
from assay.core.metric import Metric, Scores
from assay.core.references import rows_without
from assay.core.watch import tell
from assay.core.workers import cores, working
from assay.engine.others import scored
from assay.kernels import _native

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.engine.store import Store

PART = 1024
"""Rows a metric gets at a time: enough to forget the overhead, few enough to keep every core busy to the end."""
FIRST_PART = 64
"""What a slow metric gets first, then twice as much each time up to `PART`: whoever waits soon sees how long it will take."""


def score(batch: Batch, metric: Metric, *, workers: int | None = None, store: Store | None = None) -> Scores:
    """Scores of every row of `batch`, in its order."""
    check_needs(batch, metric)
    if len(batch) == 0:
        return scored(metric, batch)
    if (other := metric.reads) is not None:
        return metric.reading(score(batch, other, workers=workers, store=store))
    inverse, requests = _distinct(relevant(batch, metric))
    if store is not None and metric.card.stored:
        scores = _through_store(requests, metric, store, workers)
    else:
        with keeping(kept_answers(store) if metric.card.kind == "judge" else None):
            scores = _spread(requests, metric, workers)
    return scores if inverse is None else scores.take(inverse)


def may_mark_spans(metric: Metric) -> bool:
    """Return whether a metric marks error spans, before the user's texts are scored.

    One invented segment shows it, unless the metric says so itself. A metric that fails on that segment is taken to mark spans: the
    run reports what is wrong.
    """
    if metric.marks_spans is not None:
        return metric.marks_spans
    try:
        return score(Batch(["a"], ["a"], (["a"],)), metric).spans is not None
    except Exception:
        return True


def check_needs(batch: Batch, metric: Metric, before: int = 0) -> None:
    """Refuse at once what the metric's card says it cannot do without; `before` is how many segments came before these."""
    check_columns(batch, metric)
    if metric.card.needs_reference and (missing := rows_without(batch)) is not None:
        number = before + int(missing.argmax()) + 1
        raise InputError(f"{metric.card.name} needs a reference, and segment {number} has none.")


def check_columns(batch: Batch, metric: Metric) -> None:
    """Refuse texts that lack a column that the metric needs; rows may lack a reference."""
    card = metric.card
    if card.needs_reference and not batch.references:
        raise InputError(f"{card.name} needs a reference, and none was given (--ref FILE, or references=[...]).")
    if card.needs_source and batch.sources is None:
        raise InputError(f"{card.name} needs the source, and none was given (--src FILE, or sources=[...]).")
    if card.needs == "either" and batch.sources is None and not batch.references:
        raise InputError(f"{card.name} needs a source or a reference, and neither was given (--src FILE, --ref FILE).")


def relevant(batch: Batch, metric: Metric) -> Batch:
    """The batch without the columns that cannot change this metric's numbers."""
    card = metric.card
    return replace(
        batch,
        sources=None if card.needs in ("reference", "translation") else batch.sources,
        references=None if card.reference_free else batch.references,
        langpairs=None if card.by_characters else batch.langpairs,
        systems=None,
        documents=None,
        ids=None,
        groups=None,
    )


def kept_answers(store: Store | None = None) -> Keeper:
    """Where the answers of language models are kept: beside the scores, and also where nobody wants scores kept."""
    from assay.engine.store import default_store

    return (store or default_store()).answers


def distinct_requests(batch: Batch, metric: Metric) -> Batch:
    """The different requests that a metric gets of a batch."""
    return _distinct(relevant(batch, metric))[1]


def _distinct(batch: Batch) -> tuple[NDArray[np.int64] | None, Batch]:
    """The way back from the different requests to the rows, and those requests; None when no row repeats another."""
    import numpy as np

    others = [column for column in (batch.sources, batch.langpairs) if column is not None]
    rows, inverse = _native.distinct(batch.hypotheses, batch.references or (), others)
    if len(rows) == len(batch) and bool((rows == np.arange(len(batch))).all()):
        return None, batch
    return inverse, batch.select(rows.tolist())


def _spread(batch: Batch, metric: Metric, workers: int | None) -> Scores:
    """Score parts of the batch side by side; the metric's loops release the GIL."""
    threads = workers or cores()
    if threads == 1 or len(batch) <= PART // 2 or metric.card.neural:
        with working(workers):  # a neural metric makes its own batches and keeps its device or the cores busy by itself
            return scored(metric, batch)
    size = min(PART, -(-len(batch) // threads))
    parts = [batch.slice(start, start + size) for start in range(0, len(batch), size)]
    return Scores.concat(list(_pool(threads).map(functools.partial(scored, metric), parts)))


def _through_store(batch: Batch, metric: Metric, store: Store, workers: int | None) -> Scores:
    """Look every request up, score only what is missing, keep it, and give all of it back in order."""
    from assay.engine.records import pack, unpack

    keys = store.keys(str(metric.signature), batch)
    records = store.get_many(keys)
    missing = [key not in records for key in keys]
    slow, wanted, done = metric.card.neural, sum(missing), 0
    for part in _parts(missing, FIRST_PART if slow else len(missing)):
        if slow:
            tell(metric.card.name, done, wanted)
        fresh = pack(_spread(batch.select(part), metric, workers))
        found = [(keys[i], record) for i, record in zip(part, fresh, strict=True)]
        store.put_many(found)
        records.update(found)
        done += len(part)
    if slow:
        tell(metric.card.name, wanted, wanted)
    return unpack([records[key] for key in keys])


def _parts(missing: Sequence[bool], size: int) -> Iterator[list[int]]:
    """The missing rows in parts, the first of `size`, so that what is stored survives a kill.

    A neural metric's last digits depend on the rows it packs together. Parts therefore end where they would if nothing were
    stored: a run that was killed goes on with the parts it would have had. Where less than a part is missing, parts are joined.
    """
    waiting: list[int] = []
    start = 0
    while start < len(missing):
        end = min(start + size, len(missing))
        waiting += [i for i in range(start, end) if missing[i]]
        if len(waiting) >= end - start:
            yield waiting
            waiting = []
        start, size = end, min(2 * size, PART)
    if waiting:
        yield waiting


@functools.cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="assay")
