"""Error spans against error spans: character-level F1 with partial credit, agreement between raters.

A span is (start, end, severity) in characters of the translation. An empty span marks the one character at its start, an
end beyond the text is cut to it; critical counts as major and neutral as no error.
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
    """Which characters of a text are marked minor, and which major."""
    minor, major = np.zeros(length, bool), np.zeros(length, bool)
    for start, end, severity in spans:
        if severity not in _LEVEL:
            raise InputError(f"severity {severity!r} is none of {', '.join(_LEVEL)}.")
        if not 0 <= start <= end or start > length:
            raise InputError(f"span {start}:{end} lies outside its text of {length} characters.")
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
    "exact",  # spans with equal ends and severity
    "gold_spans",
    "predicted_spans",
)
PLACES = {name: place for place, name in enumerate(FIELDS)}
LEVELS = ("minor", "major")


def counts(gold: Spans, predicted: Spans, length: int) -> Floats:
    """The row of `FIELDS` for one translation of `length` characters."""
    row = np.zeros(len(FIELDS))
    if not gold and not predicted:
        return row
    (gold_minor, gold_major), (minor, major) = marks(gold, length), marks(predicted, length)
    people, found = gold_minor | gold_major, minor | major
    both = people & found
    right = (gold_minor & gold_major & found) | (gold_minor & minor) | (gold_major & major)
    spans, guesses = _ends(gold), _ends(predicted)
    size = np.count_nonzero
    found_both = size(both)
    row[:] = (
        0.5 * found_both + 0.5 * size(right), found_both, size(people), size(found),
        size(gold_minor & minor), size(gold_minor), size(minor),
        size(gold_major & major), size(gold_major), size(major),
        len(spans & guesses), len(spans), len(guesses),
    )  # fmt: skip
    return row


def total_counts(gold: Sequence[Spans], predicted: Sequence[Spans], lengths: Sequence[int]) -> Floats:
    """The sum of `counts` over translations, from which the scores of the WMT23 quality-estimation task follow."""
    if not len(gold) == len(predicted) == len(lengths):
        people, texts = count(len(gold), "gold segment"), count(len(lengths), "text")
        raise InputError(f"{people}, {len(predicted):,} predicted and {texts} must match.")
    return np.asarray(np.sum(list(map(counts, gold, predicted, lengths)) or [np.zeros(len(FIELDS))], axis=0))


def _ends(spans: Spans) -> set[Span]:
    """The different spans that mark an error, with their severity as it counts."""
    return {(start, end, "minor" if level == "minor" else "major") for start, end, level in spans if level != "neutral"}


def ratio(part: Floats, whole: Floats, empty: float = 0.0) -> Floats:
    """part / whole, and `empty` where there is nothing to divide by."""
    shape = np.broadcast(part, whole).shape
    quotients: Floats = np.divide(part, whole, out=np.full(shape, empty), where=np.asarray(whole) > 0)
    return quotients


def harmonic(precision: Floats, recall: Floats) -> Floats:
    """F1; 0 where both are."""
    return ratio(2 * precision * recall, precision + recall)


def f1(
    sums: Floats, found: str = "credit", gold: str = "gold", predicted: str = "predicted", *, empty: float = 0.0
) -> Floats:
    """F1 from summed rows, over the last axis: any of the counts of what was found against what there was on each side.

    `empty` where there is nothing on either side; bootstrap draws pass NaN, which `drop_undefined` leaves out.
    """
    some = sums[..., PLACES[gold]] + sums[..., PLACES[predicted]] > 0
    return np.where(some, harmonic(precision(sums, found, predicted), recall(sums, found, gold)), empty)


def precision(sums: Floats, found: str = "credit", predicted: str = "predicted", *, empty: float = 0.0) -> Floats:
    """Share of what was predicted that is right."""
    return ratio(sums[..., PLACES[found]], sums[..., PLACES[predicted]], empty)


def recall(sums: Floats, found: str = "credit", gold: str = "gold", *, empty: float = 0.0) -> Floats:
    """Share of gold that was found."""
    return ratio(sums[..., PLACES[found]], sums[..., PLACES[gold]], empty)


def drop_undefined(drawn: Floats) -> Floats:
    """Return the draws that have a value; a single NaN if none has.

    A resample without the spans in question says nothing about the share of them that is found: it is no evidence for 0.
    """
    kept = drawn[~np.isnan(drawn)]
    return kept if len(kept) else np.full(1, np.nan)


def grouped(rows: Floats, groups: Sequence[object]) -> Floats:
    """Rows of the same group summed, groups in the order of their first row: what is drawn anew together."""
    numbers: dict[object, int] = {}
    which = np.array([numbers.setdefault(group, len(numbers)) for group in groups], dtype=np.int64)
    summed = np.zeros((len(numbers), rows.shape[1]))
    np.add.at(summed, which, rows)
    return summed
