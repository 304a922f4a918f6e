"""Perturbations of spelling, punctuation, spacing and capitals (DEMETR 25 to 31)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.core.batch import Segment
from assay.core.errors import count
from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.data.words import lists
from assay.perturb.cards import card_of
from assay.perturb.demetr.rules import TextRule, first_fit
from assay.perturb.language.texts import base_language, compile_pattern, is_mark, is_spaceless, match_case, pick
from assay.perturb.language.tools import find_missing

_LETTERS = r"(?<![\w'’-])<L>+(?![\w'’-])"
_SHORTEST = 5
"""Minimum length for misspelling by rule, which would make shorter words hard to read; these are misspelt only by the list."""


def misspellings() -> Mapping[str, tuple[str, ...]]:
    """Return the built-in list of common English misspellings: each word with its wrong forms."""
    return lists("misspellings")


class Misspelling(TextRule):
    """Perturbation that misspells one word, from a list in English and otherwise with a typing error (DEMETR 25).

    A typing error swaps two inner letters or drops one of a double letter; the first letter is kept.
    """

    card = card_of("misspelling")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Misspell a listed word, or any longer word if the text has no listed one."""
        text = segment.hypothesis
        if is_spaceless(language):
            return Refused("the language is not written in letters")
        words = list(compile_pattern(_LETTERS).finditer(text))
        if base_language(language) == "en":
            wrong_forms = misspellings()
            listed = [word for word in words if _listed_forms(word.group(), wrong_forms)]
            if listed:
                word = pick(listed, rng)
                wrong = match_case(pick(_listed_forms(word.group(), wrong_forms), rng), word.group())
                return Perturbed((Change(*word.span(), wrong),), f"{word.group()} -> {wrong}")
        long = [word for word in words if len(word.group()) >= _SHORTEST and _is_ordinary(word.group())]
        return first_fit(rng, long, lambda word: _mistype(word, rng), "no word long enough")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that one word was replaced by another of similar length that contains only letters."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        word = segment.hypothesis[change.start : change.end]
        letters = compile_pattern("<L>+").fullmatch(change.text)
        if not letters or abs(len(change.text) - len(word)) > 2:
            problems.append(f"{change.text!r} is not a misspelling of {word!r}")
        return problems


def _listed_forms(word: str, wrong_forms: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the wrong forms of a word; a listed name (Germany) must have its capital."""
    forms = wrong_forms.get(word) or (wrong_forms.get(word.lower()) if word[1:].islower() else None)
    return forms or ()


def _is_ordinary(word: str) -> bool:
    """Return whether all letters but the first are lower case, so the word is not an abbreviation."""
    return word[1:] == word[1:].lower()


def _mistype(word: re.Match[str], rng: Rng) -> Perturbed | None:
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
    """Return the positions of letters without combining marks, or of all letters if every one has a mark."""
    letters = [i for i, character in enumerate(word) if character.isalpha()]
    return [i for i in letters if not is_mark(word[i + 1 : i + 2] or "a")] or letters


class CharacterRemoved(TextRule):
    """Perturbation that removes one letter of a word that is neither first nor last (DEMETR 26)."""

    card = card_of("character-removed")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        text = segment.hypothesis
        if is_spaceless(language):
            return Refused("the language is not written in letters")
        inner = list(compile_pattern("<L>+").finditer(text))[1:-1]
        words = [word for word in inner if len(word.group()) > 3] or [word for word in inner if len(word.group()) > 1]
        if not words:
            return Refused("no word between the first and the last")
        word = pick(words, rng)
        letters = _bare_letters(word.group())
        if not letters:
            return Refused("a word without letters")  # Roman numerals of one character each
        at = word.start() + pick(letters, rng)
        wrong = text[word.start() : at] + text[at + 1 : word.end()]
        return Perturbed((Change(at, at + 1, ""),), f"{word.group()} -> {wrong}")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that exactly one letter was removed."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        if change.end - change.start != 1 or change.text or not segment.hypothesis[change.start].isalpha():
            problems.append("not exactly one letter was removed")
        return problems


_FINAL = re.compile(r"([.!?…。！？।؟۔．]+)[\"'”’»«“」』)\]]*\s*$|(?<=[\"'”’»」』)\]])([.!?。！？।؟۔]+)\s*$")
SIGNS: tuple[str, ...] = (",", ",", ".", "?", "!", ";", ":", "-", "'", '"', "_")
ELIDING = ("fr", "it", "ca")
"""Languages in which an apostrophe belongs to the word before it: l’hôpital."""
FULL_WIDTH: tuple[str, ...] = ("，", "，", "。", "？", "！", "；", "：", "、", "“")


class FinalPunctuationRemoved(TextRule):
    """Perturbation that removes the full stop, question mark or exclamation mark at the end (DEMETR 27), but no quotation marks."""

    tidy = False
    card = card_of("final-punctuation-removed")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        match = _FINAL.search(segment.hypothesis)
        if match is None:
            return Refused("no final punctuation")
        start, end = match.span(1) if match.group(1) else match.span(2)
        return Perturbed((Change(start, end, ""),), f"{segment.hypothesis[start:end]} removed")


class PunctuationAdded(TextRule):
    """Perturbation that adds a superfluous punctuation mark after a word in the middle of the text (DEMETR 28)."""

    tidy = False
    card = card_of("punctuation-added")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Insert a mark after a word that has none."""
        text = segment.hypothesis
        if is_spaceless(language):
            positions = [end for _, end in tools.get("words", language)(text) if text[end : end + 1].isalpha()]
            signs = FULL_WIDTH
        else:
            positions, signs = [match.end() for match in re.finditer(r"\w(?= \w)", text)], SIGNS
        if not positions:
            return Refused("no two words in a row")
        at, sign = pick(positions, rng), pick(signs, rng)
        return Perturbed((Change(at, at, sign),), f"{sign} added")


class Tokenized(TextRule):
    """Perturbation that puts spaces between all tokens: spaCy's in English, otherwise words and punctuation marks (DEMETR 29)."""

    tidy = False
    most_places = 1 << 30
    card = card_of("tokenized")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        text = segment.hypothesis
        gaps = [at for at in _token_starts(text, language, tools) if at and not text[at - 1].isspace()]
        if not gaps:
            return Refused("already tokenized")
        return Perturbed(tuple(Change(at, at, " ") for at in gaps), f"{len(gaps)} spaces added")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that only spaces were added."""
        problems = super().problems(segment, perturbed, language, tools)
        if any(change.text != " " or change.start != change.end for change in perturbed.changes):
            problems.append("more than spaces were added")
        return problems


def _token_starts(text: str, language: str, tools: Tools) -> list[int]:
    base = base_language(language)
    if base == "en" and not find_missing("parse", "en"):
        return [token.idx for token in tools.parse(text, language)]
    if is_spaceless(language):
        words = tools.get("words", language)(text)
        inside = {i for start, end in words for i in range(start, end)}
        signs = [i for i, character in enumerate(text) if i not in inside and not character.isspace()]
        return sorted({*(start for start, _ in words), *signs})
    word = r"(?:<W>|_)+['’]?" if base in ELIDING else r"(?:<W>|_)+"
    return [match.start() for match in compile_pattern(rf"\d+(?:[.,:]\d+)*|{word}|\S").finditer(text)]


def to_lower(text: str, language: str) -> str:
    """Return the text in lower case, with dotted and dotless I kept apart in Turkish and Azerbaijani."""
    if base_language(language) in ("tr", "az"):
        text = text.replace("I", "ı").replace("İ", "i")
    return text.lower()


class LowercaseAll(TextRule):
    """Perturbation that puts the whole text in lower case (DEMETR 30)."""

    most_places = 1 << 30
    card = card_of("lowercase-all")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        runs = [
            run
            for run in compile_pattern("<L>+").finditer(segment.hypothesis)
            if to_lower(run.group(), language) != run.group()
        ]
        if not runs:
            return Refused("no capital letter")
        changes = tuple(Change(run.start(), run.end(), to_lower(run.group(), language)) for run in runs)
        return Perturbed(changes, f"{count(len(changes), 'word')} lowercased")


class LowercaseFirst(TextRule):
    """Perturbation that puts the first letter in lower case (DEMETR 31)."""

    card = card_of("lowercase-first")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Convert the first letter after any opening quotation mark to lower case."""
        text = segment.hypothesis
        first = next((i for i, character in enumerate(text) if character.isalnum()), None)
        if first is None or to_lower(text[first], language) == text[first]:
            return Refused("the text does not begin with a capital letter")
        new = to_lower(text[first], language)
        return Perturbed((Change(first, first + 1, new),), f"{text[first]} -> {new}")
