"""DEMETR 27 to 31: final punctuation removed, punctuation added, tokenized, lowercased whole or at the first letter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.core.batch import Segment
from assay.core.errors import count
from assay.core.perturbation import Change, Perturbed, Refused, Tools
from assay.perturb.cards import card_of
from assay.perturb.demetr.rules import TextRule
from assay.perturb.language.letters import pattern
from assay.perturb.language.texts import base_language, pick, spaceless
from assay.perturb.language.tools import missing

if TYPE_CHECKING:
    import numpy as np

_FINAL = re.compile(r"([.!?…。！？।؟۔．]+)[\"'”’»«“」』)\]]*\s*$|(?<=[\"'”’»」』)\]])([.!?。！？।؟۔]+)\s*$")
SIGNS: tuple[str, ...] = (",", ",", ".", "?", "!", ";", ":", "-", "'", '"', "_")
ELIDING = ("fr", "it", "ca")
"""Languages whose apostrophe belongs to the word before it: l’hôpital."""
FULL_WIDTH: tuple[str, ...] = ("，", "，", "。", "？", "！", "；", "：", "、", "“")


class FinalPunctuationRemoved(TextRule):
    """DEMETR 27: the full stop, question or exclamation mark at the end is missing; quotation marks stay."""

    tidy = False
    card = card_of("final-punctuation-removed")

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Remove it."""
        match = _FINAL.search(segment.hypothesis)
        if match is None:
            return Refused("no final punctuation")
        start, end = match.span(1) if match.group(1) else match.span(2)
        return Perturbed((Change(start, end, ""),), f"{segment.hypothesis[start:end]} removed")


class PunctuationAdded(TextRule):
    """DEMETR 28: a punctuation mark where none belongs, after a word inside the text."""

    tidy = False
    card = card_of("punctuation-added")

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Insert a mark after a word that has none."""
        text = segment.hypothesis
        if spaceless(language):
            places = [end for _, end in tools.get("words", language)(text) if text[end : end + 1].isalpha()]
            signs = FULL_WIDTH
        else:
            places, signs = [match.end() for match in re.finditer(r"\w(?= \w)", text)], SIGNS
        if not places:
            return Refused("no two words in a row")
        at, sign = pick(places, rng), pick(signs, rng)
        return Perturbed((Change(at, at, sign),), f"{sign} added")


class Tokenized(TextRule):
    """DEMETR 29: spaces between all tokens, by spaCy's tokens for English and by words and signs elsewhere."""

    tidy = False
    most_places = 1 << 30
    card = card_of("tokenized")

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Insert the spaces."""
        text = segment.hypothesis
        gaps = [at for at in _token_starts(text, language, tools) if at and not text[at - 1].isspace()]
        if not gaps:
            return Refused("already tokenized")
        return Perturbed(tuple(Change(at, at, " ") for at in gaps), f"{len(gaps)} spaces added")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Nothing but spaces was added."""
        found = super().problems(segment, perturbed, language, tools)
        if any(change.text != " " or change.start != change.end for change in perturbed.changes):
            found.append("more than spaces was added")
        return found


def _token_starts(text: str, language: str, tools: Tools) -> list[int]:
    base = base_language(language)
    if base == "en" and not missing("parse", "en"):
        return [token.idx for token in tools.parse(text, language)]
    if spaceless(language):
        words = tools.get("words", language)(text)
        inside = {i for start, end in words for i in range(start, end)}
        signs = [i for i, character in enumerate(text) if i not in inside and not character.isspace()]
        return sorted({*(start for start, _ in words), *signs})
    word = r"(?:<W>|_)+['’]?" if base in ELIDING else r"(?:<W>|_)+"
    return [match.start() for match in pattern(rf"\d+(?:[.,:]\d+)*|{word}|\S").finditer(text)]


def lowered(text: str, language: str) -> str:
    """Lower case as the language has it: Turkish and Azerbaijani keep the dot of I apart."""
    if base_language(language) in ("tr", "az"):
        text = text.replace("I", "ı").replace("İ", "i")
    return text.lower()


class LowercaseAll(TextRule):
    """DEMETR 30: the whole text in lower case."""

    most_places = 1 << 30
    card = card_of("lowercase-all")

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Lower every capital."""
        runs = [
            run for run in pattern("<L>+").finditer(segment.hypothesis) if lowered(run.group(), language) != run.group()
        ]
        if not runs:
            return Refused("no capital letter")
        changes = tuple(Change(run.start(), run.end(), lowered(run.group(), language)) for run in runs)
        return Perturbed(changes, f"{count(len(changes), 'word')} lowercased")


class LowercaseFirst(TextRule):
    """DEMETR 31: the first letter in lower case."""

    card = card_of("lowercase-first")

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Lower it, past an opening quotation mark."""
        text = segment.hypothesis
        first = next((i for i, character in enumerate(text) if character.isalnum()), None)
        if first is None or lowered(text[first], language) == text[first]:
            return Refused("the text does not begin with a capital letter")
        new = lowered(text[first], language)
        return Perturbed((Change(first, first + 1, new),), f"{text[first]} -> {new}")
