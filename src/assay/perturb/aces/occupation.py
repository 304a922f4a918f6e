"""The gender of occupations: ACES section 5.2.1. A German, French, Italian or Spanish source tells it, English does not.

The good translation says *female baker* where the source has *Bäckerin*, the incorrect one *male baker*; the reference stays
ambiguous. Whether this goes with or against the stereotype follows the shares of women in the occupations that WinoBias lists.
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

_LANGUAGES = ("de", "fr", "it", "es")


@dataclass(frozen=True, slots=True)
class Occupation:
    """An English occupation, the gender of the stereotype, and the words for a man and a woman by language."""

    english: str
    stereotype: str
    forms: dict[str, tuple[str, str]]


def _read() -> list[Occupation]:
    return [
        Occupation(
            row["occupation"],
            row["stereotype"],
            {code: (row[f"{code} male"], row[f"{code} female"]) for code in _LANGUAGES},
        )
        for row in rows("words/occupations.tsv")
    ]


OCCUPATIONS = _read()


def gender_in(source: str, language: str, occupation: Occupation) -> str | None:
    """The gender that the source gives the occupation, where only one of its two words stands there."""
    man, woman = occupation.forms[language]
    if man == woman:
        return None
    female = re.search(rf"\b{woman}(?:nen)?\b", source, re.IGNORECASE)
    male = re.search(rf"\b{man}(?:s|n|en)?\b", source, re.IGNORECASE)
    if bool(female) == bool(male):
        return None
    return "female" if female else "male"


def _find(text: str, occupation: str) -> re.Match[str] | None:
    """The occupation right after an article, where an adjective may stand."""
    return re.search(
        rf"(?:(?<=\bthe )|(?<=\bThe )|(?<=\ba )|(?<=\bA )|(?<=\ban )|(?<=\bAn )){occupation}(?![\w-])", text
    )


class OccupationGender(Perturbation):
    """*female* or *male* put before an occupation, rightly and wrongly."""

    gender = "female"
    stereotype = True

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Find an occupation whose gender the source tells and English does not."""
        text, origin = segment.hypothesis, source_language(segment)
        if origin not in _LANGUAGES:
            return Refused(f"the source language must be one of {', '.join(_LANGUAGES)}")
        seen = False
        for occupation in OCCUPATIONS:
            match = _find(text, occupation.english)
            gender = gender_in(segment.source or "", origin, occupation) if match else None
            if match is None or gender is None:
                continue
            if re.search(r"\b(?:fe)?male |\b(?:wo)?man |\bhe\b|\bshe\b|\bhis\b|\bher\b", text, re.IGNORECASE):
                return Refused("the English sentence tells the gender itself")
            seen = True
            if gender == self.gender and (occupation.stereotype == gender) == self.stereotype:
                return self._made(text, match.start(), occupation.english)
        return Refused("another gender or stereotype" if seen else "no occupation whose gender the source tells")

    def _made(self, text: str, start: int, occupation: str) -> Perturbed:
        right, wrong = self.gender, {"female": "male", "male": "female"}[self.gender]
        before = re.sub(r"\b([Aa])n $", r"\1 ", text[:start])
        good = f"{before}{right} {text[start:]}"
        change = Change(len(before), len(before) + len(right), wrong)
        meta = {"occupation": occupation, "good": right, "new": wrong}
        return Perturbed((change,), f"{right} {occupation} -> {wrong} {occupation}", meta, good=good, reference=text)

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """The two texts differ in *female* and *male* alone and the reference has neither."""
        found = super().problems(segment, perturbed, language, tools)
        words = {
            perturbed.changes[0].text,
            (perturbed.good or "")[perturbed.changes[0].start : perturbed.changes[0].end],
        }
        if words != {"female", "male"}:
            found.append("the texts differ in something else than the gender")
        if re.search(r"\b(?:fe)?male\b", perturbed.reference or ""):
            found.append("the reference tells the gender")
        return found


class FemalePro(OccupationGender):
    """A woman in an occupation with many women."""

    card = card_of("occupation-female-pro")
    gender, stereotype = "female", True


class FemaleAnti(OccupationGender):
    """A woman in an occupation with few women."""

    card = card_of("occupation-female-anti")
    gender, stereotype = "female", False


class MalePro(OccupationGender):
    """A man in an occupation with many men."""

    card = card_of("occupation-male-pro")
    gender, stereotype = "male", True


class MaleAnti(OccupationGender):
    """A man in an occupation with few men."""

    card = card_of("occupation-male-anti")
    gender, stereotype = "male", False
