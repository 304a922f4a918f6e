"""Scoring of a batch with a metric: deduplication, look-up in the store, parallel computation, validation.

A metric receives parts of the batch with identical references next to each other, so each reference is prepared once.
Results are in the batch's order and do not depend on the number of workers.

A metric that depends on the target language scores each row with the variant for its language. Metrics that need a reference skip
rows without one. The output of third-party metrics is validated, and errors give the metric's file and line.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.batch import Batch
from assay.core.context import ResponseCache, cores, use_response_cache, use_threads
from assay.core.error_attribution import attribute_errors, is_third_party, location
from assay.core.errors import InputError, count
from assay.core.metric import Metric, Scores
from assay.engine.records import PART, through_store
from assay.kernels import _native

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.metric import Bools, Floats
    from assay.core.spans import ErrorSpan
    from assay.engine.store import Store

Languages = tuple[Sequence[str], "NDArray[np.int32]"]
"""Target languages, and the index of each row's language."""


def score(
    batch: Batch,
    metric: Metric,
    *,
    languages: Languages | None = None,
    without: Bools | None = None,
    workers: int | None = None,
    store: Store | None = None,
) -> Scores:
    """Return the scores of every row of `batch`, in its order.

    Args:
        batch: The texts.
        metric: The metric. With `languages` (see `assay.engine.languages`), each row is scored with the variant for its language.
        languages: Target languages, and the index of each row's language.
        without: The rows without a reference. They get no value, and their statistics add nothing.
        workers: Threads; by default one per core.
        store: The store for scores of slow metrics.
    """
    if without is not None or (languages is not None and metric.by_language and len(batch)):
        rows = np.arange(len(batch)) if without is None else np.flatnonzero(~without)
        shares = _shares(metric, languages, rows)
        if len(shares) > 1 or len(rows) < len(batch):
            return _joined(
                [(own, score(batch.select(own.tolist()), one, workers=workers, store=store)) for own, one in shares],
                len(batch),
            )
        metric = shares[0][1]
    metric.card.check_needs(batch)
    compute = functools.partial(_validated, metric) if is_third_party(metric) else metric.score
    if len(batch) == 0:
        return compute(batch)
    if (other := metric.reads) is not None:
        return metric.reading(score(batch, other, workers=workers, store=store))
    inverse, requests = _distinct(relevant(batch, metric))
    if store is not None and metric.card.stored:
        scores = through_store(requests, metric, store, functools.partial(score, metric=metric, workers=workers))
    else:
        with (
            use_response_cache(open_response_cache(store) if metric.card.kind == "judge" else None),
            use_threads(workers),
        ):
            threads = _threads(requests, metric, workers)
            scores = compute(requests) if threads == 1 else _spread(requests, compute, threads)
    return scores if inverse is None else scores.take(inverse)


def _shares(
    metric: Metric, languages: Languages | None, rows: NDArray[np.int64]
) -> list[tuple[NDArray[np.int64], Metric]]:
    """Return the `rows` for each target language, with the corresponding metric."""
    if languages is None or not metric.by_language or not len(rows):
        return [(rows, metric)]
    names, codes = languages
    present = np.unique(codes[rows]).tolist()
    return [(rows[codes[rows] == code], metric.for_language(names[code])) for code in present]


def _joined(shares: Sequence[tuple[NDArray[np.int64], Scores]], n: int) -> Scores:
    """Return the scores at their rows among `n`."""
    rows = np.concatenate([own for own, _ in shares])
    scores = Scores.concat([part for _, part in shares])
    if len(rows) == n:
        return scores.take(np.argsort(rows))

    def over(column: NDArray[Any], fill: float) -> NDArray[Any]:
        whole = np.full((n, *column.shape[1:]), fill, column.dtype)
        whole[rows] = column
        return whole

    spans: list[tuple[ErrorSpan, ...]] | None = None
    if scores.spans is not None:
        spans = [()] * n
        for row, marked in zip(rows.tolist(), scores.spans, strict=True):
            spans[row] = marked
    return Scores(
        values=over(scores.values, np.nan),
        stats=None if scores.stats is None else over(scores.stats, 0.0),
        components={name: over(column, np.nan) for name, column in scores.components.items()},
        spans=spans,
        flags={name: over(column, 0) for name, column in scores.flags.items()},
    )


def may_mark_spans(metric: Metric) -> bool:
    """Return whether a metric marks error spans, before the user's texts are scored.

    Unless the metric declares it, one invented segment is scored. A metric that fails on that segment counts as marking
    spans; the run then reports the error.
    """
    if metric.marks_spans is not None:
        return metric.marks_spans
    try:
        return score(Batch(["a"], ["a"], (["a"],)), metric).spans is not None
    except Exception:
        return True


def relevant(batch: Batch, metric: Metric) -> Batch:
    """Return the batch without the columns that cannot affect this metric's scores."""
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


def open_response_cache(store: Store | None = None) -> ResponseCache:
    """Return the store for language model answers. It is next to the score store and is used even if scores are not stored."""
    from assay.engine.store import default_store

    return (store or default_store()).answers


def distinct_requests(batch: Batch, metric: Metric) -> Batch:
    """Return the distinct requests that a metric receives for a batch."""
    return _distinct(relevant(batch, metric))[1]


def _distinct(batch: Batch) -> tuple[NDArray[np.int64] | None, Batch]:
    """Return each row's index among the distinct requests (None if all rows are distinct), and the distinct requests."""
    others = [column for column in (batch.sources, batch.langpairs) if column is not None]
    rows, inverse = _native.distinct(batch.hypotheses, batch.references or (), others)
    if len(rows) == len(batch) and bool((rows == np.arange(len(batch))).all()):
        return None, batch
    return inverse, batch.select(rows.tolist())


def _threads(batch: Batch, metric: Metric, workers: int | None) -> int:
    """Return the number of threads: one for few rows, and for neural metrics, which use their device or the cores themselves."""
    return 1 if len(batch) <= PART // 2 or metric.card.neural else workers or cores()


def _spread(batch: Batch, compute: Callable[[Batch], Scores], threads: int) -> Scores:
    """Score parts of the batch in parallel; the metric's loops release the GIL."""
    size = min(PART, -(-len(batch) // threads))
    parts = [batch.slice(start, start + size) for start in range(0, len(batch), size)]
    return Scores.concat(list(_pool(threads).map(compute, parts)))


@functools.cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="assay")


def _validated(metric: Metric, batch: Batch) -> Scores:
    """Return the scores of a third-party metric after checking every column."""
    with attribute_errors(metric, f"the metric {metric.card.name}"):
        scores = metric.score(batch)
    if not isinstance(scores, Scores):
        raise _broken(metric, f"{type(scores).__name__}, not assay.Scores")
    rows = len(batch)
    components = {name: _column(metric, f"component {name!r}", c, rows) for name, c in scores.components.items()}
    flags = {name: _column(metric, f"flag {name!r}", c, rows, np.bool_) for name, c in scores.flags.items()}
    if scores.spans is not None and len(scores.spans) != rows:
        raise _broken(metric, f"spans for {count(len(scores.spans), 'segment')} of {rows:,}")
    stats = None if scores.stats is None else _column(metric, "stats", scores.stats, rows, dimensions=2)
    return replace(
        scores, values=_column(metric, "values", scores.values, rows), stats=stats, components=components, flags=flags
    )


def check_corpus(metric: Metric, sums: Floats) -> None:
    """Check that `combine` of a third-party metric returns one number for one corpus, and two for two."""
    if not is_third_party(metric):
        return
    for argument in (sums, np.stack([sums, sums])):
        with attribute_errors(metric, f"combine of the metric {metric.card.name}"):
            result = metric.combine(argument)
        try:
            shape = np.asarray(result, np.float64).shape
        except (TypeError, ValueError):
            raise _broken(metric, f"{_shown(result)}, not a number", "combine") from None
        if shape != argument.shape[:-1]:
            expected = "one number for one corpus" if argument is sums else "one number per row of sums"
            raise _broken(
                metric, f"an array of shape {shape}, not {expected}; it must work on the last axis", "combine"
            )


def _column(metric: Metric, name: str, column: Any, rows: int, kind: Any = np.float64, dimensions: int = 1) -> Any:
    """Return the column as an array after checking that it has a number (or boolean) for every segment."""
    try:
        array = np.asarray(column)
        array = (
            array
            if array.dtype == kind
            else array.astype(kind, casting="same_kind" if array.dtype != object else "unsafe")
        )
    except (TypeError, ValueError):
        what = "numbers" if kind is np.float64 else "yes or no"
        raise _broken(metric, f"{name} that are {_shown(column)}, not {what}") from None
    if array.ndim != dimensions:
        raise _broken(metric, f"{name} of {array.ndim} dimensions, not {dimensions}")
    if len(array) != rows:
        what = count(len(array), "score") if name == "values" else f"{len(array):,} {name}"
        raise _broken(metric, f"{what} for {count(rows, 'segment')}; it must return one per segment, in order")
    return array


def _shown(value: object) -> str:
    return repr(value).partition("\n")[0][:40]


def _broken(metric: Metric, result: str, method: str = "score") -> InputError:
    place = location(metric, method=method)
    return InputError(f"{method} of the metric {metric.card.name} ({place}) returned {result}.")
