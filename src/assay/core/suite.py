"""Interface of a suite (a challenge set or a human-rated test set), and a metric's scores on it."""

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
    """Description of a suite: origin, licence, citation, and how to get it."""

    name: str
    title: str
    kind: Literal["contrastive", "judged"]
    analysis: str
    """Name of the analysis that produces this suite's tables."""
    origin: str
    licence: str
    citation: str
    languages: str
    folders: tuple[str, ...]
    """Names of folders under the data directory in which the suite is looked up."""
    how_to_get: str
    checksums: Mapping[str, str] = field(default_factory=dict)
    """File name to SHA-256 of the distributed file."""
    downloads: Mapping[str, str] = field(default_factory=dict)
    """File name to the URL it is fetched from; empty if the suite cannot be fetched."""
    by_language: bool = False
    """Whether metrics adapt to the target language (BLEU's tokenizer). Published sets use the setting behind their numbers: the
    same for every language."""


class Suite(ABC):
    """A challenge set or human-rated test set. It reads its files once and is independent of metrics.

    Example:
        ```python
        class Pairs(assay.Suite):
            card = SuiteCard(name="pairs", ...)

            def load(self, folder):
                return [assay.Item("1", "The house.", "Das Haus.", "Das Haus.", "Die Haus.", "gender")]
        ```
    """

    card: SuiteCard
    skip_bad: bool = False
    """Whether to skip unusable rows and list them in `problems`, instead of stopping at the first; set it before `load`."""
    problems: Sequence[str] = ()
    """One sentence per row that `load` skipped or that looks wrong."""
    notes: Sequence[str] = ()
    """One sentence per ambiguity that `load` resolved, such as quotation marks."""

    @abstractmethod
    def load(self, folder: Path | None) -> Sequence[Item] | Judged:
        """Return the items (contrastive) or the judged batch from a local copy; built-in suites do not need a folder."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric's scores on a suite, unchanged (never negated; NaN if a text was not scored).

    Contrastive suites have `good` and `incorrect`, one value per item. Judged suites have `values`, one per segment. The direction
    is `card.higher_is_better`.
    """

    name: str
    card: Card
    good: Floats | None = None
    incorrect: Floats | None = None
    values: Floats | None = None
    contaminated: bool = False
    """Whether the metric's card says that it was trained on this suite."""
    good_spans: Sequence[Sequence[ErrorSpan]] | None = None
    incorrect_spans: Sequence[Sequence[ErrorSpan]] | None = None
    """Error spans in each item's translations; None if the metric does not mark spans."""
    flags: Mapping[str, int] = field(default_factory=dict)
    """Number of texts with each flag of the metric, such as ``truncated``."""
