"""DEMETR 20 to 24: a word that the sentence needs is missing; and what every omission shares."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Tools
from assay.perturb.cards import card_of
from assay.perturb.demetr import japanese_words, russian_words
from assay.perturb.demetr.rules import Elsewhere, ParsedRule, first_fit, in_languages, removed, with_article
from assay.perturb.language.confidence import confident
from assay.perturb.language.sentence import (
    NAME_TYPES,
    SUBJECTS,
    Entity,
    Sentence,
    hyphenated,
    mentions,
    names,
    with_compounds,
)
from assay.perturb.language.texts import pick, spaceless

if TYPE_CHECKING:
    import numpy as np

Span = tuple[int, int]

_STAYING = ("not", "n't", "n’t", "never", "no", "at")
"""Words whose omission is another error: a negation dropped, ``at least`` torn apart."""
_SAYING = frozenset(
    ("say", "ask", "add", "write", "explain", "reply", "claim", "admit", "insist", "warn", "shout", "cry")
)
_LAST_RESORT = ("as", "so", "than", "more", "most", "such", "same", "own")


def without(sentence: Sentence, first: int, last: int) -> tuple[Change, ...]:
    """Tokens `first` to `last` taken out: with the comma that follows at a beginning, an article before put right."""
    text = sentence.text
    start, end = sentence.starts[first], sentence.ends[last]
    if text[end - 1] == "." and not text[end:].strip("\"'”’) ") and end - start > 1:
        end -= 1
    opens = first in sentence.firsts or not text[:start].strip(" \"'“”‘’«„([")
    before, after = text[:start].rstrip()[-1:], text[end : end + 1]
    if after == "," and before == ",":
        start, end = len(text[:start].rstrip()) - 1, end + 1
        return (Change(start, end, ""),)
    if after in (",", ":", ";") and (opens or before in ("(", "—", "-", ";", ":")):
        end += 1
    change = removed(text, start, end, opens=opens)
    following = text[change.end :].lstrip()
    fixed = with_article(sentence, first, following) if following[:1].isalnum() else []
    return (*fixed, change)


def word_left_out(sentence: Sentence, first: int, last: int) -> tuple[Change, ...]:
    """Tokens taken out that are no insertion: of two commas around them the first stays."""
    text, start, end = sentence.text, sentence.starts[first], sentence.ends[last]
    opens = first in sentence.firsts or not text[:start].strip(" \"'“”‘’«„([")
    if text[end : end + 1] == "," and text[:start].rstrip()[-1:] == ",":
        end += 1
    return (removed(text, start, end, opens=opens),)


def omitting(
    spans: Callable[[Sentence], Sequence[Span]],
    nothing: str,
    leave_out: Callable[[Sentence, int, int], tuple[Change, ...]] = without,
) -> Elsewhere:
    """An omission in another language than English: one of the runs of tokens that `spans` allows."""

    def change(sentence: Sentence, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        found = [span for span in spans(sentence) if span[1] - span[0] + 2 < len(sentence)]
        if not found:
            return Refused(nothing)
        first, last = pick(found, rng)
        return confident(
            Perturbed(leave_out(sentence, first, last), f"{sentence.span(first, last)} omitted"), parse=0.9
        )

    return change


class TokensOmitted(ParsedRule):
    """Tokens are taken out; `spans` says which ones may be."""

    most_places = 2
    nothing = ""
    """Why a sentence is refused."""

    @abstractmethod
    def spans(self, sentence: Sentence) -> Sequence[Span]:
        """Runs of tokens, first and last, that this rule may take out."""

    def change(
        self, sentence: Sentence, segment: Segment, rng: np.random.Generator, tools: Tools
    ) -> Perturbed | Refused:
        """Take one of them out."""
        spans = [span for span in self.spans(sentence) if span[1] - span[0] + 2 < len(sentence)]
        if not spans:
            return Refused(self.nothing)
        first, last = pick(spans, rng)
        return Perturbed(without(sentence, first, last), f"{sentence.span(first, last)} omitted")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Nothing was added: the words left are words of the good text in their order."""
        good = segment.hypothesis
        bad = perturbed.apply(good)
        found = super().problems(segment, perturbed, language, tools)
        bare = list if spaceless(language) else _bare
        rest = iter(bare(good))
        if not all(any(word == other for other in rest) for word in bare(bad)):
            found.append("more than an omission")
        return found


def _bare(text: str) -> list[str]:
    """The words of a text without case and without articles, which an omission may put right."""
    return [word for word in re.findall(r"\w+", text.lower()) if word not in ("a", "an")]


class OmittedAdjectiveAdverb(TokensOmitted):
    """DEMETR 20: an adjective or adverb is missing."""

    nothing = "no adjective or adverb"
    card = card_of("omitted-adjective-adverb")
    elsewhere = in_languages(
        ru=omitting(russian_words.adjectives_and_adverbs, "no adjective or adverb that stands alone"),
        ja=omitting(japanese_words.adjectives_and_adverbs, "no adjective or adverb that stands alone"),
    )

    def spans(self, sentence: Sentence) -> Sequence[Span]:
        """Adjectives and adverbs that stand alone before what they modify; others only where there is none such."""
        easy, hard = [], []
        for i, (tag, pos) in enumerate(zip(sentence.tags, sentence.pos, strict=True)):
            if not (tag.startswith(("JJ", "RB")) or pos in ("ADJ", "ADV")) or sentence.lower[i] in _STAYING:
                continue
            first, last = hyphenated(sentence, i)
            alone = first == last == i and sentence.is_word(i) and not sentence.children[i]
            modifies = sentence.deps[i] == ("amod" if tag.startswith("JJ") else "advmod")
            if alone and modifies and sentence.lower[i] not in _LAST_RESORT:
                easy.append((i, i))
            elif sentence.is_word(i):
                hard.append((first, last))
        return easy or hard


class OmittedVerb(TokensOmitted):
    """DEMETR 21: a content verb is missing; auxiliaries and copulas stay."""

    nothing = "no content verb"
    card = card_of("omitted-verb")
    elsewhere = in_languages(ru=omitting(russian_words.verbs, "no content verb", word_left_out))

    def spans(self, sentence: Sentence) -> Sequence[Span]:
        """Verbs other than ``be`` that are not hyphened to another word."""
        return [
            (i, i)
            for i, pos in enumerate(sentence.pos)
            if pos == "VERB" and sentence.lemmas[i] != "be" and sentence.is_word(i) and not sentence.hyphened(i)
        ]


class OmittedNoun(TokensOmitted):
    """DEMETR 22: a noun that is neither a subject nor a name is missing, with the nouns compounded to it."""

    nothing = "no noun that is neither subject nor name"
    card = card_of("omitted-noun")
    elsewhere = in_languages(ru=omitting(russian_words.nouns, "no noun that is neither subject nor name"))

    def spans(self, sentence: Sentence) -> Sequence[Span]:
        """Nouns by their heads; parts of a compound or hyphenated nouns only where there is no other."""
        nouns = [i for i, tag in enumerate(sentence.tags) if tag in ("NN", "NNS") and _stands_free(sentence, i)]
        fitting = [i for i in nouns if sentence.deps[i] not in SUBJECTS and sentence.named[i] not in NAME_TYPES]
        heads = [i for i in fitting if sentence.deps[i] not in ("compound", "nmod") and not sentence.hyphened(i)]
        return [with_compounds(sentence, i) for i in heads] or [hyphenated(sentence, i) for i in fitting]


def _stands_free(sentence: Sentence, i: int) -> bool:
    """A word of letters that is no unit written onto its number (``10km``)."""
    start = sentence.starts[i]
    return sentence.is_word(i) and not (start and sentence.text[start - 1].isalnum())


class OmittedSubject(TokensOmitted):
    """DEMETR 23: the head of a subject is missing, with the nouns compounded to it."""

    nothing = "no subject"
    card = card_of("omitted-subject")
    elsewhere = in_languages(ru=omitting(russian_words.subjects, "no subject that is a noun or a name"))

    def spans(self, sentence: Sentence) -> Sequence[Span]:
        """Nouns and pronouns; a relative pronoun or an empty ``there`` only where there is no other."""
        heads = [i for i, dep in enumerate(sentence.deps) if dep in ("nsubj", "nsubjpass") and not sentence.hyphened(i)]
        nouns = [i for i in heads if sentence.tags[i] not in ("WDT", "WP", "DT")]
        there = [i for i, dep in enumerate(sentence.deps) if dep in ("expl", "csubj")]
        return [with_compounds(sentence, i) for i in nouns or heads or there]


class OmittedName(ParsedRule):
    """DEMETR 24: a name that is not the subject is missing, everywhere it is mentioned in the same words."""

    most_places = 8
    card = card_of("omitted-name")
    elsewhere = in_languages(
        ru=omitting(russian_words.names, "no name that stands alone"),
        ja=omitting(japanese_words.names, "no name that stands alone"),
    )

    def change(
        self, sentence: Sentence, segment: Segment, rng: np.random.Generator, tools: Tools
    ) -> Perturbed | Refused:
        """Take out one that stands as an object or after a preposition; any other leaves a doubt about the parse."""
        found = [name for name in names(sentence) if name.last - name.first + 3 <= len(sentence)]
        free = [name for name in found if _stands_free_of_the_subject(sentence, name)]
        made = first_fit(rng, free, lambda name: self._taken(sentence, name), "no name")
        if isinstance(made, Perturbed):
            return confident(made, parse=0.9)
        apart = [name for name in found if not _is_subject(sentence, name)]
        made = first_fit(rng, apart or found, lambda name: self._taken(sentence, name), "no name")
        return made if isinstance(made, Refused) else confident(made, parse=0.3)

    def _taken(self, sentence: Sentence, name: Entity) -> Perturbed | None:
        said = sentence.span(name.first, name.last)
        changes: list[Change] = []
        for entity in mentions(sentence, said):
            first = entity.first + (sentence.tags[entity.first] == "DT" and sentence.lower[entity.first] != "the")
            new = without(sentence, first, entity.last)
            if changes and new[0].start < changes[-1].end:
                return None
            changes += new
        return Perturbed(tuple(changes), f"{said} omitted")


def _stands_free_of_the_subject(sentence: Sentence, name: Entity) -> bool:
    """True for a whole noun phrase after a verb or preposition, with nothing written onto it and no part of a subject."""
    head = name.last
    if name.label == "NORP":
        return False
    after = sentence.lower[head + 1 : head + 2]
    if sentence.deps[head] not in ("pobj", "dobj") or name.first == 0 or after in (["'s"], ["’s"], ["'"], ["’"], ["-"]):
        return False
    if sentence.deps[head] == "dobj" and sentence.lemmas[sentence.heads[head]] in _SAYING:
        return False  # asked Martin
    first, last = sentence.edges[head]
    if (first, last) != (name.first, name.last) or sentence.hyphened(name.last) or sentence.hyphened(name.first):
        return False
    return sentence.tags[head].startswith("NNP") and len(mentions(sentence, sentence.span(name.first, head))) == 1


def _is_subject(sentence: Sentence, name: Entity) -> bool:
    return any(sentence.deps[i] in SUBJECTS for i in range(name.first, name.last + 1))
