"""Perturbations that swap two words in a text: lexical overlap (ACES section 5.4) and ordering mismatch (5.7)."""

from __future__ import annotations

import re
from abc import abstractmethod
from itertools import combinations
from typing import Any

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Rng, Tools
from assay.perturb.aces.number import find_changeable_numbers
from assay.perturb.cards import card_of
from assay.perturb.language.person_names import find_people
from assay.perturb.language.sentence import Sentence, parse_sentence
from assay.perturb.language.texts import match_case, other_reference, shuffle

Span = tuple[int, int]

_PLACES = ("nsubj", "dobj", "pobj", "conj", "nsubjpass", "attr")
"""Dependency relations of nouns that may be swapped."""


def exchange_spans(text: str, first: Span, second: Span) -> tuple[Change, Change]:
    """Swap two spans; capitals stay in their positions."""
    left, right = text[slice(*first)], text[slice(*second)]
    keep = first[0] == 0
    return (
        Change(*first, match_case(right, left) if keep else right),
        Change(*second, left[:1].lower() + left[1:] if keep and not right[:1].isupper() else left),
    )


class Swapped(Perturbation):
    """Base class of perturbations that swap two spans in the text."""

    @abstractmethod
    def pairs(self, text: str, segment: Segment, language: str, tools: Tools) -> list[tuple[Span, Span]]:
        """Return pairs of spans that may be swapped."""

    def base(self, segment: Segment) -> str | None:
        """Return the text to change if it is not the translation."""
        return None

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Swap one random pair."""
        base = self.base(segment)
        text = base or segment.hypothesis
        pairs = self.pairs(text, segment, language, tools)
        if not pairs:
            return Refused("no two words that can change places")
        first, second = shuffle(pairs, rng)[0]
        what = f"{text[slice(*first)]} <-> {text[slice(*second)]}"
        return Perturbed(exchange_spans(text, first, second), what, base=base)

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the text contains the same words in another order."""
        problems = super().problems(segment, perturbed, language, tools)
        before, after = (sorted(text.lower()) for text in (perturbed.edited(segment), perturbed.incorrect(segment)))
        if before != after:
            problems.append("words were added or lost")
        return problems


class LexicalOverlap(Swapped):
    """Perturbation that swaps two names or two numbers in the reference: all words match but the facts do not."""

    card = card_of("lexical-overlap")

    def base(self, segment: Segment) -> str | None:
        """Return the reference if it differs from the translation."""
        return other_reference(segment)

    def pairs(self, text: str, segment: Segment, language: str, tools: Tools) -> list[tuple[Span, Span]]:
        """Return pairs of different names of the same type, of people, or of numbers of the same kind."""
        groups: dict[str, list[Span]] = {}
        if language == "en":
            for entity in tools.parse(text, "en").ents:
                if entity.label_ in ("PERSON", "GPE", "ORG", "NORP") and re.fullmatch(
                    r"[A-Z][\w’-]+(?: [A-Z][\w’-]+)*", entity.text
                ):
                    groups.setdefault(entity.label_, []).append((entity.start_char, entity.end_char))
        else:
            groups["PERSON"] = [
                (person.start, person.end)
                for person in find_people(text, language, segment, tools)
                if not person.grammemes
            ]
        for numeral in find_changeable_numbers(text, language):
            kind = "year" if numeral.is_year else f"number{len(numeral.digits)}"
            groups.setdefault(kind, []).append((numeral.start, numeral.end))
        return [
            (first, second)
            for spans in groups.values()
            for first, second in combinations(sorted(spans), 2)
            if text[slice(*first)].lower() != text[slice(*second)].lower() and not _are_coordinated(text, first, second)
        ]


def _are_coordinated(text: str, first: Span, second: Span) -> bool:
    """Return whether two spans are coordinated (*Prince and Madonna*): swapping them changes nothing."""
    between = text[first[1] : second[0]]
    return len(between) < 4 or bool(
        re.fullmatch(r"[\s,、，]*(?:and|or|und|oder|et|ou|y|e|o|i|и|или|和|与|と|や|ve)?[\s,、，]*", between)
    )


class OrderingMismatch(Swapped):
    """Perturbation that swaps two nouns or two adjectives in the translation."""

    card = card_of("ordering-mismatch")

    def pairs(self, text: str, segment: Segment, language: str, tools: Tools) -> list[tuple[Span, Span]]:
        """Return pairs of words with the same form that do not depend on each other."""
        if language == "ru":
            return _russian_pairs(text, tools.get("morphology", "ru"))
        sentence = parse_sentence(tools, text, "en")
        return [
            ((sentence.starts[i], sentence.ends[i]), (sentence.starts[j], sentence.ends[j]))
            for i, j in combinations(range(len(sentence)), 2)
            if _are_interchangeable(sentence, i, j)
        ]


def _are_interchangeable(sentence: Sentence, i: int, j: int) -> bool:
    noun = sentence.tags[i] in ("NN", "NNS") and sentence.deps[i] in _PLACES
    adjective = sentence.tags[i] == "JJ" and sentence.deps[i] == "amod"
    if sentence.tags[i] != sentence.tags[j] or not (noun or adjective) or sentence.lower[i] == sentence.lower[j]:
        return False
    if noun and sentence.deps[j] not in _PLACES:
        return False
    if adjective and (sentence.deps[j] != "amod" or sentence.heads[i] == sentence.heads[j]):
        return False
    if "conj" in (sentence.deps[i], sentence.deps[j]) and (sentence.heads[j] == i or sentence.heads[i] == j):
        return False
    if i == 0 or {"a", "an"} & {sentence.lower[i - 1], sentence.lower[j - 1]}:
        return False
    if {sentence.lower[i], sentence.lower[j]} & {"course", "times", "fact", "example", "way"}:
        return False  # parts of fixed phrases
    plain = all(sentence.words[k].isalpha() and not sentence.named[k] and len(sentence.words[k]) > 2 for k in (i, j))
    return plain and j - i > 2


def _russian_pairs(text: str, morphology: Any) -> list[tuple[Span, Span]]:
    """Return pairs of nouns with the same case, number, gender and animacy."""
    groups: dict[str, list[Span]] = {}
    for match in re.finditer(r"(?<![-\w])[а-яё]{4,}(?![-\w])", text):
        parses = morphology.parse(match[0])
        tag = parses[0].tag
        if tag.POS == "NOUN" and parses[0].score > 0.6 and match.start():
            groups.setdefault(f"{tag.case} {tag.number} {tag.gender} {tag.animacy}", []).append(match.span())
    return [
        pair
        for spans in groups.values()
        for pair in combinations(spans, 2)
        if text[slice(*pair[0])] != text[slice(*pair[1])] and not _are_coordinated(text, *pair)
    ]
