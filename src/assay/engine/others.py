"""Metrics that other people wrote, held to the contract: what one does wrong is told with its file and line."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.batch import Batch
from assay.core.blame import blamed, foreign, place
from assay.core.errors import InputError, count
from assay.core.metric import Metric, Scores

if TYPE_CHECKING:
    from assay.core.metric import Floats


def scored(metric: Metric, batch: Batch) -> Scores:
    """What a metric says about a batch; of a metric from elsewhere every column is looked at before it is believed."""
    if not foreign(metric):
        return metric.score(batch)
    with blamed(metric, f"the metric {metric.card.name}"):
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
    """Refuse a metric from elsewhere whose `combine` does not make one number of one corpus's sums, and two of two."""
    if not foreign(metric):
        return
    for given in (sums, np.stack([sums, sums])):
        with blamed(metric, f"combine of the metric {metric.card.name}"):
            made = metric.combine(given)
        try:
            shape = np.asarray(made, np.float64).shape
        except (TypeError, ValueError):
            raise _broken(metric, f"{_shown(made)}, not a number", "combine") from None
        if shape != given.shape[:-1]:
            what = "one number for one corpus" if given is sums else "one number for each row of sums"
            raise _broken(metric, f"an array of shape {shape}, not {what}: it works on the last axis", "combine")


def _column(metric: Metric, name: str, column: Any, rows: int, kind: Any = np.float64, dimensions: int = 1) -> Any:
    """The column as an array, if it has a number (or yes or no) for every segment."""
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
        raise _broken(metric, f"{what} for {count(rows, 'segment')}: it must give one each, in order")
    return array


def _shown(value: object) -> str:
    return repr(value).partition("\n")[0][:40]


def _broken(metric: Metric, gave: str, method: str = "score") -> InputError:
    return InputError(f"{method} of the metric {metric.card.name} ({place(metric, method=method)}) gave {gave}.")
