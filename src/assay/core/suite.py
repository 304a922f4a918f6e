"""The contract of a suite (a challenge set or a judged set), and of what a metric said about it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from assay.core.item import Item
from assay.core.judged import Judged
from assay.core.metric import Card
from assay.core.spans import ErrorSpan

if TYPE_CHECKING:
    from assay.core.metric import Floats


@dataclass(frozen=True, slots=True)
class SuiteCard:
    """Where a suite comes from, under which terms, and how to get it."""

    name: str
    title: str
    kind: Literal["contrastive", "judged"]
    analysis: str
    """Name of the analysis that makes this suite's tables."""
    origin: str
    licence: str
    citation: str
    languages: str
    folders: tuple[str, ...]
    """Folder names under the data directory that this suite answers to."""
    how_to_get: str
    checksums: Mapping[str, str] = field(default_factory=dict)
    """File name to sha256, for the files as they are distributed."""
    downloads: Mapping[str, str] = field(default_factory=dict)
    """File name to the address it is fetched from; empty when the suite cannot be fetched."""
    by_language: bool = False
    """Whether a metric that goes by the target language (BLEU's tokenizer) does so here. A published set keeps what its numbers
    were made with: one setting for every language."""


class Suite(ABC):
    """One challenge set or judged set. It opens its files once and knows nothing of metrics."""

    card: SuiteCard
    skip_bad: bool = False
    """Leave rows out that cannot be used and name them in `problems`, instead of stopping at the first; set before `load`."""
    problems: Sequence[str] = ()
    """What `load` left out or found odd, in sentences."""
    notes: Sequence[str] = ()
    """How `load` read what could be read in two ways (quotation marks), in sentences."""

    @abstractmethod
    def load(self, folder: Path | None) -> Sequence[Item] | Judged:
        """The items (contrastive) or the judged batch, read from a local copy; embedded suites need no folder."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one metric said about a suite: raw values as the metric gives them (never flipped; NaN: unscored).

    Contrastive suites have `good` and `incorrect`, one value an item; judged suites have `values`, one a segment.
    The direction is read from `card.higher_is_better`.
    """

    name: str
    card: Card
    good: Floats | None = None
    incorrect: Floats | None = None
    values: Floats | None = None
    contaminated: bool = False
    """True when the metric's card says it was trained on this suite."""
    good_spans: Sequence[Sequence[ErrorSpan]] | None = None
    incorrect_spans: Sequence[Sequence[ErrorSpan]] | None = None
    """The error spans that the metric marks in each item's translations; None for a metric that marks none."""
    flags: Mapping[str, int] = field(default_factory=dict)
    """How many texts the metric raised a flag for: ``truncated`` …"""
