"""Shared helpers for metrics: pairing rows with references, lower case, error rates, F1, and the best of several references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from assay.core.batch import Batch
from assay.core.metric import Card, Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.metric import Bools, Floats

References = tuple[Sequence[str | None], ...]


def reference_columns(batch: Batch, card: Card) -> References:
    """Return the batch's reference columns. Raise an error if a row has no reference."""
    card.check_needs(batch)
    return batch.references or ()


def with_any_references(batch: Batch, card: Card) -> tuple[list[int], list[str | None]]:
    """Pair each row with each of its references, or with None if it has none but does not need one. Return rows and references."""
    card.check_needs(batch)
    columns = () if card.reference_free else batch.references or ()
    rows: list[int] = []
    references: list[str | None] = []
    for i in range(len(batch)):
        present: list[str | None] = [text for column in columns if (text := column[i]) is not None]
        references += present or [None]
        rows += [i] * max(len(present), 1)
    return rows, references


def with_references(batch: Batch, card: Card) -> tuple[list[int], list[str]]:
    """Pair each row with each of its references. Return the rows and the references."""
    rows, references = with_any_references(batch, card)
    return rows, cast("list[str]", references)


def with_sources_or_references(batch: Batch, card: Card) -> tuple[list[int], list[str]]:
    """Pair each row with its source if the metric reads sources, else with each of its references."""
    if card.needs != "source":
        return with_references(batch, card)
    card.check_needs(batch)
    return list(range(len(batch))), [text or "" for text in batch.sources or ()]


def truncated(cut: Bools) -> dict[str, Bools]:
    """Return the flag for rows that exceed the model's maximum length, or nothing if there are none."""
    return {"truncated": cut} if cut.any() else {}


def lowercased(hypotheses: Sequence[str], references: References) -> tuple[list[str], References]:
    """Return both sides in lower case, converted with ``str.lower``."""
    lowered = tuple([None if text is None else text.lower() for text in column] for column in references)
    return [text.lower() for text in hypotheses], lowered


def bounded_scores(stats: Floats, values: Floats, bounded: Bools) -> Scores:
    """Return scores from a kernel's statistics and values; values that are upper bounds get the flag ``bounded``."""
    return Scores(values, stats=stats, flags={"bounded": bounded} if bounded.any() else {})


def error_rate(stats: Floats) -> Floats:
    """Divide edits by reference length, given [edits, reference length]. If the length is 0, any edits give 1, none give 0."""
    edits, length = stats[..., 0], stats[..., 1]
    without_reference = np.where(edits > 0, 1.0, 0.0)
    return np.asarray(np.divide(edits, length, out=without_reference, where=length > 0))


def f1(precision: Floats, recall: Floats) -> Floats:
    """Return the harmonic mean; 0 if the sum is not positive."""
    total = precision + recall
    return np.asarray(np.divide(2 * precision * recall, total, out=total * 0.0, where=total > 0))


def best(values: Sequence[float], rows: Sequence[int], count: int, *, higher: bool = True) -> NDArray[np.int64]:
    """Return the index of each row's best value, the highest or the lowest; ties go to the first value, and NaN comes last."""
    indices = [-1] * count
    for at, row in enumerate(rows):
        current = indices[row]
        if (
            current < 0
            or values[current] != values[current]
            or (values[at] > values[current] if higher else values[at] < values[current])
        ):
            indices[row] = at
    return np.array(indices, np.int64)
