"""Perturbations that omit a word, a phrase, a name or a conjunction (DEMETR 5, 12 and 20 to 24)."""

from __future__ import annotations

from collections.abc import Sequence

from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.data.words import word_list
from assay.perturb.cards import card_of
from assay.perturb.demetr import japanese_words, russian_words
from assay.perturb.demetr.rules import (
    ParsedRule,
    Span,
    TokensOmitted,
    first_fit,
    in_languages,
    omission_rule,
    omit_tokens,
    omit_words,
)
from assay.perturb.language.sentence import (
    NAME_TYPES,
    SUBJECTS,
    Entity,
    Sentence,
    compound_span,
    find_mentions,
    find_names,
    hyphenated_span,
)

_STAYING = ("not", "n't", "n’t", "never", "no", "at")
"""Words whose omission would be another error, such as a dropped negation or a broken ``at least``."""
_SAYING = frozenset(
    ("say", "ask", "add", "write", "explain", "reply", "claim", "admit", "insist", "warn", "shout", "cry")
)
_LAST_RESORT = ("as", "so", "than", "more", "most", "such", "same", "own")


class OmittedAdjectiveAdverb(TokensOmitted):
    """Perturbation that omits an adjective or adverb (DEMETR 20)."""

    nothing = "no adjective or adverb"
    card = card_of("omitted-adjective-adverb")
    other_languages = in_languages(
        ru=omission_rule(russian_words.adjectives_and_adverbs, "no adjective or adverb that stands alone"),
        ja=omission_rule(japanese_words.adjectives_and_adverbs, "no adjective or adverb that stands alone"),
    )

    def spans(self, sentence: Sentence) -> Sequence[Span]:
        """Return adjectives and adverbs directly before the word they modify; others only if there are none."""
        easy, hard = [], []
        for i, (tag, pos) in enumerate(zip(sentence.tags, sentence.pos, strict=True)):
            if not (tag.startswith(("JJ", "RB")) or pos in ("ADJ", "ADV")) or sentence.lower[i] in _STAYING:
                continue
            first, last = hyphenated_span(sentence, i)
            alone = first == last == i and sentence.is_word(i) and not sentence.children[i]
            modifies = sentence.deps[i] == ("amod" if tag.startswith("JJ") else "advmod")
            if alone and modifies and sentence.lower[i] not in _LAST_RESORT:
                easy.append((i, i))
            elif sentence.is_word(i):
                hard.append((first, last))
        return easy or hard


class OmittedVerb(TokensOmitted):
    """Perturbation that omits a content verb (DEMETR 21); auxiliaries and copulas are kept."""

    nothing = "no content verb"
    card = card_of("omitted-verb")
    other_languages = in_languages(ru=omission_rule(russian_words.verbs, "no content verb", omit_words))

    def spans(self, sentence: Sentence) -> Sequence[Span]:
        """Return verbs other than ``be`` that are not hyphenated."""
        return [
            (i, i)
            for i, pos in enumerate(sentence.pos)
            if pos == "VERB" and sentence.lemmas[i] != "be" and sentence.is_word(i) and not sentence.hyphened(i)
        ]


class OmittedNoun(TokensOmitted):
    """Perturbation that omits a noun that is neither a subject nor a name, with its compounded nouns (DEMETR 22)."""

    nothing = "no noun that is neither subject nor name"
    card = card_of("omitted-noun")
    other_languages = in_languages(ru=omission_rule(russian_words.nouns, "no noun that is neither subject nor name"))

    def spans(self, sentence: Sentence) -> Sequence[Span]:
        """Return nouns that are heads of phrases; parts of compounds or hyphenated nouns only if there is no other."""
        nouns = [i for i, tag in enumerate(sentence.tags) if tag in ("NN", "NNS") and _is_separate_word(sentence, i)]
        fitting = [i for i in nouns if sentence.deps[i] not in SUBJECTS and sentence.named[i] not in NAME_TYPES]
        heads = [i for i in fitting if sentence.deps[i] not in ("compound", "nmod") and not sentence.hyphened(i)]
        return [compound_span(sentence, i) for i in heads] or [hyphenated_span(sentence, i) for i in fitting]


def _is_separate_word(sentence: Sentence, i: int) -> bool:
    """Return whether it is a word of letters and not a unit attached to its number (``10km``)."""
    start = sentence.starts[i]
    return sentence.is_word(i) and not (start and sentence.text[start - 1].isalnum())


class OmittedSubject(TokensOmitted):
    """Perturbation that omits the head of a subject, with its compounded nouns (DEMETR 23)."""

    nothing = "no subject"
    card = card_of("omitted-subject")
    other_languages = in_languages(ru=omission_rule(russian_words.subjects, "no subject that is a noun or a name"))

    def spans(self, sentence: Sentence) -> Sequence[Span]:
        """Return nouns and pronouns; relative pronouns or expletive ``there`` only if there is no other."""
        heads = [i for i, dep in enumerate(sentence.deps) if dep in ("nsubj", "nsubjpass") and not sentence.hyphened(i)]
        nouns = [i for i in heads if sentence.tags[i] not in ("WDT", "WP", "DT")]
        expletives = [i for i, dep in enumerate(sentence.deps) if dep in ("expl", "csubj")]
        return [compound_span(sentence, i) for i in nouns or heads or expletives]


class OmittedName(ParsedRule):
    """Perturbation that omits a name that is not the subject, in all mentions with the same words (DEMETR 24)."""

    most_places = 8
    card = card_of("omitted-name")
    other_languages = in_languages(
        ru=omission_rule(russian_words.names, "no name that stands alone"),
        ja=omission_rule(japanese_words.names, "no name that stands alone"),
    )

    def change(self, sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Remove a name that is an object or follows a preposition; for any other name the parse is in doubt."""
        candidates = [name for name in find_names(sentence) if name.last - name.first + 3 <= len(sentence)]
        independent = [name for name in candidates if _is_independent(sentence, name)]
        result = first_fit(rng, independent, lambda name: self._omit(sentence, name), "no name")
        if isinstance(result, Perturbed):
            return result.with_confidence(parse=0.9)
        apart = [name for name in candidates if not _is_subject(sentence, name)]
        result = first_fit(rng, apart or candidates, lambda name: self._omit(sentence, name), "no name")
        return result if isinstance(result, Refused) else result.with_confidence(parse=0.3)

    def _omit(self, sentence: Sentence, name: Entity) -> Perturbed | None:
        text = sentence.span(name.first, name.last)
        changes: list[Change] = []
        for entity in find_mentions(sentence, text):
            first = entity.first + (sentence.tags[entity.first] == "DT" and sentence.lower[entity.first] != "the")
            new = omit_tokens(sentence, first, entity.last)
            if changes and new[0].start < changes[-1].end:
                return None
            changes += new
        return Perturbed(tuple(changes), f"{text} omitted")


def _is_independent(sentence: Sentence, name: Entity) -> bool:
    """Return whether it is a whole noun phrase after a verb or preposition, outside the subject."""
    head = name.last
    if name.label == "NORP":
        return False
    after = sentence.lower[head + 1 : head + 2]
    if sentence.deps[head] not in ("pobj", "dobj") or name.first == 0 or after in (["'s"], ["’s"], ["'"], ["’"], ["-"]):
        return False
    if sentence.deps[head] == "dobj" and sentence.lemmas[sentence.heads[head]] in _SAYING:
        return False  # "asked Martin"
    first, last = sentence.edges[head]
    if (first, last) != (name.first, name.last) or sentence.hyphened(name.last) or sentence.hyphened(name.first):
        return False
    return sentence.tags[head].startswith("NNP") and len(find_mentions(sentence, sentence.span(name.first, head))) == 1


def _is_subject(sentence: Sentence, name: Entity) -> bool:
    return any(sentence.deps[i] in SUBJECTS for i in range(name.first, name.last + 1))


_CONNECTING_ADVERBS = frozenset(word_list("connecting adverbs"))

_RELATIVE = frozenset(word_list("relative words"))


class OmittedPrepositionalPhrase(TokensOmitted):
    """Perturbation that omits the shortest prepositional phrase (DEMETR 5)."""

    nothing = "no prepositional phrase"
    card = card_of("omitted-prepositional-phrase")
    other_languages = in_languages(
        ru=omission_rule(russian_words.prepositional_phrases, "no phrase that ends clearly"),
        ja=omission_rule(japanese_words.postpositional_phrases, "no phrase that ends clearly"),
    )

    def spans(self, sentence: Sentence) -> Sequence[Span]:
        """Return the shortest phrases that are contiguous and less than two thirds of the sentence."""
        phrases = []
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
                phrases.append((first, last))
        limit = max(len(sentence) * 2 // 3, 3)
        fitting = [span for span in phrases if span[1] - span[0] < limit]
        shortest = min((last - first for first, last in fitting), default=0)
        return [(first, last) for first, last in fitting if last - first == shortest]


_LEANING = frozenset(word_list("words that lean on a preposition"))
"""Words that require the phrase after them."""


def _needed(sentence: Sentence, i: int, last: int) -> bool:
    """Return whether the rest would be ungrammatical: another word requires the phrase, it is relative, or an inversion follows."""
    head = sentence.heads[i]
    leans = sentence.pos[head] == "ADP" or sentence.lower[head] in _LEANING
    relative = any(tag in ("WDT", "WP", "WP$") for tag in sentence.tags[i : last + 1])
    inverted = i in sentence.firsts and sentence.pos[min(last + 1, len(sentence) - 1)] in ("AUX", "VERB")
    return leans or relative or inverted


def _balanced(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count('"') % 2 == 0 and text.count("“") == text.count("”")


class OmittedConjunction(TokensOmitted):
    """Perturbation that omits a conjunction or connecting adverb (DEMETR 12)."""

    nothing = "no conjunction"
    card = card_of("omitted-conjunction")
    other_languages = in_languages(
        ru=omission_rule(russian_words.conjunctions, "no conjunction"),
        ja=omission_rule(japanese_words.conjunctions, "no conjunction"),
    )

    def spans(self, sentence: Sentence) -> Sequence[Span]:
        """Return coordinators, subordinators, connecting adverbs and relative words; optional ``that`` only if there is no
        other.
        """
        needed: list[Span] = []
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
                (dispensable if word == "that" and dep == "mark" else needed).append((i, last))
        return needed or dispensable
