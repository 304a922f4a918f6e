"""Human judgements of translations as columns, and downstream outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.spans import ErrorSpan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Judgement:
    """One rater's judgement of one translation: a score, error spans, or both."""

    score: float | None = None
    spans: tuple[ErrorSpan, ...] = ()
    rater: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A batch with human judgements as columns.

    `scores` maps a name (``mqm``, ``da``) to one number per segment, NaN if it was not judged. `labels` maps a name to one boolean
    per segment. `spans` holds the error spans of each segment.
    """

    batch: Batch
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    labels: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    spans: Sequence[Sequence[ErrorSpan]] | None = None

    def select(self, rows: Sequence[int]) -> Judged:
        """Return these rows, in this order."""
        chosen = list(rows)
        return Judged(
            self.batch.select(chosen),
            {name: column[chosen] for name, column in self.scores.items()},
            {name: column[chosen] for name, column in self.labels.items()},
            None if self.spans is None else [self.spans[row] for row in chosen],
        )

    def __post_init__(self) -> None:
        for name, column in (*self.scores.items(), *self.labels.items()):
            if len(column) != len(self.batch):
                raise InputError(
                    f"judgement column {name!r} has {len(column):,} rows, but the batch has {len(self.batch):,}; they must match."
                )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a downstream program that read a translation: success or breakdown."""

    id: str
    success: bool
    task: str = ""
    detail: str = ""
