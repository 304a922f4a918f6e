"""Ambiguous connectives: *since* (ACES section 5.2.3) and *while* (5.8.2) told apart by the source.

The reference keeps the ambiguous word; the good translation says what the source means (*because*, *from the time*,
*whereas*, *as*), the incorrect one the other sense. The sense comes from the column `sense` (causal, temporal, contrast)
or from a source connective that has only one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Tools
from assay.perturb.cards import card_of
from assay.perturb.language.sentence import sentence_of
from assay.perturb.language.texts import like_case, reference_of, source_language

if TYPE_CHECKING:
    import numpy as np

SINCE = {"causal": "because", "temporal": "from the time"}
WHILE = {"contrast": "whereas", "temporal": "as"}

CUES: dict[str, dict[str, dict[str, str]]] = {
    "since": {
        "de": {"temporal": r"\bseit(?:dem)?\b", "causal": r"\b(?:da|weil|zumal)\b"},
        "fr": {"temporal": r"\bdepuis\b|\bdès\b", "causal": r"\b(?:puisqu\w*|car|parce qu|étant donné|comme)\b"},
        "es": {"temporal": r"\bdesde\b", "causal": r"\b(?:ya que|puesto que|dado que|porque)\b"},
        "ru": {"temporal": r"с тех пор|\bсо? времени\b", "causal": r"поскольку|потому что|так как"},
        "zh": {"temporal": r"自从|自|以来", "causal": r"因为|由于"},
        "ja": {"temporal": r"以来|から今", "causal": r"ので|ため"},
    },
    "while": {
        "es": {"contrast": r"\bmientras que\b", "temporal": r"\bmientras (?!que\b)"},
        "ru": {"contrast": r"тогда как|в то время как", "temporal": r"\bпока\b"},
        "zh": {"contrast": r"而", "temporal": r"的时候|期间|的同时|时，"},
        "ja": {"contrast": r"一方", "temporal": r"ながら|間に"},
    },
}
"""Source connectives that have one sense only; German *während* and French *tandis que* have both and need the column."""


def sense_of(segment: Segment, word: str) -> str | None:
    """The sense that the column or the source gives; None where both or neither speak."""
    given = segment.meta.get("sense", "").strip().lower()
    if given:
        return given
    cues = CUES[word].get(source_language(segment), {})
    found = [sense for sense, pattern in cues.items() if re.search(pattern, segment.source or "", re.IGNORECASE)]
    return found[0] if len(found) == 1 else None


class Connective(Perturbation):
    """One ambiguous connective made unambiguous, rightly and wrongly."""

    word = "since"
    sense = "causal"
    spelt: dict[str, str] = SINCE

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Take the translation if it has the word, else the reference."""
        reference = reference_of(segment)
        texts = [text for text in (segment.hypothesis, reference) if text and self._at(text, tools) is not None]
        if not texts:
            return Refused(f"no {self.word} before a clause")
        sense = sense_of(segment, self.word)
        if sense is None:
            return Refused("the source does not tell the sense (give the column sense)")
        if sense != self.sense:
            return Refused(f"the sense is {sense}")
        text = texts[0]
        at = self._at(text, tools)
        assert at is not None
        start, end = at
        right, wrong = (like_case(self.spelt[name], text[start:end]) for name in (sense, self._other()))
        good = text[:start] + right + text[end:]
        ambiguous = reference if reference and self._at(reference, tools) is not None else text
        change = Change(start, start + len(right), wrong)
        meta = {"sense": sense, "good": right, "new": wrong}
        return Perturbed((change,), f"{self.word}: {right} -> {wrong}", meta, good=good, reference=ambiguous)

    def _other(self) -> str:
        return next(name for name in self.spelt if name != self.sense)

    def _at(self, text: str, tools: Tools) -> tuple[int, int] | None:
        sentence = sentence_of(tools, text, "en")
        for i, word in enumerate(sentence.lower):
            if word == self.word and sentence.deps[i] in ("mark", "advmod") and sentence.pos[i] == "SCONJ":
                following = sentence.words[i + 1] if i + 1 < len(sentence) else ""
                if following and following[0].isalpha() and sentence.tags[i + 1] not in ("VBG", "VBN"):
                    return sentence.starts[i], sentence.ends[i]
        return None

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Good and incorrect differ in the connective; the reference still has the ambiguous one."""
        found = super().problems(segment, perturbed, language, tools)
        if self.word not in (perturbed.reference or "").lower():
            found.append("the reference has lost the ambiguous connective")
        if perturbed.changes[0].text.lower() != self.spelt[self._other()]:
            found.append("the incorrect connective is not the other sense")
        return found


class SinceCausal(Connective):
    """*since* that means *because*."""

    card = card_of("since-causal")
    word, sense, spelt = "since", "causal", SINCE


class SinceTemporal(Connective):
    """*since* that means *from the time*."""

    card = card_of("since-temporal")
    word, sense, spelt = "since", "temporal", SINCE


class WhileContrast(Connective):
    """*while* that means *whereas*."""

    card = card_of("while-contrast")
    word, sense, spelt = "while", "contrast", WHILE


class WhileTemporal(Connective):
    """*while* that means *as*."""

    card = card_of("while-temporal")
    word, sense, spelt = "while", "temporal", WHILE
