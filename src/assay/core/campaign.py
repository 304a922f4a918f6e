"""Human evaluation campaigns: judgements by several raters of several systems, as scores, error spans or both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from assay.core.judged import Judgement

Protocol = Literal["MQM", "ESA", "DA", "spans"]


class Cell(NamedTuple):
    """One system's translation of one segment."""

    langpair: str
    system: str
    segment: str

    def __str__(self) -> str:
        return " ".join(filter(None, (self.langpair, self.system, f"segment {self.segment}")))


@dataclass(frozen=True, slots=True)
class JudgedText:
    """The judged translation with its source and reference; None if the file does not contain them."""

    text: str | None = None
    source: str | None = None
    reference: str | None = None
    document: str = ""


@dataclass(frozen=True)
class Campaign:
    """Judgements by translation, with the texts. Higher scores are better."""

    name: str
    protocol: Protocol
    judgements: Mapping[Cell, Sequence[Judgement]]
    texts: Mapping[Cell, JudgedText] = field(default_factory=dict)
    marked: bool = False
    """Whether raters marked error spans. If not, an empty list of spans does not mean that there is no error."""
    standard: frozenset[tuple[str, str]] = frozenset()
    """(langpair, system) of translations that serve as the reference, which metrics do not score."""
    notes: Sequence[str] = ()
    """What the reader skipped or decided."""
    counted: bool = False
    """Whether segments had no ids and were numbered in their order."""

    @property
    def langpairs(self) -> list[str]:
        """The language pairs in the order of their first judgement; ``""`` if the file does not name any."""
        return list(dict.fromkeys(cell.langpair for cell in self.judgements))

    @property
    def raters(self) -> list[str]:
        """The raters in the order of their first judgement."""
        return list(dict.fromkeys(judgement.rater for _, judgement in self.each()))

    def systems(self, langpair: str) -> list[str]:
        """Return the systems of a language pair, in the order of their first judgement."""
        return list(dict.fromkeys(cell.system for cell in self.judgements if cell.langpair == langpair))

    def each(self) -> Iterator[tuple[Cell, Judgement]]:
        """Yield every judgement with its translation."""
        for cell, judgements in self.judgements.items():
            for judgement in judgements:
                yield cell, judgement

    def of_langpairs(self, wanted: Sequence[str]) -> Campaign:
        """Return the campaign restricted to these language pairs."""
        chosen = {cell: judgements for cell, judgements in self.judgements.items() if cell.langpair in wanted}
        return replace(self, judgements=chosen)
