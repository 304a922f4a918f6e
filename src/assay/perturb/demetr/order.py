"""DEMETR 14: two neighbouring words in the wrong order."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Tools
from assay.perturb.cards import card_of
from assay.perturb.demetr.rules import TextRule, first_fit
from assay.perturb.language.letters import pattern
from assay.perturb.language.texts import capital, spaceless

if TYPE_CHECKING:
    import numpy as np

_WORD = r"<W>+(?:[-'’.,:/]<W>+)*%?"


class WordSwap(TextRule):
    """Two words with nothing but a space between them change places; the sentence keeps its capital."""

    card = card_of("word-swap")

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Swap two different words."""
        text = segment.hypothesis
        unspaced = spaceless(language)
        spans = (
            tools.get("words", language)(text)
            if unspaced
            else [match.span() for match in pattern(_WORD).finditer(text)]
        )
        between = "" if unspaced else " "
        pairs = [
            (a, b, c, d)
            for (a, b), (c, d) in itertools.pairwise(spans)
            if text[b:c] == between and text[a:b].lower() != text[c:d].lower()
        ]

        def swap(pair: tuple[int, int, int, int]) -> Perturbed | None:
            a, b, c, d = pair
            first, second = text[a:b], text[c:d]
            if not text[:a].strip("\"'“”‘’([ ") and first[:1].isupper():
                first, second = (first if _proper(first, text) else first[0].lower() + first[1:]), capital(second)
            if text[a:d] == second + between + first:
                return None
            return Perturbed((Change(a, d, second + between + first),), f"{text[a:d]} -> {second}{between}{first}")

        return first_fit(rng, pairs, swap, "no two different words in a row")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """The same letters, two words moved."""
        found = super().problems(segment, perturbed, language, tools)
        good, bad = segment.hypothesis, perturbed.apply(segment.hypothesis)
        if sorted(good.lower()) != sorted(bad.lower()):
            found.append("more than the order changed")
        return found


def _proper(word: str, text: str) -> bool:
    """A first word that keeps its capital: all capitals, mixed, ``I``, or seen again with one further on."""
    return (
        word == "I"
        or (len(word) > 1 and not word[1:].islower())
        or len(re.findall(rf"\b{re.escape(word)}\b", text)) > 1
    )
