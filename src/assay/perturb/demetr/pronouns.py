"""DEMETR 11 and 15: a pronoun of the wrong gender, a pronoun in the wrong case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Tools
from assay.perturb.cards import card_of
from assay.perturb.demetr.elsewhere import japanese_words, russian_pronouns
from assay.perturb.demetr.rules import ParsedRule, in_languages
from assay.perturb.language.sentence import Sentence
from assay.perturb.language.texts import base_language, capital, pick

if TYPE_CHECKING:
    import numpy as np

_GENDER = {
    ("he", "PRP"): "she",
    ("she", "PRP"): "he",
    ("him", "PRP"): "her",
    ("her", "PRP"): "him",
    ("his", "PRP$"): "her",
    ("her", "PRP$"): "his",
    ("his", "PRP"): "hers",
    ("hers", "PRP"): "his",
    ("himself", "PRP"): "herself",
    ("herself", "PRP"): "himself",
}
_CASES = (
    ("I", "me", "my", "myself"),
    ("he", "him", "his", "himself"),
    ("she", "her", "her", "herself"),
    ("we", "us", "our", "ourselves"),
    ("they", "them", "their", "themselves"),
    ("it", "it", "its", "itself"),
    ("you", "you", "your", "yourself"),
    ("who", "whom", "whose", "whom"),
)
"""Subject, object, possessive, reflexive."""
_ROWS = {form.lower(): row for row in _CASES for form in row}


class GenderPronoun(ParsedRule):
    """DEMETR 11: exactly one pronoun changes its gender."""

    card = card_of("gender-pronoun")
    elsewhere = in_languages(ru=russian_pronouns.gender_pronoun, ja=japanese_words.gender_pronoun)

    def change(
        self, sentence: Sentence, segment: Segment, rng: np.random.Generator, tools: Tools
    ) -> Perturbed | Refused:
        """Exchange a random one."""
        found = [i for i, key in enumerate(zip(sentence.lower, sentence.tags, strict=True)) if key in _GENDER]
        if not found:
            return Refused("no pronoun with a gender")
        i = pick(found, rng)
        return _exchanged(sentence, i, _GENDER[sentence.lower[i], sentence.tags[i]])

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """A pronoun became a pronoun of the other gender."""
        found = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        old = segment.hypothesis[change.start : change.end].lower()
        if base_language(language) in self.elsewhere:
            return found
        if change.text.lower() not in {new for (word, _), new in _GENDER.items() if word == old}:
            found.append(f"{change.text!r} is not the other gender of {old!r}")
        return found


class PronounCase(ParsedRule):
    """DEMETR 15: a pronoun in a case that its place does not allow."""

    card = card_of("pronoun-case")
    elsewhere = in_languages(ru=russian_pronouns.pronoun_case)

    def change(
        self, sentence: Sentence, segment: Segment, rng: np.random.Generator, tools: Tools
    ) -> Perturbed | Refused:
        """Change a random pronoun; a contraction (it's) is left alone."""
        found = []
        for i, word in enumerate(sentence.lower):
            row = _ROWS.get(word)
            if row is None or sentence.tags[i] not in ("PRP", "PRP$", "WP", "WP$"):
                continue
            if sentence.text[sentence.ends[i] : sentence.ends[i] + 1] not in ("'", "’"):
                found.append((i, row))
        if not found:
            return Refused("no pronoun with a case")
        i, row = pick(found, rng)
        wrong = sorted({form for form in row[:3] if form.lower() != sentence.lower[i]}) or [row[3]]
        return _exchanged(sentence, i, pick(wrong, rng))

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Another form of the same pronoun."""
        found = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        old, new = segment.hypothesis[change.start : change.end].lower(), change.text.lower()
        rows = [{form.lower() for form in row} for row in (*_CASES, *russian_pronouns.CASES)]
        if not any(old in row and new in row for row in rows):
            found.append(f"{new!r} is no form of {old!r}")
        return found


def _exchanged(sentence: Sentence, i: int, new: str) -> Perturbed:
    old = sentence.words[i]
    opens = i in sentence.firsts or not sentence.text[: sentence.starts[i]].strip("\"'“( ")
    said = capital(new) if old[:1].isupper() and (old != "I" or opens) else new
    return Perturbed((Change(sentence.starts[i], sentence.ends[i], said),), f"{old} -> {said}")
