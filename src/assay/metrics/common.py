"""What metrics share: getting at the references, lower-casing whole columns, rates of edits, F1, the best of several references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.metric import Card, Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.metric import Bools, Floats

References = tuple[Sequence[str | None], ...]


def reference_columns(batch: Batch, card: Card) -> References:
    """The batch's reference columns; a metric that needs one says so when there is none."""
    if not batch.references:
        raise InputError(f"{card.name} needs a reference, and none was given (--ref FILE, or references=[...]).")
    if batch.nrefs > 1 or None in batch.references[0]:
        for i, row in enumerate(zip(*batch.references, strict=True)):
            if all(text is None for text in row):
                raise InputError(f"{card.name} needs a reference, and segment {i + 1} has none.")
    return batch.references


def with_references(batch: Batch, card: Card) -> tuple[list[int], list[str]]:
    """Each row beside each of its references: the rows, and the references."""
    rows: list[int] = []
    texts: list[str] = []
    for i, here in enumerate(zip(*reference_columns(batch, card), strict=True)):
        known = [text for text in here if text is not None]
        rows += [i] * len(known)
        texts += known
    return rows, texts


def lowercased(hypotheses: Sequence[str], references: References) -> tuple[list[str], References]:
    """Both sides in lower case, as Python's ``str.lower`` gives it."""
    lowered = tuple([None if text is None else text.lower() for text in column] for column in references)
    return [text.lower() for text in hypotheses], lowered


def bounded_scores(stats: Floats, values: Floats, bounded: Bools) -> Scores:
    """A kernel's statistics and values, with the flag ``bounded`` where some value is an upper bound only."""
    return Scores(values, stats=stats, flags={"bounded": bounded} if bounded.any() else {})


def error_rate(stats: Floats) -> Floats:
    """All edits over all reference symbols of [edits, reference length]; without any symbol 1 if there were edits, else 0."""
    edits, length = stats[..., 0], stats[..., 1]
    without_reference = np.where(edits > 0, 1.0, 0.0)
    return np.asarray(np.divide(edits, length, out=without_reference, where=length > 0))


def f1(precision: Floats, recall: Floats) -> Floats:
    """The harmonic mean; 0 where the sum is not above 0."""
    total = precision + recall
    return np.asarray(np.divide(2 * precision * recall, total, out=total * 0.0, where=total > 0))


def best(values: Sequence[float], rows: Sequence[int], count: int, *, higher: bool = True) -> NDArray[np.int64]:
    """For each of `count` rows, the place of its best value, the highest (or the lowest); the first of equals, NaN the worst."""
    places = [-1] * count
    for at, row in enumerate(rows):
        known = places[row]
        if (
            known < 0
            or values[known] != values[known]
            or (values[at] > values[known] if higher else values[at] < values[known])
        ):
            places[row] = at
    return np.array(places, np.int64)
