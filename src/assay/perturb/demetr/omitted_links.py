"""DEMETR 5 and 12: a prepositional phrase or a conjunction is missing."""

from __future__ import annotations

from collections.abc import Sequence

from assay.data.words import word_list
from assay.perturb.cards import card_of
from assay.perturb.demetr import japanese_words, russian_words
from assay.perturb.demetr.omission import Span, TokensOmitted, omitting
from assay.perturb.demetr.rules import in_languages
from assay.perturb.language.sentence import SUBJECTS, Sentence

_CONNECTING_ADVERBS = frozenset(word_list("connecting adverbs"))

_RELATIVE = frozenset(word_list("relative words"))


class OmittedPrepositionalPhrase(TokensOmitted):
    """DEMETR 5: the shortest prepositional phrase is missing."""

    nothing = "no prepositional phrase"
    card = card_of("omitted-prepositional-phrase")
    elsewhere = in_languages(
        ru=omitting(russian_words.prepositional_phrases, "no phrase that ends clearly"),
        ja=omitting(japanese_words.postpositional_phrases, "no phrase that ends clearly"),
    )

    def spans(self, sentence: Sentence) -> Sequence[Span]:
        """The shortest phrases that are one run of words and not most of the sentence."""
        found = []
        for i, dep in enumerate(sentence.deps):
            if dep not in ("prep", "agent", "dative") or sentence.pos[i] not in ("ADP", "SCONJ"):
                continue
            inside = [
                child for child in sentence.children[i] if child > i and sentence.deps[child] in ("pobj", "pcomp")
            ]
            first, last = sentence.edges[i]
            while last > i and sentence.pos[last] == "PUNCT" and sentence.words[last] not in "\"”’)'":
                last -= 1
            if inside and first == i and not _needed(sentence, i, last) and _balanced(sentence.span(first, last)):
                found.append((first, last))
        limit = max(len(sentence) * 2 // 3, 3)
        fitting = [span for span in found if span[1] - span[0] < limit]
        shortest = min((last - first for first, last in fitting), default=0)
        return [(first, last) for first, last in fitting if last - first == shortest]


_LEANING = frozenset(word_list("words that lean on a preposition"))
"""Words that cannot stand without the phrase after them."""


def _needed(sentence: Sentence, i: int, last: int) -> bool:
    """True where the rest would not stand: a phrase that another word leans on, a relative one, one before an inversion."""
    head = sentence.heads[i]
    leans = sentence.pos[head] == "ADP" or sentence.lower[head] in _LEANING
    relative = any(tag in ("WDT", "WP", "WP$") for tag in sentence.tags[i : last + 1])
    inverted = i in sentence.firsts and sentence.pos[min(last + 1, len(sentence) - 1)] in ("AUX", "VERB")
    return leans or relative or inverted


def _balanced(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count('"') % 2 == 0 and text.count("“") == text.count("”")


class OmittedConjunction(TokensOmitted):
    """DEMETR 12: a conjunction or connecting adverb is missing."""

    nothing = "no conjunction"
    card = card_of("omitted-conjunction")
    elsewhere = in_languages(
        ru=omitting(russian_words.conjunctions, "no conjunction"),
        ja=omitting(japanese_words.conjunctions, "no conjunction"),
    )

    def spans(self, sentence: Sentence) -> Sequence[Span]:
        """Coordinators, subordinators, connecting adverbs, relative words; ``that``, which may be dropped, as a last resort."""
        found: list[Span] = []
        dispensable: list[Span] = []
        for i, (word, dep, pos) in enumerate(zip(sentence.lower, sentence.deps, sentence.pos, strict=True)):
            if not word.isalpha():
                continue
            joins = dep == "cc" or (dep == "mark" and pos == "SCONJ")
            joins |= dep == "advmod" and (
                word in _CONNECTING_ADVERBS or (sentence.tags[i] == "WRB" and word in _RELATIVE)
            )
            joins |= sentence.tags[i] == "WDT" and word in _RELATIVE and dep in SUBJECTS
            if joins:
                last = i + 1 if sentence.lower[i : i + 2] in (["such", "as"], ["even", "though"], ["as", "if"]) else i
                (dispensable if word == "that" and dep == "mark" else found).append((i, last))
        return found or dispensable
