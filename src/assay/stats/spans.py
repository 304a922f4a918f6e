"""Counts of error spans compared with gold spans: character-level F1 with partial credit, precision and recall.

A span is (start, end, severity) in characters of the translation. An empty span marks the one character at its start, and an
end beyond the text is clipped. Critical counts as major, and neutral as no error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import InputError, count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]

Span = tuple[int, int, str]
Spans = Sequence[Span]
_LEVEL = {"neutral": None, "minor": "minor", "major": "major", "critical": "major"}


def marks(spans: Spans, length: int) -> tuple[Bools, Bools]:
    """Return which characters of a text are marked minor, and which major."""
    minor, major = np.zeros(length, bool), np.zeros(length, bool)
    for start, end, severity in spans:
        if severity not in _LEVEL:
            raise InputError(f"severity {severity!r} is unknown. Use one of {', '.join(_LEVEL)}.")
        if not 0 <= start <= end or start > length:
            raise InputError(f"span {start}:{end} is outside the text, which has {length} characters.")
        level = _LEVEL[severity]
        if level is not None:
            (minor if level == "minor" else major)[start : max(end, start + 1)] = True
    return minor, major


FIELDS = (
    "credit",  # characters found: 1 with the right severity, 0.5 with the other one
    "located",  # characters found, whatever the severity
    "gold",
    "predicted",
    "minor_both",
    "minor_gold",
    "minor_predicted",
    "major_both",
    "major_gold",
    "major_predicted",
    "exact",  # spans with the same ends and severity
    "gold_spans",
    "predicted_spans",
)
PLACES = {name: column for column, name in enumerate(FIELDS)}
LEVELS = ("minor", "major")


def counts(gold: Spans, predicted: Spans, length: int) -> Floats:
    """Return the `FIELDS` row for one translation of `length` characters."""
    row = np.zeros(len(FIELDS))
    if not gold and not predicted:
        return row
    (gold_minor, gold_major), (minor, major) = marks(gold, length), marks(predicted, length)
    annotated, marked = gold_minor | gold_major, minor | major
    both = annotated & marked
    right = (gold_minor & gold_major & marked) | (gold_minor & minor) | (gold_major & major)
    spans, guesses = _ends(gold), _ends(predicted)
    size = np.count_nonzero
    located = size(both)
    row[:] = (
        0.5 * located + 0.5 * size(right), located, size(annotated), size(marked),
        size(gold_minor & minor), size(gold_minor), size(minor),
        size(gold_major & major), size(gold_major), size(major),
        len(spans & guesses), len(spans), len(guesses),
    )  # fmt: skip
    return row


def total_counts(gold: Sequence[Spans], predicted: Sequence[Spans], lengths: Sequence[int]) -> Floats:
    """Sum `counts` over translations, the basis for the scores in the WMT23 quality-estimation task."""
    if not len(gold) == len(predicted) == len(lengths):
        gold_segments, texts = count(len(gold), "gold segment"), count(len(lengths), "text")
        raise InputError(f"there are {gold_segments}, {len(predicted):,} predicted and {texts}; the counts must match.")
    return np.asarray(np.sum(list(map(counts, gold, predicted, lengths)) or [np.zeros(len(FIELDS))], axis=0))


def _ends(spans: Spans) -> set[Span]:
    """Return the distinct spans that mark an error, with the severity that counts."""
    return {(start, end, "minor" if level == "minor" else "major") for start, end, level in spans if level != "neutral"}


def ratio(part: Floats, whole: Floats, empty: float = 0.0) -> Floats:
    """Return part / whole, or `empty` if whole is 0."""
    shape = np.broadcast(part, whole).shape
    quotients: Floats = np.divide(part, whole, out=np.full(shape, empty), where=np.asarray(whole) > 0)
    return quotients


def harmonic(precision: Floats, recall: Floats) -> Floats:
    """Return F1 from precision and recall; 0 if both are 0."""
    return ratio(2 * precision * recall, precision + recall)


def f1(
    sums: Floats, hits: str = "credit", gold: str = "gold", predicted: str = "predicted", *, empty: float = 0.0
) -> Floats:
    """Return F1 from summed rows, over the last axis.

    `hits`, `gold` and `predicted` name the fields to compare. If both sides are empty, the result is `empty`; bootstrap draws
    pass NaN, which `drop_undefined` removes.
    """
    present = sums[..., PLACES[gold]] + sums[..., PLACES[predicted]] > 0
    return np.where(present, harmonic(precision(sums, hits, predicted), recall(sums, hits, gold)), empty)


def precision(sums: Floats, hits: str = "credit", predicted: str = "predicted", *, empty: float = 0.0) -> Floats:
    """Return the share of predictions that are correct."""
    return ratio(sums[..., PLACES[hits]], sums[..., PLACES[predicted]], empty)


def recall(sums: Floats, hits: str = "credit", gold: str = "gold", *, empty: float = 0.0) -> Floats:
    """Return the share of gold that was detected."""
    return ratio(sums[..., PLACES[hits]], sums[..., PLACES[gold]], empty)


def drop_undefined(draws: Floats) -> Floats:
    """Return the draws that have a value, or a single NaN if none does.

    A resample without the spans in question does not mean that the share is 0.
    """
    defined = draws[~np.isnan(draws)]
    return defined if len(defined) else np.full(1, np.nan)


def sum_by_group(rows: Floats, groups: Sequence[object]) -> Floats:
    """Sum the rows of each group, in order of first occurrence; groups are the units that a bootstrap resamples."""
    numbers: dict[object, int] = {}
    which = np.array([numbers.setdefault(group, len(numbers)) for group in groups], dtype=np.int64)
    summed = np.zeros((len(numbers), rows.shape[1]))
    np.add.at(summed, which, rows)
    return summed
