"""Perturbations that replace a content word with a hypernym (DEMETR 3), an antonym (7) or another part of speech (13)."""

from __future__ import annotations

from typing import Any

from assay.core.batch import Segment
from assay.core.perturbation import Perturbed, Refused, Rng, Tools
from assay.data.words import word_list
from assay.perturb.cards import card_of
from assay.perturb.demetr.rules import ParsedRule, first_fit, replace_token
from assay.perturb.language.listed_relations import (
    CLASS_OF,
    ENTAILED,
    OPPOSITES,
    SURE_OPPOSITES,
    SYNONYM_ANTONYM,
    fits_noun,
    fits_verb,
)
from assay.perturb.language.sentence import Sentence
from assay.perturb.language.texts import pick
from assay.perturb.language.wordnet_relations import hypernym, inflect_lemma, relatives, wordnet_antonyms

PARTS = {"NOUN": "noun", "VERB": "verb", "ADJ": "adj", "ADV": "adv"}
_FEW_SENSES = 4
"""Maximum number of senses for which the first one is most likely meant."""
_FIXED = frozenset(word_list("set phrases with a noun"))
"""Set phrases whose noun is not replaced."""


class LexicalRule(ParsedRule):
    """Base class of rules that replace one content word; the article before it is adapted."""

    most_places = 2

    def words(self, sentence: Sentence) -> list[int]:
        """Return content words that are not in names or hyphenated words."""
        return [
            i
            for i, pos in enumerate(sentence.pos)
            if pos in PARTS
            and not sentence.named[i]
            and sentence.words[i].isalpha()
            and len(sentence.words[i]) > 2
            and not sentence.hyphened(i)
        ]

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that one word was replaced by another word."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[-1]
        old, new = segment.hypothesis[change.start : change.end], change.text
        if old.lower() == new.lower() or not old.isalpha() or not new.replace("-", "").isalpha():
            problems.append(f"{new!r} does not replace {old!r} as one word by another")
        return problems


class Hypernym(LexicalRule):
    """Perturbation that replaces a word with the closest common hypernym of its most frequent sense (DEMETR 3)."""

    card = card_of("hypernym")

    def change(self, sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Try nouns with few senses first, then other nouns, then verbs: with few senses the first one is more likely meant."""
        wordnet, inflection = tools.get("wordnet", "en"), tools.get("inflection", "en")
        frequency = tools.get("frequency", "en")

        def general(i: int) -> Perturbed | None:
            part = PARTS[sentence.pos[i]]
            if sentence.deps[i] == "prt" or sentence.child(i, "prt") is not None:
                return None
            if part == "noun" and sentence.child(i, "compound") is not None and sentence.tags[i] == "NNP":
                return None
            lemma = sentence.lemmas[i].lower()
            listed_class = _listed_class(sentence, i)
            replacement = listed_class or hypernym(wordnet, frequency, lemma, part)
            form = replacement and inflect_lemma(inflection, replacement, part, sentence.tags[i])
            if not form or form.lower() in sentence.lower:
                return None
            result = Perturbed(replace_token(sentence, i, form), f"{sentence.words[i]} -> {form}")
            return result.with_confidence(
                sense=0.9 if listed_class else 0.45 if len(wordnet.synsets(lemma, part)) == 1 else 0.25
            )

        words = [i for i in self.words(sentence) if not _is_fixed(sentence, i)]
        nouns = [i for i in words if sentence.tags[i] in ("NN", "NNS") and sentence.deps[i] != "compound"]
        verbs = [i for i in words if sentence.pos[i] == "VERB"]
        clear = [i for i in nouns if len(wordnet.synsets(sentence.lemmas[i], "noun")) <= _FEW_SENSES]
        listed = [i for i in (*nouns, *verbs) if _listed_class(sentence, i)]
        for options in (listed, clear, nouns, verbs):
            outcome = first_fit(rng, options, general, "no word with a usable hypernym")
            if isinstance(outcome, Perturbed):
                break
        return outcome


def _listed_class(sentence: Sentence, i: int) -> str | None:
    """Return the hypernym from the built-in lists if the noun or verb is used in its listed sense."""
    lemma = sentence.lemmas[i].lower()
    if sentence.pos[i] == "VERB" and lemma in ENTAILED and fits_verb(sentence, i):
        return ENTAILED[lemma][0]
    single = sentence.child(i, "compound") is None and sentence.deps[i] != "compound"
    return CLASS_OF[lemma] if lemma in CLASS_OF and single and fits_noun(sentence, i) else None


def _is_fixed(sentence: Sentence, i: int) -> bool:
    return i > 0 and f"{sentence.lower[i - 1]} {sentence.lower[i]}" in _FIXED


class Antonym(LexicalRule):
    """Perturbation that replaces a word with its opposite, from WordNet or a list of common opposites (DEMETR 7)."""

    card = card_of("antonym")

    def change(self, sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
        wordnet, inflection = tools.get("wordnet", "en"), tools.get("inflection", "en")
        frequency = tools.get("frequency", "en")

        def sure(i: int) -> Perturbed | None:
            surface = _sure_opposite(sentence, i, inflection)
            if surface is None or surface.lower() in sentence.lower:
                return None
            result = Perturbed(replace_token(sentence, i, surface), f"{sentence.words[i]} -> {surface}")
            return result.with_confidence(sense=0.9)

        def opposite(i: int) -> Perturbed | None:
            surface = OPPOSITES.get(sentence.pos[i], {}).get(sentence.lower[i])
            if surface is None:
                part = PARTS[sentence.pos[i]]
                if part == "verb" and sentence.child(i, "prt") is not None:
                    return None
                listed = OPPOSITES.get(sentence.pos[i], {}).get(sentence.lemmas[i].lower())
                opposites = [listed] if listed else wordnet_antonyms(wordnet, frequency, sentence.lemmas[i], part)
                surface = opposites[0] if opposites else None
                surface = surface and inflect_lemma(inflection, surface, part, sentence.tags[i])
            if not surface or " " in surface or surface.lower() in sentence.lower:
                return None
            result = Perturbed(replace_token(sentence, i, surface), f"{sentence.words[i]} -> {surface}")
            return result.with_confidence(sense=0.4)

        outcome = first_fit(rng, self.words(sentence), sure, "no word with an antonym")
        if isinstance(outcome, Refused):
            return first_fit(rng, self.words(sentence), opposite, "no word with an antonym")
        return outcome


def _sure_opposite(sentence: Sentence, i: int, inflection: Any) -> str | None:
    """Return the opposite from the built-in lists if the word is used in its listed sense."""
    pos, lemma, tag = sentence.pos[i], sentence.lemmas[i].lower(), sentence.tags[i]
    if pos == "VERB":
        if lemma not in SYNONYM_ANTONYM or not fits_verb(sentence, i):
            return None
        return inflect_lemma(inflection, SYNONYM_ANTONYM[lemma][1], "verb", tag)
    if pos == "NOUN":
        alone = sentence.deps[i] != "compound" and sentence.child(i, "compound") is None
        alone = alone and not (lemma == "failure" and sentence.child(i, "amod") is not None)
        opposite = SURE_OPPOSITES["NOUN"].get(lemma) if alone and tag in ("NN", "NNS") else None
        return inflect_lemma(inflection, opposite, "noun", tag) if opposite else None
    if sentence.hyphened(i) or _is_bound(sentence, i):
        return None
    if sentence.lower[i] == "more" and sentence.tags[sentence.heads[i]] == "NNS" and sentence.deps[i] == "amod":
        return "fewer"
    return SURE_OPPOSITES[pos].get(sentence.lower[i]) if pos in SURE_OPPOSITES else None


_PHRASES = frozenset(word_list("set phrases with an opposite"))


def _is_bound(sentence: Sentence, i: int) -> bool:
    """Return whether the word is in a set phrase or a name, in a measure (*three years old*) or in a compound (*high school*)."""
    before = f"{sentence.lower[i - 1]} {sentence.lower[i]}" if i else ""
    after = f"{sentence.lower[i]} {sentence.lower[i + 1]}" if i + 1 < len(sentence) else ""
    measured = sentence.child(i, "npadvmod", "nummod", "quantmod") is not None
    head = sentence.heads[i]
    named = (
        bool(sentence.named[head])
        or sentence.tags[head].startswith("NNP")
        or (sentence.words[i][:1].isupper() and i > 0)
    )
    followed = sentence.tags[i + 1 : i + 2] in (["NNP"], ["NNPS"])
    governs = sentence.lower[i] in ("safe", "certain", "able", "likely") and sentence.child(i, "prep") is not None
    return bool({before, after} & _PHRASES) or measured or named or followed or governs


class PartOfSpeechShift(LexicalRule):
    """Perturbation that uses another part of speech with the same root, based on WordNet's derivations (DEMETR 13)."""

    most_places = 1
    card = card_of("part-of-speech-shift")

    def change(self, sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
        wordnet, frequency = tools.get("wordnet", "en"), tools.get("frequency", "en")

        def shifted(i: int) -> Perturbed | None:
            options = sorted(set(relatives(wordnet, frequency, sentence.lemmas[i].lower(), PARTS[sentence.pos[i]])))
            options = [word for word in options if word != sentence.lower[i] and word[:3] == sentence.lower[i][:3]]
            if not options:
                return None
            word = pick(options, rng)
            changes = replace_token(sentence, i, word, fix_article=False)
            return Perturbed(changes, f"{sentence.words[i]} -> {word}")

        return first_fit(rng, self.words(sentence), shifted, "no word with a relative of another part of speech")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that at least the first three letters are the same."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        if segment.hypothesis[change.start : change.end][:3].lower() != change.text[:3].lower():
            problems.append("not the same root")
        return problems
