"""Perturbations that give an ambiguous English word the wrong sense: nouns, occupations, *since* and *while*.

Word senses (ACES section 5.2.2, after MuCoW): the good translation contains a cue for the right sense before the word
(*vegetable stock*). The incorrect one contains a cue for the other sense (*penny stock*), and the reference has none.

Occupations (5.2.1): if the source says *Bäckerin*, the good translation says *female baker* and the incorrect one *male baker*.
The shares of women listed in WinoBias decide whether this follows the stereotype.

Connectives (5.2.3 and 5.8.2): the reference keeps the ambiguous word. The good translation uses the sense in the source
(*because*, *from the time*, *whereas*, *as*), the incorrect one the other sense.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Rng, Tools
from assay.data import rows
from assay.data.words import patterns
from assay.perturb.cards import variant
from assay.perturb.language.sentence import parse_sentence
from assay.perturb.language.texts import first_reference, match_case, source_language

LANGUAGES = ("de", "fr", "es", "ru")


@dataclass(frozen=True, slots=True)
class Sense:
    """One sense of an English word: the source word by language, and the English cue for this sense."""

    words: dict[str, str]
    cue: str


def _senses() -> dict[str, tuple[Sense, Sense]]:
    senses: dict[str, list[Sense]] = {}
    for row in rows("words/word_senses.tsv"):
        senses.setdefault(row["word"], []).append(Sense({code: row[code] for code in LANGUAGES}, row["cue"]))
    return {word: (frequent, infrequent) for word, (frequent, infrequent) in senses.items()}


SENSES = _senses()
"""English words, each with a more frequent and a less frequent sense."""


class WordSense(Perturbation):
    """Perturbation that puts a cue for the wrong sense before an ambiguous word."""

    frequent = True

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Find an ambiguous word whose sense is clear from the source."""
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
                return self._make_item(text, match.start(), match[0], right.cue, wrong.cue)
        return Refused("the other sense" if seen else "no ambiguous word whose sense is clear from the source")

    @staticmethod
    def _make_item(text: str, start: int, word: str, right: str, wrong: str) -> Perturbed:
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
        """Check that the reference contains no cue."""
        problems = super().problems(segment, perturbed, language, tools)
        word, cue = str(perturbed.meta.get("word")), str(perturbed.meta.get("new"))
        if f"{cue} {word}" not in perturbed.incorrect(segment):
            problems.append("the cue is not before the word")
        if f"{cue} {word}" in (perturbed.reference or ""):
            problems.append("the reference has the cue")
        return problems


FrequentSense = variant(WordSense, "word-sense-frequent", frequent=True)
InfrequentSense = variant(WordSense, "word-sense-infrequent", frequent=False)


_OCCUPATION_LANGUAGES = ("de", "fr", "it", "es")


@dataclass(frozen=True, slots=True)
class Occupation:
    """An English occupation, its stereotypical gender, and the words for a man and a woman by language."""

    english: str
    stereotype: str
    forms: dict[str, tuple[str, str]]


def _occupations() -> list[Occupation]:
    return [
        Occupation(
            row["occupation"],
            row["stereotype"],
            {code: (row[f"{code} male"], row[f"{code} female"]) for code in _OCCUPATION_LANGUAGES},
        )
        for row in rows("words/occupations.tsv")
    ]


OCCUPATIONS = _occupations()


def find_gender(source: str, language: str, occupation: Occupation) -> str | None:
    """Return the occupation's gender in the source; None unless exactly one of its two words occurs."""
    man, woman = occupation.forms[language]
    if man == woman:
        return None
    female = re.search(rf"\b{woman}(?:nen)?\b", source, re.IGNORECASE)
    male = re.search(rf"\b{man}(?:s|n|en)?\b", source, re.IGNORECASE)
    if bool(female) == bool(male):
        return None
    return "female" if female else "male"


def _find(text: str, occupation: str) -> re.Match[str] | None:
    """Find the occupation directly after an article, so an adjective can be inserted."""
    return re.search(
        rf"(?:(?<=\bthe )|(?<=\bThe )|(?<=\ba )|(?<=\bA )|(?<=\ban )|(?<=\bAn )){occupation}(?![\w-])", text
    )


class OccupationGender(Perturbation):
    """Perturbation that inserts *female* or *male* before an occupation, with the wrong gender in the incorrect translation."""

    gender = "female"
    stereotype = True

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Find an occupation whose gender is clear from the source but not from the English text."""
        text, origin = segment.hypothesis, source_language(segment)
        if origin not in _OCCUPATION_LANGUAGES:
            return Refused(f"the source language must be one of {', '.join(_OCCUPATION_LANGUAGES)}")
        seen = False
        for occupation in OCCUPATIONS:
            match = _find(text, occupation.english)
            gender = find_gender(segment.source or "", origin, occupation) if match else None
            if match is None or gender is None:
                continue
            if re.search(r"\b(?:fe)?male |\b(?:wo)?man |\bhe\b|\bshe\b|\bhis\b|\bher\b", text, re.IGNORECASE):
                return Refused("the English sentence already shows the gender")
            seen = True
            if gender == self.gender and (occupation.stereotype == gender) == self.stereotype:
                return self._make_item(text, match.start(), occupation.english)
        return Refused(
            "another gender or stereotype" if seen else "no occupation whose gender is clear from the source"
        )

    def _make_item(self, text: str, start: int, occupation: str) -> Perturbed:
        right, wrong = self.gender, {"female": "male", "male": "female"}[self.gender]
        before = re.sub(r"\b([Aa])n $", r"\1 ", text[:start])
        good = f"{before}{right} {text[start:]}"
        change = Change(len(before), len(before) + len(right), wrong)
        meta = {"occupation": occupation, "good": right, "new": wrong}
        return Perturbed((change,), f"{right} {occupation} -> {wrong} {occupation}", meta, good=good, reference=text)

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the texts differ only in *female* and *male*, and that the reference contains neither."""
        problems = super().problems(segment, perturbed, language, tools)
        words = {
            perturbed.changes[0].text,
            (perturbed.good or "")[perturbed.changes[0].start : perturbed.changes[0].end],
        }
        if words != {"female", "male"}:
            problems.append("the texts differ in more than the gender")
        if re.search(r"\b(?:fe)?male\b", perturbed.reference or ""):
            problems.append("the reference shows the gender")
        return problems


FemalePro = variant(OccupationGender, "occupation-female-pro", gender="female", stereotype=True)
FemaleAnti = variant(OccupationGender, "occupation-female-anti", gender="female", stereotype=False)
MalePro = variant(OccupationGender, "occupation-male-pro", gender="male", stereotype=True)
MaleAnti = variant(OccupationGender, "occupation-male-anti", gender="male", stereotype=False)


SINCE = {"causal": "because", "temporal": "from the time"}
WHILE = {"contrast": "whereas", "temporal": "as"}


def find_sense(segment: Segment, word: str, senses: Iterable[str]) -> str | None:
    """Return the sense from the column or the source; None if the source has cues for both senses or for neither."""
    from_column = segment.meta.get("sense", "").strip().lower()
    if from_column:
        return from_column
    language = source_language(segment)
    cues = {sense: patterns(f"{word} {sense}").get(language) for sense in senses}
    matches = [name for name, cue in cues.items() if cue and re.search(cue, segment.source or "", re.IGNORECASE)]
    return matches[0] if len(matches) == 1 else None


class Connective(Perturbation):
    """Perturbation that gives an ambiguous connective the wrong sense, and the right one in the good translation."""

    word = "since"
    sense = "causal"
    spelt: dict[str, str] = SINCE

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Change the translation if it contains the word, else the reference."""
        reference = first_reference(segment)
        texts = [text for text in (segment.hypothesis, reference) if text and self._at(text, tools) is not None]
        if not texts:
            return Refused(f"no {self.word} before a clause")
        sense = find_sense(segment, self.word, self.spelt)
        if sense is None:
            return Refused("the sense is not clear from the source (give the column sense)")
        if sense != self.sense:
            return Refused(f"the sense is {sense}")
        text = texts[0]
        at = self._at(text, tools)
        assert at is not None
        start, end = at
        right, wrong = (match_case(self.spelt[name], text[start:end]) for name in (sense, self._other()))
        good = text[:start] + right + text[end:]
        ambiguous = reference if reference and self._at(reference, tools) is not None else text
        change = Change(start, start + len(right), wrong)
        meta = {"sense": sense, "good": right, "new": wrong}
        return Perturbed((change,), f"{self.word}: {right} -> {wrong}", meta, good=good, reference=ambiguous)

    def _other(self) -> str:
        return next(name for name in self.spelt if name != self.sense)

    def _at(self, text: str, tools: Tools) -> tuple[int, int] | None:
        sentence = parse_sentence(tools, text, "en")
        for i, word in enumerate(sentence.lower):
            if word == self.word and sentence.deps[i] in ("mark", "advmod") and sentence.pos[i] == "SCONJ":
                following = sentence.words[i + 1] if i + 1 < len(sentence) else ""
                if following and following[0].isalpha() and sentence.tags[i + 1] not in ("VBG", "VBN"):
                    return sentence.starts[i], sentence.ends[i]
        return None

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the texts differ in the connective and that the reference still has the ambiguous one."""
        problems = super().problems(segment, perturbed, language, tools)
        if self.word not in (perturbed.reference or "").lower():
            problems.append("the reference has lost the ambiguous connective")
        if perturbed.changes[0].text.lower() != self.spelt[self._other()]:
            problems.append("the incorrect connective is not the other sense")
        return problems


SinceCausal = variant(Connective, "since-causal", word="since", sense="causal", spelt=SINCE)
SinceTemporal = variant(Connective, "since-temporal", word="since", sense="temporal", spelt=SINCE)
WhileContrast = variant(Connective, "while-contrast", word="while", sense="contrast", spelt=WHILE)
WhileTemporal = variant(Connective, "while-temporal", word="while", sense="temporal", spelt=WHILE)
