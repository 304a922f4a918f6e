"""DEMETR 25 and 26: a misspelt word, a word that lost a letter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Tools
from assay.data.words import lists
from assay.perturb.cards import card_of
from assay.perturb.demetr.rules import TextRule, first_fit
from assay.perturb.language.letters import is_mark, pattern
from assay.perturb.language.texts import base_language, like_case, pick, spaceless

if TYPE_CHECKING:
    import numpy as np

_LETTERS = r"(?<![\w'’-])<L>+(?![\w'’-])"
_SHORTEST = 5
"""Words below this length are misspelt only by the list: a rule would leave them hard to read."""


def misspellings() -> Mapping[str, tuple[str, ...]]:
    """Our list of common English misspellings: word to its wrong forms."""
    return lists("misspellings")


class Misspelling(TextRule):
    """DEMETR 25: one word misspelt as people do, by a list for English, else by a slip of the fingers.

    A slip swaps two inner letters, doubles one, or leaves one of a double out; the first letter stays.
    """

    card = card_of("misspelling")

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Misspell a word of the list, or any longer word where the list has none of the text's."""
        text = segment.hypothesis
        if spaceless(language):
            return Refused("the script has no spelling by letters")
        words = list(pattern(_LETTERS).finditer(text))
        if base_language(language) == "en":
            known = misspellings()
            listed = [word for word in words if _listed(word.group(), known)]
            if listed:
                word = pick(listed, rng)
                wrong = like_case(pick(_listed(word.group(), known), rng), word.group())
                return Perturbed((Change(*word.span(), wrong),), f"{word.group()} -> {wrong}")
        long = [word for word in words if len(word.group()) >= _SHORTEST and _ordinary(word.group())]
        return first_fit(rng, long, lambda word: _slipped(word, rng), "no word long enough")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """One word became another one of nearly the same length, by letters only."""
        found = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        word = segment.hypothesis[change.start : change.end]
        letters = pattern("<L>+").fullmatch(change.text)
        if not letters or abs(len(change.text) - len(word)) > 2:
            found.append(f"{change.text!r} is no misspelling of {word!r}")
        return found


def _listed(word: str, known: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The wrong forms of a word; a name of the list (Germany) only with its capital, others with any."""
    found = known.get(word) or (known.get(word.lower()) if word[1:].islower() else None)
    return found or ()


def _ordinary(word: str) -> bool:
    """No capitals but the first letter: not an abbreviation."""
    return word[1:] == word[1:].lower()


def _slipped(word: re.Match[str], rng: np.random.Generator) -> Perturbed | None:
    letters = word.group()
    wrong = set()
    for i in range(1, len(letters) - 1):
        a, b = letters[i], letters[i + 1]
        if a != b and not (is_mark(a) or is_mark(b)):
            wrong.add(letters[:i] + b + a + letters[i + 2 :])
        elif a == b:
            wrong.add(letters[:i] + letters[i + 1 :])
    options = sorted(wrong)
    if not options:
        return None
    new = pick(options, rng)
    return Perturbed((Change(*word.span(), new),), f"{letters} -> {new}")


def _bare_letters(word: str) -> list[int]:
    """Where the letters stand that carry no mark, so that none is left hanging; all letters where every one carries some."""
    letters = [i for i, character in enumerate(word) if character.isalpha()]
    return [i for i in letters if not is_mark(word[i + 1 : i + 2] or "a")] or letters


class CharacterRemoved(TextRule):
    """DEMETR 26: one letter missing from a word that is neither the first nor the last."""

    card = card_of("character-removed")

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Remove a letter of a longer word."""
        text = segment.hypothesis
        if spaceless(language):
            return Refused("the script has no spelling by letters")
        inner = list(pattern("<L>+").finditer(text))[1:-1]
        words = [word for word in inner if len(word.group()) > 3] or [word for word in inner if len(word.group()) > 1]
        if not words:
            return Refused("no word between the first and the last")
        word = pick(words, rng)
        at = word.start() + pick(_bare_letters(word.group()), rng)
        wrong = text[word.start() : at] + text[at + 1 : word.end()]
        return Perturbed((Change(at, at + 1, ""),), f"{word.group()} -> {wrong}")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Exactly one letter went."""
        found = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        if change.end - change.start != 1 or change.text or not segment.hypothesis[change.start].isalpha():
            found.append("not exactly one letter was removed")
        return found
