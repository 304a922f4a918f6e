"""What people and downstream programs said about translations."""

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
    """One rater's verdict on one translation: a score, error spans, or both."""

    score: float | None = None
    spans: tuple[ErrorSpan, ...] = ()
    rater: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A batch with human verdicts beside it, as columns.

    `scores` maps a name (``mqm``, ``da``) to one number a segment, NaN where nobody judged; `labels` maps a name to a yes or
    no a segment; `spans` holds the error spans of each segment.
    """

    batch: Batch
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    labels: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    spans: Sequence[Sequence[ErrorSpan]] | None = None

    def select(self, rows: Sequence[int]) -> Judged:
        """The given rows, in the given order."""
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
                    f"judgement column {name!r} has {len(column):,} rows, the batch has {len(self.batch):,}."
                )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened downstream: did the step that read the translation succeed, or break down?"""

    id: str
    success: bool
    task: str = ""
    detail: str = ""
