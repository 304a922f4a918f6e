"""What a run keeps of one chunk of rows: the scores of every metric, whose rows they are, and their exact sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.core.metric import Scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.core.metric import Floats


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a chunk beside values, components and flags."""

    stats: bool = False
    """The sufficient statistics of every segment, for resampling."""
    spans: bool = False
    """Error spans."""
    columns: tuple[str, ...] = ()
    """Columns of the batch by name: ``hypotheses``, ``langpairs``, ``ids`` …, and ``reference`` for the first of those."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Scores of consecutive rows. `codes` numbers each row's system in `systems`, which holds all names met so far."""

    systems: Sequence[str]
    codes: NDArray[np.int32]
    scores: Mapping[str, Scores]
    """By metric; statistics and spans only where they are kept."""
    sums: Mapping[str, Mapping[tuple[int, int], Floats]]
    """By metric, and by system and language number: parts that add up to the exact sum of the statistics (`assay.core.sums`)."""
    flags: Mapping[str, int] = field(default_factory=dict)
    """How many rows a reader should know about: of the texts (``empty_hypothesis``) or of a metric (``comet truncated``)."""
    columns: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    languages: Sequence[str] = ()
    """The target languages met so far, where a metric goes by them; `spoken` numbers each row's."""
    spoken: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.codes)
