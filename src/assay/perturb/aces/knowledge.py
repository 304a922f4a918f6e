"""Perturbations that replace words using WordNet relations (ACES sections 5.11 and 5.12).

Section 5.11 is over- and undertranslation, section 5.12 real-world knowledge. Overtranslation, undertranslation and noun
antonyms edit the reference and keep the good translation, as in the paper; without a reference they edit the translation. The
four contrastive classes put a fitting word into the good translation (hypernym, synonym, entailed verb) and an unfitting one
(hyponym, sibling, antonym) into the incorrect one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Rng, Tools
from assay.perturb.cards import variant
from assay.perturb.demetr.rules import adapt_article, replace_token
from assay.perturb.language.listed_relations import (
    CLASS_OF,
    DISTRACTORS,
    ENTAILED,
    KINDS,
    SURE_OPPOSITES,
    SYNONYM_ANTONYM,
    fits_kind,
    fits_noun,
    fits_opposite,
    fits_verb,
)
from assay.perturb.language.sentence import Sentence, parse_sentence
from assay.perturb.language.texts import other_reference, shuffle
from assay.perturb.language.wordnet_relations import (
    antonyms,
    distractors,
    entailed,
    has_few_senses,
    hypernyms,
    hyponyms,
    inflect_lemma,
    sense_confidence,
    siblings,
    synonyms,
)

_LISTED = 0.9
"""Confidence in the sense of a word from the built-in lists."""
Finder = Callable[[Any, Any, str, str], list[str]]


class Exchanged(Perturbation):
    """Perturbation that replaces one noun or verb.

    `right` finds the word for the good text (None keeps the word), `wrong` the one for the incorrect text.
    """

    part = "noun"
    wrong: Finder
    right: Finder | None = None
    known: Collection[str] = ()
    """Words in the built-in lists, whose relations hold in any sentence. The sense of all other words is in doubt."""
    fits: Callable[[Sentence, int], bool] = staticmethod(fits_noun)
    """Whether a listed noun is used in the sense that the list assumes."""

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Draw a word that has the relations; prefer words from the built-in lists."""
        base = other_reference(segment) if self.right is None else None
        sentence = parse_sentence(tools, base or segment.hypothesis, language)
        fitting = find_words(sentence, self.part, self.known, self.fits)
        listed = [i for i in fitting if sentence.lemmas[i].lower() in self.known]
        for i in (*shuffle(listed, rng), *shuffle(list(find_words(sentence, self.part)), rng)):
            result = self._exchange(sentence, i, rng, tools, base)
            if result is not None:
                wordnet = tools.get("wordnet", "en")
                confidence = (
                    _LISTED if i in listed else sense_confidence(wordnet, sentence.lemmas[i].lower(), self.part)
                )
                return result.with_confidence(sense=confidence)
        return Refused(f"no {self.part} with the relation in WordNet")

    def _exchange(self, sentence: Sentence, i: int, rng: Rng, tools: Tools, base: str | None) -> Perturbed | None:
        lexicon = tools.get("wordnet", "en"), tools.get("frequency", "en")
        lemma = sentence.lemmas[i].lower()
        if self.right is not None and lemma not in self.known and not has_few_senses(lexicon[0], lemma, self.part):
            return None
        wrong = self._form(sentence, i, self.wrong(*lexicon, lemma, self.part), rng, tools)
        if wrong is None:
            return None
        old = sentence.words[i]
        if self.right is None:
            changes = replace_token(sentence, i, wrong)
            return Perturbed(changes, f"{old} -> {wrong}", {"old": old, "new": wrong}, base=base)
        right = self._form(sentence, i, self.right(*lexicon, lemma, self.part), rng, tools, wrong)
        if right is None:
            return None
        meta = {"old": old, "good": right, "new": wrong}
        return _contrast(sentence, i, right, wrong, f"{old}: {right} -> {wrong}", meta)

    def _form(
        self, sentence: Sentence, i: int, lemmas: list[str], rng: Rng, tools: Tools, other: str = ""
    ) -> str | None:
        inflection = tools.get("inflection", "en")
        for lemma in shuffle(lemmas, rng):
            head, _, last = lemma.rpartition(" ")
            form = inflect_lemma(inflection, last, self.part, sentence.tags[i])
            if form and form.lower() not in (*sentence.lower, other.lower()):
                return f"{head} {form}".strip()
        return None

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that one word was replaced, apart from its article, and that the replacement is a word."""
        problems = super().problems(segment, perturbed, language, tools)
        if not 1 <= len(perturbed.changes) <= 2:
            problems.append("more than one word was exchanged")
        change = perturbed.changes[-1]
        if not change.text.replace(" ", "").replace("-", "").isalpha():
            problems.append("the replacement is not a word")
        if perturbed.edited(segment)[change.start : change.end].lower() == change.text.lower():
            problems.append("the word is the same")
        return problems


def _contrast(sentence: Sentence, i: int, right: str, wrong: str, what: str, meta: dict[str, Any]) -> Perturbed:
    """Return an item with `right` in the good and `wrong` in the incorrect translation, each with its article."""
    changes = replace_token(sentence, i, right)
    good = Perturbed(changes).apply(sentence.text)
    shift = sum(len(change.text) - (change.end - change.start) for change in changes[:-1])
    start = changes[-1].start + shift
    end = start + len(changes[-1].text)
    article = adapt_article(sentence, i, wrong)
    needs = []
    if changes[:-1] and not article:  # the good text has the other article; restore it
        old = changes[0]
        needs = [Change(old.start, old.start + len(old.text), sentence.text[old.start : old.end])]
    elif article and not changes[:-1]:
        needs = article
    new = wrong.capitalize() if changes[-1].text[:1].isupper() else wrong
    return Perturbed((*needs, Change(start, end, new)), what, meta, good=good)


def find_words(
    sentence: Sentence, part: str, listed: Collection[str] = (), fits: Callable[[Sentence, int], bool] = fits_noun
) -> Iterator[int]:
    """Yield common nouns or full verbs that are not in names, compounds or hyphenated words; `known` words only if their
    context fits.
    """
    tags = ("NN", "NNS") if part == "noun" else ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ")
    for i, tag in enumerate(sentence.tags):
        if tag not in tags or sentence.named[i] or not sentence.words[i].isalpha() or len(sentence.words[i]) < 3:
            continue
        compound = part == "noun" and (sentence.deps[i] == "compound" or sentence.child(i, "compound") is not None)
        if sentence.hyphened(i) or compound:
            continue
        if listed and sentence.lemmas[i].lower() in listed:
            if fits_verb(sentence, i) if part == "verb" else fits(sentence, i):
                yield i
        elif part == "noun" or (sentence.pos[i] == "VERB" and sentence.child(i, "prt", "prep") is None):
            yield i


def _opposite(wordnet: Any, frequency: Any, lemma: str, part: str) -> list[str]:
    return [SYNONYM_ANTONYM[lemma][1]] if lemma in SYNONYM_ANTONYM else antonyms(wordnet, frequency, lemma, part)


def _excluded(wordnet: Any, frequency: Any, lemma: str, part: str) -> list[str]:
    if lemma in ENTAILED:
        return [ENTAILED[lemma][1]]
    return antonyms(wordnet, frequency, lemma, part) or siblings(wordnet, frequency, lemma, part)


_CLASSED_KINDS = frozenset(KINDS) & frozenset(CLASS_OF)
_WITH_OTHERS = frozenset(member for member, others in DISTRACTORS.items() if others)

Undertranslation = variant(Exchanged, "undertranslation", wrong=hypernyms, known=CLASS_OF)
Overtranslation = variant(Exchanged, "overtranslation", wrong=hyponyms, known=KINDS, fits=fits_kind)
NounAntonym = variant(Exchanged, "noun-antonym", wrong=antonyms, known=SURE_OPPOSITES["NOUN"], fits=fits_opposite)
HypernymVersusHyponym = variant(
    Exchanged, "hypernym-versus-hyponym", right=hypernyms, wrong=hyponyms, known=_CLASSED_KINDS, fits=fits_kind
)
HypernymVersusDistractor = variant(
    Exchanged, "hypernym-versus-distractor", right=hypernyms, wrong=distractors, known=_WITH_OTHERS
)
SynonymVersusAntonym = variant(
    Exchanged, "synonym-versus-antonym", part="verb", right=synonyms, wrong=_opposite, known=SYNONYM_ANTONYM
)
Entailment = variant(Exchanged, "entailment", part="verb", right=entailed, wrong=_excluded, known=ENTAILED)
