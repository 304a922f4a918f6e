"""DEMETR 32 to 35, the baselines: nothing, another sentence's translation, the words shuffled, the reference itself."""

from __future__ import annotations

import itertools
import re

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.perturb.cards import card_of
from assay.perturb.demetr.rules import TextRule
from assay.perturb.language.hash_ring import segments
from assay.perturb.language.texts import capital, spaceless

_FINAL = re.compile(r"[.!?…。！？।]*[\"'”’»」』)]*\s*$")
_TRIES = 20


class Empty(TextRule):
    """DEMETR 32: a lone full stop, as DEMETR has it; ``empty:stop=no`` gives the empty string."""

    tidy = False
    card = card_of("empty")

    def __init__(self, stop: bool = True) -> None:
        self.stop = stop

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Take everything out."""
        text, left = segment.hypothesis, "." if self.stop else ""
        if text.strip() == left:
            return Refused("already empty")
        return Perturbed((Change(0, len(text), left),), "everything omitted")


class Unrelated(TextRule):
    """DEMETR 33: the translation of another sentence of the same corpus and language pair."""

    tidy = False
    card = card_of("unrelated")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Take another segment's text; one of another document where documents are known."""
        others = segments(tools.others())
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
    """DEMETR 34: the words in random order; the capital and the final punctuation stay where they were."""

    tidy = False
    card = card_of("shuffled")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Shuffle until the order is another one."""
        text = segment.hypothesis
        match = _FINAL.search(text)
        end = match.start() if match and match.start() else len(text)
        unspaced = spaceless(language)
        words = _pieces(text[:end], tools.get("words", language)) if unspaced else text[:end].split()
        if len(set(words)) < 2 + (len(words) > 2):
            return Refused("too few different words")
        if not unspaced and len(words) > 1:
            words[0] = _plain(words[0], text)
        for _ in range(_TRIES):
            order = _closed([words[i] for i in rng.permutation(len(words))])
            new = ("" if unspaced else " ").join(order)
            new = capital(new) if text[:1].isupper() else new
            if new != text[:end]:
                return Perturbed((Change(0, end, new),), f"{len(words)} words shuffled")
        return Refused("too few different words")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """The same characters, apart from case and spaces, in another order."""
        good = segment.hypothesis
        bad = perturbed.apply(good)
        found = super().problems(segment, perturbed, language, tools)
        if sorted("".join(good.lower().split())) != sorted("".join(bad.lower().split())):
            found.append("words were lost or added")
        return found


def _closed(words: list[str]) -> list[str]:
    """The words with one at the end that no comma hangs on, so that it can stand before the final punctuation."""
    last = next((i for i in reversed(range(len(words))) if words[i][-1:] not in ",;:，、；："), len(words) - 1)
    return [*words[:last], *words[last + 1 :], words[last]]


def _pieces(text: str, spans: object) -> list[str]:
    """The words of a text without spaces, each with the signs that follow it."""
    starts = [start for start, _ in spans(text)]  # type: ignore[operator]
    bounds = [0, *starts[1:], len(text)]
    return [text[a:b] for a, b in itertools.pairwise(bounds) if a < b]


def _plain(word: str, text: str) -> str:
    """The first word without its capital, unless it stands elsewhere with one or is all capitals (a name, ``I``)."""
    if len(word) < 2 or not word[1:].islower() or word in text[len(word) :].split():
        return "a" if word == "A" else word
    return word[0].lower() + word[1:]


class Reference(TextRule):
    """DEMETR 35: the reference beside the translation. The reference is the better text, so it is the item's good one.

    DEMETR keeps the translation as the good text and reverses the count; the accuracy is the same.
    """

    tidy = False
    card = card_of("reference")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Take the first reference."""
        text, reference = segment.hypothesis, segment.references[0]
        if text == reference:
            return Refused("the reference equals the translation")
        return Perturbed((Change(0, len(reference), text),), "the reference is the good text", good=reference)
