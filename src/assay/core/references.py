"""Missing references: which cells are none, and what becomes of a row that has no reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from assay.core.errors import InputError, unknown

if TYPE_CHECKING:
    from assay.core.batch import Batch
    from assay.core.metric import Bools

EmptyReference = Literal["score", "skip", "error"]
"""What becomes of a row whose references are all empty: it is scored against an empty reference, left out for metrics that need a
reference, or an error."""
MISSING = "missing_reference"
"""The flag of a row without a reference."""
References = Sequence[Sequence[str | None]]


def check_choice(choice: str | None) -> None:
    """Refuse a choice that does not exist."""
    if choice is not None and choice not in get_args(EmptyReference):
        raise unknown("choice for empty references", choice, get_args(EmptyReference))


def settled(
    columns: References, choice: EmptyReference, where: Callable[[int], str]
) -> tuple[Sequence[str | None], ...]:
    """Return the columns with None for every empty text, and with rows that have no reference treated as `choice` says.

    `where` names a row in messages.
    """
    columns = tuple(map(_without_blanks, columns))
    if choice == "skip" or not columns or None not in columns[0]:
        return columns
    rows = [i for i, texts in enumerate(zip(*columns, strict=True)) if not any(texts)]
    if rows and choice == "error":
        raise InputError(
            f"{where(rows[0])} has no reference. Add it, or leave such rows out with --empty-reference skip."
        )
    first = list(columns[0])
    for i in rows:
        first[i] = ""
    return (first, *columns[1:])


def _without_blanks(column: Sequence[str | None]) -> Sequence[str | None]:
    if None not in column and all(map(str.strip, column)):  # type: ignore[arg-type]
        return column
    return [text if text and text.strip() else None for text in column]


def rows_with_empty(batch: Batch) -> Bools | None:
    """Return which rows of a batch have an empty reference; None if no row has one."""
    import numpy as np

    columns = [column for column in batch.references or () if "" in column]
    return np.any([[text == "" for text in column] for column in columns], axis=0) if columns else None


def rows_without(batch: Batch) -> Bools | None:
    """Return which rows of a batch have no reference; None if all have one, or the batch has no references at all."""
    import numpy as np

    columns = batch.references
    if not columns or any(None not in column for column in columns):
        return None
    rows = np.array([all(text is None for text in texts) for texts in zip(*columns, strict=True)], bool)
    return rows if rows.any() else None
