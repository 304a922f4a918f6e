"""Perturbations that repeat the last word (DEMETR 1 and 2) or swap two adjacent words (14)."""

from __future__ import annotations

import itertools
import re

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.perturb.cards import card_of, variant
from assay.perturb.demetr.rules import TextRule, first_fit
from assay.perturb.language.texts import capitalise, compile_pattern, is_mark, is_spaceless

_ABBREVIATION = re.compile(r"(?:[^\W\d_]\.){2,}$|(?:etc|Inc|Ltd|Jr|Sr|Co)\.$")
_OPENING = "\"'“”‘’„«»([{「『《¿¡"


class Repetition(TextRule):
    """Base class of rules that write the last word `times` times."""

    times = 2

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        text = segment.hypothesis
        span = find_last_word(text, language, tools)
        if span is None:
            return Refused("no word")
        start, end = span
        word = text[start:end]
        between = "" if is_spaceless(language) else " "
        return Perturbed((Change(end, end, (between + word) * (self.times - 1)),), f"{word} x {self.times}")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the inserted text repeats the word before it."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        inserted = change.text.strip()
        word = inserted[: len(inserted) // (self.times - 1)].strip() if self.times > 1 else inserted
        if not segment.hypothesis[: change.start].endswith(word):
            problems.append("the inserted text is not the word before it")
        return problems


def find_last_word(text: str, language: str, tools: Tools) -> tuple[int, int] | None:
    """Return the position of the last word without punctuation; dots of an abbreviation belong to it."""
    if is_spaceless(language):
        spans: list[tuple[int, int]] = tools.get("words", language)(text)
        return spans[-1] if spans else None
    for match in reversed(list(re.finditer(r"\S+", text))):
        token = match.group()
        if _ABBREVIATION.search(token):
            bare = token.lstrip(_OPENING)
            return match.end() - len(bare), match.end()
        letters = [i for i, character in enumerate(token) if _may_end_word(character)]
        if letters:
            first = next(i for i, character in enumerate(token) if character not in _OPENING)
            return match.start() + first, match.start() + letters[-1] + 1
    return None


def _may_end_word(character: str) -> bool:
    """Return whether a word may end in the character: letters with marks, digits, signs that belong to a number."""
    return character.isalnum() or character in "%€$£°" or is_mark(character)


RepeatTwice = variant(Repetition, "repeat-twice", times=2)
RepeatFourTimes = variant(Repetition, "repeat-four-times", times=4)
_WORD = r"<W>+(?:[-'’.,:/]<W>+)*%?"


class WordSwap(TextRule):
    """Perturbation that swaps two words separated only by a space (DEMETR 14); the sentence keeps its initial capital."""

    card = card_of("word-swap")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        text = segment.hypothesis
        unspaced = is_spaceless(language)
        spans = (
            tools.get("words", language)(text)
            if unspaced
            else [match.span() for match in compile_pattern(_WORD).finditer(text)]
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
                first, second = (
                    (first if _keeps_capital(first, text) else first[0].lower() + first[1:]),
                    capitalise(second),
                )
            if text[a:d] == second + between + first:
                return None
            return Perturbed((Change(a, d, second + between + first),), f"{text[a:d]} -> {second}{between}{first}")

        return first_fit(rng, pairs, swap, "no two different words in a row")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the text contains the same letters."""
        problems = super().problems(segment, perturbed, language, tools)
        good, bad = segment.hypothesis, perturbed.apply(segment.hypothesis)
        if sorted(good.lower()) != sorted(bad.lower()):
            problems.append("more than the order changed")
        return problems


def _keeps_capital(word: str, text: str) -> bool:
    """Return whether a first word keeps its capital: capitals or mixed case, ``I``, or capitalised again later."""
    return (
        word == "I"
        or (len(word) > 1 and not word[1:].islower())
        or len(re.findall(rf"\b{re.escape(word)}\b", text)) > 1
    )
