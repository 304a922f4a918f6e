"""Rows that lack a reference: left out for metrics that need one, counted, and reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.batch import Batch
from assay.core.errors import InputError, count, listing
from assay.core.metric import Metric, Scores
from assay.core.references import MISSING
from assay.core.spans import ErrorSpan
from assay.engine.languages import score_by_language

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.metric import Bools
    from assay.engine.run import ScoredRun
    from assay.engine.store import Store


def score_with_missing(
    batch: Batch,
    metric: Metric,
    without: Bools | None,
    *,
    languages: tuple[Sequence[str], NDArray[np.int32]] | None = None,
    workers: int | None = None,
    store: Store | None = None,
) -> Scores:
    """Scores of every row, in order; the rows `without` a reference have no value, and statistics that add nothing."""
    if without is None:
        return score_by_language(batch, metric, languages=languages, workers=workers, store=store)
    rows = np.flatnonzero(~without)
    if languages is not None:
        languages = languages[0], languages[1][rows]
    scores = score_by_language(batch.select(rows.tolist()), metric, languages=languages, workers=workers, store=store)
    return _spread(scores, rows, len(batch))


def _spread(scores: Scores, rows: NDArray[np.int64], n: int) -> Scores:
    """The scores at their `rows` among `n`."""

    def over(column: NDArray[Any], fill: float) -> NDArray[Any]:
        whole = np.full((n, *column.shape[1:]), fill, column.dtype)
        whole[rows] = column
        return whole

    spans: list[tuple[ErrorSpan, ...]] | None = None
    if scores.spans is not None:
        spans = [()] * n
        for row, found in zip(rows.tolist(), scores.spans, strict=True):
            spans[row] = found
    return Scores(
        values=over(scores.values, np.nan),
        stats=None if scores.stats is None else over(scores.stats, 0.0),
        components={name: over(column, np.nan) for name, column in scores.components.items()},
        spans=spans,
        flags={name: over(column, 0) for name, column in scores.flags.items()},
    )


def refuse_all_missing(run: ScoredRun) -> None:
    """Refuse a run in which a system has no reference at all, and a metric needs one."""
    for metric in run.asked.values():
        for system, rows in run.segments.items() if metric.card.needs_reference else ():
            if rows and run.flagged()[system].get(MISSING, 0) == rows:
                of = f" of {system}" if len(run.segments) > 1 else ""
                raise InputError(f"{metric.card.name} needs a reference, and no segment{of} has one.")


def missing_notes(metrics: Iterable[Metric], flags: Mapping[str, Mapping[str, int]], segments: int) -> list[str]:
    """What to report of rows without a reference, and of empty references that were scored; `flags` are counts by system."""
    needy = listing(metric.card.label for metric in metrics if metric.card.needs_reference)
    notes = []
    for flag, said in (
        (MISSING, f"no reference: left out of {needy} (--empty-reference changes that)"),
        (
            "empty_reference",
            f"an empty reference: scored against it by {needy} (--empty-reference skip leaves them out)",
        ),
    ):
        counts = {system: mine[flag] for system, mine in flags.items() if flag in mine}
        if counts and needy:
            rows = sum(counts.values())
            of = listing(f"{system} {n:,}" for system, n in counts.items()) if len(flags) > 1 else ""
            notes.append(
                f"{rows:,} of {count(segments, 'segment')} {'has' if rows == 1 else 'have'} {said}{of and f': {of}'}."
            )
    return notes
