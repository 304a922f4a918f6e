"""Description of the first difference between two results from the same metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.metric import NEURAL_TOLERANCE, Scores
from assay.core.spans import ErrorSpan


def difference(one: Scores, other: Scores, neural: bool, what: str) -> str:
    """Return the first column that differs, and where; an empty text if all columns are the same.

    Columns must be equal to the last bit, those of a `neural` metric within its tolerance. A missing flag counts as not raised.
    `what` describes when the column changed.
    """
    for (name, left), (_, right) in zip(_columns(one, other), _columns(other, one), strict=True):
        near = neural and left.dtype.kind == "f" and left.shape == right.shape
        if near and np.allclose(left, right, atol=NEURAL_TOLERANCE, rtol=0, equal_nan=True):
            continue
        if left.shape != right.shape or not np.array_equal(left, right, equal_nan=left.dtype.kind == "f"):
            return f"{name} {what}: {_first_difference(left, right, NEURAL_TOLERANCE if near else 0.0)}"
    if one.spans is not None and _positions(one.spans, neural) != _positions(other.spans or (), neural):
        return f"spans {what}"
    return ""


def _positions(spans: Sequence[Sequence[ErrorSpan]], neural: bool) -> list[tuple[Any, ...]]:
    """Return the spans to compare; without the confidence for a neural metric, because it varies like the scores."""
    if not neural:
        return [tuple(row) for row in spans]
    return [tuple((span.side, span.start, span.end, span.severity) for span in row) for row in spans]


def _columns(scores: Scores, other: Scores) -> Iterator[tuple[str, Any]]:
    yield "values", scores.values
    yield "stats", np.empty(0) if scores.stats is None else scores.stats
    for kind in ("components", "flags"):
        columns: Mapping[str, Any] = getattr(scores, kind)
        for name in sorted({*columns, *getattr(other, kind)}):
            absent = np.zeros(len(scores), bool) if kind == "flags" else np.empty(0)
            yield f"{kind[:-1]} {name!r}", columns.get(name, absent)


def _first_difference(one: Any, other: Any, tolerance: float) -> str:
    if one.shape != other.shape:
        return f"{len(one)} rows and {len(other)} rows."
    differs = ~np.isclose(one, other, atol=tolerance, rtol=0, equal_nan=True)
    row = int(np.argwhere(differs)[0][0])
    return f"segment {row} has {one[row]} and {other[row]}."
