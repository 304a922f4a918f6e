"""Perturbation that adds a word (DEMETR 6): an adjective or adverb that changes the meaning but not the grammar."""

from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.data.words import word_list
from assay.perturb.cards import card_of
from assay.perturb.demetr.rules import ParsedRule, adapt_article, first_fit
from assay.perturb.language.sentence import Sentence, compound_span
from assay.perturb.language.texts import pick

ADJECTIVES = word_list("added adjectives")

ADVERBS = word_list("added adverbs")


_PLACES = ("nsubj", "nsubjpass", "dobj", "pobj", "conj", "attr")
_PALE = frozenset(word_list("nouns of set phrases"))
"""Nouns that occur mostly in set phrases."""


class AddedWord(ParsedRule):
    """Perturbation that adds an adjective before a noun, or an adverb before a verb (DEMETR 6)."""

    most_places = 2
    card = card_of("added-word")

    def change(self, sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Insert an adjective before a random noun phrase, or an adverb before a verb."""
        nouns = [
            _phrase_start(sentence, i)
            for i, tag in enumerate(sentence.tags)
            if tag in ("NN", "NNS") and sentence.deps[i] in _PLACES and sentence.lower[i] not in _PALE
        ]
        open_nouns = [i for i in nouns if sentence.words[i].isalpha() and _may_precede(sentence, i)]
        verbs = [
            i for i, tag in enumerate(sentence.tags) if tag in ("VBD", "VBZ", "VBP", "VBN") and self._plain(sentence, i)
        ]
        if verbs and (not open_nouns or rng.random() < 0.2):
            return first_fit(rng, verbs, lambda i: _add(sentence, i, pick(ADVERBS, rng)), "no room for a word")
        return first_fit(rng, open_nouns, lambda i: _add(sentence, i, pick(ADJECTIVES, rng)), "no noun or verb")

    def _plain(self, sentence: Sentence, i: int) -> bool:
        return sentence.pos[i] == "VERB" and sentence.starts[i] > 0 and sentence.text[sentence.starts[i] - 1] == " "

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that exactly one word was added."""
        problems = super().problems(segment, perturbed, language, tools)
        if len(perturbed.apply(segment.hypothesis).split()) != len(segment.hypothesis.split()) + 1:
            problems.append("not exactly one word was added")
        return problems


def _may_precede(sentence: Sentence, i: int) -> bool:
    """Return whether a word may be inserted before token `i`: at the start of the text, or before a plain lower-case word."""
    at = sentence.starts[i]
    return at == 0 or (sentence.text[at - 1] in ' "“(' and sentence.words[i].islower())


def _phrase_start(sentence: Sentence, i: int) -> int:
    """Return the first adjective or compound before a noun; a new adjective is inserted before it."""
    first = compound_span(sentence, i)[0]
    while (
        first and first - 1 in sentence.children[i] and sentence.tags[first - 1] == "JJ" and sentence.is_word(first - 1)
    ):
        first -= 1
    return first


def _add(sentence: Sentence, i: int, word: str) -> Perturbed | None:
    if word in sentence.lower:
        return None
    at = sentence.starts[i]
    fixed = adapt_article(sentence, i, word)
    if sentence.text[:at].strip("\"“'( ") == "" and sentence.words[i][0].isupper():
        first = sentence.words[i][0]
        return Perturbed((Change(at, at + 1, f"{word.capitalize()} {first.lower()}"),), f"{word} added")
    return Perturbed((*fixed, Change(at, at, word + " ")), f"{word} added")
