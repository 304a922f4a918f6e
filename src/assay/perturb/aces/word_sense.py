"""Ambiguous English words told apart by the source word: ACES section 5.2.2 (after MuCoW), with our own list of words.

The good translation has a cue for the right sense before the word (*vegetable stock*), the incorrect one a cue for the other
sense (*penny stock*); the reference has none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Tools
from assay.data import rows
from assay.perturb.cards import card_of
from assay.perturb.language.texts import source_language

if TYPE_CHECKING:
    import numpy as np

LANGUAGES = ("de", "fr", "es", "ru")


@dataclass(frozen=True, slots=True)
class Sense:
    """A source word by language and the English cue that tells this sense."""

    words: dict[str, str]
    cue: str


def _read() -> dict[str, tuple[Sense, Sense]]:
    senses: dict[str, list[Sense]] = {}
    for row in rows("words/word_senses.tsv"):
        senses.setdefault(row["word"], []).append(Sense({code: row[code] for code in LANGUAGES}, row["cue"]))
    return {word: (frequent, infrequent) for word, (frequent, infrequent) in senses.items()}


SENSES = _read()
"""English word to its more frequent and its less frequent sense."""


class WordSense(Perturbation):
    """A cue for the right or the wrong sense before an ambiguous word."""

    frequent = True

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Find an ambiguous word whose sense the source tells."""
        text, origin = segment.hypothesis, source_language(segment)
        if origin not in LANGUAGES:
            return Refused(f"the source language must be one of {', '.join(LANGUAGES)}")
        seen = False
        for match in re.finditer(r"(?<![\w-])([a-z]+?)(s?)(?![\w-])", text):
            senses = SENSES.get(match[1])
            if senses is None or re.search(r"\b(?:to|will|can|could|would|should) $", text[: match.start()]):
                continue
            stems = [re.escape(sense.words[origin][: max(4, len(sense.words[origin]) - 2)]) for sense in senses]
            spoken = [bool(re.search(rf"(?<!\w){stem}", segment.source or "", re.IGNORECASE)) for stem in stems]
            if spoken[0] and spoken[1] and len(stems[1]) > len(stems[0]) and stems[0] in stems[1]:
                spoken[0] = False
            if sum(spoken) != 1:
                continue
            seen = True
            if spoken[0] == self.frequent:
                right, wrong = senses if spoken[0] else senses[::-1]
                return self._made(text, match.start(), match[0], right.cue, wrong.cue)
        return Refused("the other sense" if seen else "no ambiguous word whose sense the source tells")

    @staticmethod
    def _made(text: str, start: int, word: str, right: str, wrong: str) -> Perturbed:
        vowel = re.compile("[aeiou]")

        def before(cue: str) -> str:
            return re.sub(r"\b([Aa])n? $", rf"\g<1>{'n' if vowel.match(cue) else ''} ", text[:start])

        good = f"{before(right)}{right} {text[start:]}"
        bad = f"{before(wrong)}{wrong} {text[start:]}"
        at = next((i for i, (a, b) in enumerate(zip(good, bad, strict=False)) if a != b), 0)
        end = len(f"{before(right)}{right}")
        new = bad[at : len(f"{before(wrong)}{wrong}")]
        meta = {"word": word, "good": right, "new": wrong}
        return Perturbed((Change(at, end, new),), f"{right} {word} -> {wrong} {word}", meta, good=good, reference=text)

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """The reference is the text without a cue."""
        found = super().problems(segment, perturbed, language, tools)
        word, cue = str(perturbed.meta.get("word")), str(perturbed.meta.get("new"))
        if f"{cue} {word}" not in perturbed.incorrect(segment):
            found.append("the cue does not stand before the word")
        if f"{cue} {word}" in (perturbed.reference or ""):
            found.append("the reference has the cue")
        return found


class FrequentSense(WordSense):
    """The source has the word's frequent sense."""

    card = card_of("word-sense-frequent")
    frequent = True


class InfrequentSense(WordSense):
    """The source has the word's rarer sense."""

    card = card_of("word-sense-infrequent")
    frequent = False
