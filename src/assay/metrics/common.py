"""What the string metrics share: getting at the references, and lower-casing whole columns."""

from __future__ import annotations

from collections.abc import Sequence

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.metric import Card

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


def lowercased(hypotheses: Sequence[str], references: References) -> tuple[list[str], References]:
    """Both sides in lower case, as Python's ``str.lower`` gives it."""
    lowered = tuple([None if text is None else text.lower() for text in column] for column in references)
    return [text.lower() for text in hypotheses], lowered
