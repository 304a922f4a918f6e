"""Perturbations that replace a word with nonsense (ACES section 5.3.4) or with a wrong word that begins in the same way (5.3.5).

The paper replaces a subword from mBERT's tokenizer. Here a word is split in two and one part is replaced with a part of another
word in the corpus, which works for any alphabet. The result must occur neither in the corpus nor in wordfreq. As in the paper,
the reference is edited; if there is none, the translation is.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from assay.core.batch import Segment
from assay.core.errors import MissingPart
from assay.core.perturbation import Perturbation, Perturbed, Refused, Rng, Tools
from assay.perturb.cards import card_of, variant
from assay.perturb.language.hash_ring import word_ring
from assay.perturb.language.texts import (
    first_reference,
    match_case,
    other_reference,
    pick,
    replace_span,
    shuffle,
    target_language,
)

_WORD = re.compile(r"(?<![\w-])[^\W\d_]{6,}(?![\w-])")


@functools.lru_cache(maxsize=4)
def _vocabulary(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.lower() for text in texts for word in _WORD.findall(text)))


def _load_frequency(tools: Tools, language: str) -> Any:
    """Return the function for Zipf frequencies; if there is no data for the language, every word has frequency 0."""
    try:
        return tools.get("frequency", language)
    except MissingPart:
        return lambda word: 0.0


class Nonsense(Perturbation):
    """Perturbation that replaces part of a word with part of another word."""

    card = card_of("nonsense")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Draw a word of six letters or more and replace its first or second half."""
        base = other_reference(segment)
        text = base or segment.hypothesis
        candidates = [match for match in _WORD.finditer(text) if match[0][1:].lower() == match[0][1:]]
        others = tuple(other.hypothesis for other in tools.others() if target_language(other) == language)
        pool = _vocabulary(others or (segment.hypothesis, text))
        if not candidates or len(pool) < 2:
            return Refused("no word of six letters, or no other words to take parts from")
        frequency, vocabulary, around = _load_frequency(tools, language), frozenset(pool), word_ring(pool)
        for match in shuffle(candidates, rng)[:6]:
            for _ in range(8):
                new = _cross(match[0].lower(), around.draw(rng), rng)
                if new != match[0].lower() and new not in vocabulary and frequency(new) == 0:
                    new = match_case(new, match[0])
                    return replace_span(text, *match.span(), new, base=base)
        return Refused("every generated word exists")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the new text contains only letters and is not a word."""
        problems = super().problems(segment, perturbed, language, tools)
        new = perturbed.changes[0].text
        if not new.isalpha():
            problems.append("the nonsense has more than letters")
        if _load_frequency(tools, language)(new.lower()) > 0:
            problems.append("the word exists")
        return problems


def _cross(word: str, other: str, rng: Rng) -> str:
    cut, at = int(rng.integers(3, len(word) - 2)), int(rng.integers(3, len(other) - 2))
    return word[:cut] + other[at:] if rng.integers(2) else other[:at] + word[cut:]


class HallucinatedWord(Perturbation):
    """Perturbation that uses a frequent wrong word with the same beginning, as a model may continue the first subword wrongly."""

    in_reference = True

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Use the columns `target_word` and `hallucinated`, or find a word with the same beginning."""
        text, reference = segment.hypothesis, first_reference(segment) or ""
        from_columns = segment.meta.get("target_word", ""), segment.meta.get("hallucinated", "")
        in_reference = {match[0].lower() for match in _WORD.finditer(reference)}
        words = [match for match in _WORD.finditer(text) if match[0] == match[0].lower() or language == "de"]
        words = [match for match in words if (match[0].lower() in in_reference) == self.in_reference]
        if from_columns[0] and from_columns[1]:
            words = list(re.finditer(re.escape(from_columns[0]), text))
        if not words:
            return Refused(
                "no word of six letters that the reference has"
                if self.in_reference
                else "no word of six letters beside the reference's"
            )
        for match in shuffle(words, rng)[:6]:
            new = from_columns[1] or _find_same_beginning(match[0].lower(), language, rng)
            if new and new.lower() not in text.lower():
                new = match_case(new, match[0])
                return replace_span(text, *match.span(), new)
        return Refused("no other word with the same beginning")


def _find_same_beginning(word: str, language: str, rng: Rng) -> str | None:
    beginning = word[:3]
    options = [
        other
        for other in _by_beginning(language).get(beginning, ())
        if other[:5] != word[:5] and abs(len(other) - len(word)) <= 3
    ]
    return pick(options, rng) if options else None


@functools.lru_cache(maxsize=4)
def _by_beginning(language: str) -> dict[str, list[str]]:
    try:
        import wordfreq
    except ImportError:
        raise MissingPart("wrong words need wordfreq: pip install 'mt-assay[frequency]'.") from None
    if language not in wordfreq.available_languages():
        raise MissingPart(f"wordfreq has no words for language {language!r}. Omit this perturbation.")
    table: dict[str, list[str]] = {}
    for word in wordfreq.top_n_list(language, 20000):
        if len(word) >= 5 and word.isalpha():
            table.setdefault(word[:3], []).append(word)
    return table


HallucinatedVersusReference = variant(HallucinatedWord, "hallucinated-word-versus-reference", in_reference=True)
HallucinatedVersusSynonym = variant(HallucinatedWord, "hallucinated-word-versus-synonym", in_reference=False)
