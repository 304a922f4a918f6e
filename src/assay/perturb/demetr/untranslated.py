"""DEMETR 4: a word left in the source language.

Which source word belongs to which translated word is told by the segments of the pool (`alignment`): words that go together
there, or look alike, and are each other's best partner in the sentence. Where that leaves a doubt, the nearest pair by place
and frequency is offered with a low confidence, which ``assay make`` refuses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Tools
from assay.perturb.cards import card_of
from assay.perturb.demetr.rules import TextRule
from assay.perturb.language.alignment import READ, WordAlignment, aligned, content_words
from assay.perturb.language.confidence import SURE, confident
from assay.perturb.language.ring import Ring
from assay.perturb.language.texts import capital

if TYPE_CHECKING:
    import numpy as np

Span = tuple[int, int]


class UntranslatedWord(TextRule):
    """One content word of the translation is replaced by the source word that it comes from."""

    card = card_of("untranslated-word")

    def __init__(self) -> None:
        self._known: dict[str, WordAlignment] = {}

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Draw from the pairs of words that are sure; from the nearest of the others where none is."""
        pair = segment.langpair or ""
        source_language = pair.rpartition("-")[0]
        if not source_language:
            return Refused("the source language is not known")
        if pair not in self._known:
            self._known[pair] = aligned(pair, tools)
        source, text = segment.source or "", segment.hypothesis
        lowered = text.lower()
        theirs = [
            e for e in content_words(source, source_language, tools) if source[slice(*e[0])].lower() not in lowered
        ]
        ours = content_words(text, language, tools)
        if not theirs or not ours:
            return Refused("no content word")
        found = self._known[pair].pairs(source, [span for span, _ in theirs], text, [span for span, _ in ours])
        sure = [entry for entry in found if entry[2] >= SURE]
        if sure:
            mine, other, confidence = Ring(sure, lambda entry: text[slice(*entry[0])]).draw(rng)
        else:
            mine, other = _nearest(source, theirs, text, ours)
            confidence = next((value for a, b, value in found if (a, b) == (mine, other)), 0.1)
        new = source[slice(*other)]
        if not source[: other[0]].strip(" \"'“„«‘(-–—") and source_language != "de" and text[mine[0]].islower():
            new = new[:1].lower() + new[1:]
        elif text[mine[0]].isupper() and mine[0] == 0:
            new = capital(new)
        made = Perturbed((Change(*mine, new),), f"{text[slice(*mine)]} -> {new}")
        return confident(made, alignment=confidence if pair in READ or confidence < SURE else SURE - 0.01)

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """The new word stands in the source and did not stand in the translation."""
        found = super().problems(segment, perturbed, language, tools)
        word = perturbed.changes[0].text
        if word.lower() not in (segment.source or "").lower() or word.lower() in segment.hypothesis.lower():
            found.append(f"{word!r} is not a word of the source alone")
        return found


def _nearest(
    source: str, theirs: list[tuple[Span, float]], text: str, ours: list[tuple[Span, float]]
) -> tuple[Span, Span]:
    """The word of the translation and the source word that are nearest by place and frequency."""

    def distance(mine: tuple[Span, float], other: tuple[Span, float]) -> float:
        apart = abs(sum(mine[0]) / (2 * len(text)) - sum(other[0]) / (2 * len(source)))
        return 6 * apart + abs(mine[1] - other[1])

    _, mine, other = min((distance(mine, other), mine[0], other[0]) for mine in ours for other in theirs)
    return mine, other
