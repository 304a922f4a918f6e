"""DEMETR baselines (32 to 35): an empty text, an unrelated translation, shuffled words, and the reference itself."""

from __future__ import annotations

import itertools
import re

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.perturb.cards import card_of
from assay.perturb.demetr.rules import TextRule
from assay.perturb.language.hash_ring import segment_ring
from assay.perturb.language.texts import capitalise, is_spaceless

_FINAL = re.compile(r"[.!?…。！？।]*[\"'”’»」』)]*\s*$")
_TRIES = 20


class Empty(TextRule):
    """Baseline with a single full stop, as in DEMETR 32; ``empty:stop=no`` gives the empty string."""

    tidy = False
    card = card_of("empty")

    def __init__(self, stop: bool = True) -> None:
        self.stop = stop

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        text, left = segment.hypothesis, "." if self.stop else ""
        if text.strip() == left:
            return Refused("already empty")
        return Perturbed((Change(0, len(text), left),), "everything omitted")


class Unrelated(TextRule):
    """Baseline with the translation of another sentence from the same corpus and language pair (DEMETR 33)."""

    tidy = False
    card = card_of("unrelated")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Use another segment's text, from another document if documents are known."""
        others = segment_ring(tools.others())
        for _ in range(_TRIES if others else 0):
            other = others.draw(rng)
            related = other.source is not None and other.source == segment.source
            related |= other.document is not None and other.document == segment.document
            if not related and self._differs(other, segment, language):
                text = segment.hypothesis
                return Perturbed((Change(0, len(text), other.hypothesis),), f"taken from {other.id or 'elsewhere'}")
        return Refused("no other segment in the corpus")

    def _differs(self, other: Segment, segment: Segment, language: str) -> bool:
        if not other.hypothesis.strip() or (other.langpair and other.langpair.rpartition("-")[2] != language):
            return False
        first, second = set(other.hypothesis.lower().split()), set(segment.hypothesis.lower().split())
        return len(first & second) * 2 < max(len(first), len(second), 2)


class Shuffled(TextRule):
    """Baseline with the words in random order (DEMETR 34); the initial capital and the final punctuation stay in place."""

    tidy = False
    card = card_of("shuffled")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Shuffle until the order is different."""
        text = segment.hypothesis
        match = _FINAL.search(text)
        end = match.start() if match and match.start() else len(text)
        unspaced = is_spaceless(language)
        words = _split_words(text[:end], tools.get("words", language)) if unspaced else text[:end].split()
        if len(set(words)) < 2 + (len(words) > 2):
            return Refused("too few different words")
        if not unspaced and len(words) > 1:
            words[0] = _decapitalise(words[0], text)
        for _ in range(_TRIES):
            order = _close([words[i] for i in rng.permutation(len(words))])
            new = ("" if unspaced else " ").join(order)
            new = capitalise(new) if text[:1].isupper() else new
            if new != text[:end]:
                return Perturbed((Change(0, end, new),), f"{len(words)} words shuffled")
        return Refused("too few different words")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the characters are the same, apart from case and spaces."""
        good = segment.hypothesis
        bad = perturbed.apply(good)
        problems = super().problems(segment, perturbed, language, tools)
        if sorted("".join(good.lower().split())) != sorted("".join(bad.lower().split())):
            problems.append("words were lost or added")
        return problems


def _close(words: list[str]) -> list[str]:
    """Move a word without a trailing comma to the end, so the final punctuation can follow it."""
    last = next((i for i in reversed(range(len(words))) if words[i][-1:] not in ",;:，、；："), len(words) - 1)
    return [*words[:last], *words[last + 1 :], words[last]]


def _split_words(text: str, spans: object) -> list[str]:
    """Return the words of a text without spaces, each with the punctuation that follows it."""
    starts = [start for start, _ in spans(text)]  # type: ignore[operator]
    bounds = [0, *starts[1:], len(text)]
    return [text[a:b] for a, b in itertools.pairwise(bounds) if a < b]


def _decapitalise(word: str, text: str) -> str:
    """Return the first word in lower case, unless it also occurs capitalised elsewhere or is in capitals (a name, ``I``)."""
    if len(word) < 2 or not word[1:].islower() or word in text[len(word) :].split():
        return "a" if word == "A" else word
    return word[0].lower() + word[1:]


class Reference(TextRule):
    """Baseline that compares the translation with the reference (DEMETR 35). The reference is better, so it is the item's good
    text.

    DEMETR keeps the translation as the good text and reverses the count; the accuracy is the same.
    """

    tidy = False
    card = card_of("reference")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        text, reference = segment.hypothesis, segment.references[0]
        if text == reference:
            return Refused("the reference equals the translation")
        return Perturbed((Change(0, len(reference), text),), "the reference is the good text", good=reference)
