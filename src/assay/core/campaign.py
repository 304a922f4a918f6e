"""A campaign: what several raters said about several systems' translations, by scores, by error spans, or by both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
    """The translation that was judged, and what it was judged beside; None where the file does not say."""

    text: str | None = None
    source: str | None = None
    reference: str | None = None
    document: str = ""


@dataclass(frozen=True)
class Campaign:
    """Judgements by translation, with the texts; scores are higher for better."""

    name: str
    protocol: Protocol
    judgements: Mapping[Cell, Sequence[Judgement]]
    texts: Mapping[Cell, JudgedText] = field(default_factory=dict)
    marked: bool = False
    """Whether raters marked error spans; else an empty list of spans says nothing."""
    standard: frozenset[tuple[str, str]] = frozenset()
    """(langpair, system) of translations that serve as the reference: no metric is asked about them."""
    notes: Sequence[str] = ()
    """What the reader left out or decided."""
    counted: bool = False
    """Whether segments had no names of their own, so that they were counted in their order."""

    @property
    def langpairs(self) -> list[str]:
        """Language pairs in the order of their first judgement; one without a name is ``""``."""
        return list(dict.fromkeys(cell.langpair for cell in self.judgements))

    @property
    def raters(self) -> list[str]:
        """Raters in the order of their first judgement."""
        return list(dict.fromkeys(judgement.rater for _, judgement in self.each()))

    def systems(self, langpair: str) -> list[str]:
        """Systems of a language pair, in the order of their first judgement."""
        return list(dict.fromkeys(cell.system for cell in self.judgements if cell.langpair == langpair))

    def each(self) -> Iterator[tuple[Cell, Judgement]]:
        """Every judgement with what it is about."""
        for cell, judgements in self.judgements.items():
            for judgement in judgements:
                yield cell, judgement

    def of_langpairs(self, wanted: Sequence[str]) -> Campaign:
        """The judgements of some language pairs."""
        from dataclasses import replace

        kept = {cell: found for cell, found in self.judgements.items() if cell.langpair in wanted}
        return replace(self, judgements=kept)
