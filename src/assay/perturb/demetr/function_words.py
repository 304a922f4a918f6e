"""Perturbations of function words: a pronoun's gender (DEMETR 11) or case (15), a preposition or an article (16)."""

from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.data.words import lists, nested_lists, word_list
from assay.perturb.cards import card_of
from assay.perturb.demetr import japanese_words, russian_forms
from assay.perturb.demetr.rules import ParsedRule, in_languages, indefinite_article
from assay.perturb.language.sentence import Sentence
from assay.perturb.language.texts import base_language, capitalise, match_first, pick

_PRONOUNS = nested_lists("english_pronouns")
_GENDER = {(word, tag): _PRONOUNS[tag][word][0] for tag in ("PRP", "PRP$") for word in _PRONOUNS[tag]}
_CASES = tuple(_PRONOUNS["case"].values())
"""English pronouns: subject, object, possessive, reflexive."""
_ROWS = {form.lower(): row for row in _CASES for form in row}


class GenderPronoun(ParsedRule):
    """Perturbation that gives exactly one pronoun another gender (DEMETR 11)."""

    card = card_of("gender-pronoun")
    other_languages = in_languages(ru=russian_forms.gender_pronoun, ja=japanese_words.gender_pronoun)

    def change(self, sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
        pronouns = [i for i, key in enumerate(zip(sentence.lower, sentence.tags, strict=True)) if key in _GENDER]
        if not pronouns:
            return Refused("no pronoun with a gender")
        i = pick(pronouns, rng)
        return _exchange(sentence, i, _GENDER[sentence.lower[i], sentence.tags[i]])

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that a pronoun was replaced by one of the other gender."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        old = segment.hypothesis[change.start : change.end].lower()
        if base_language(language) in self.other_languages:
            return problems
        if change.text.lower() not in {new for (word, _), new in _GENDER.items() if word == old}:
            problems.append(f"{change.text!r} is not the other gender of {old!r}")
        return problems


class PronounCase(ParsedRule):
    """Perturbation that puts a pronoun into a case that its position does not allow (DEMETR 15)."""

    card = card_of("pronoun-case")
    other_languages = in_languages(ru=russian_forms.pronoun_case)

    def change(self, sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Change a random pronoun, but not in a contraction (it's)."""
        pronouns = []
        for i, word in enumerate(sentence.lower):
            row = _ROWS.get(word)
            if row is None or sentence.tags[i] not in ("PRP", "PRP$", "WP", "WP$"):
                continue
            if sentence.text[sentence.ends[i] : sentence.ends[i] + 1] not in ("'", "’"):
                pronouns.append((i, row))
        if not pronouns:
            return Refused("no pronoun with a case")
        i, row = pick(pronouns, rng)
        wrong = sorted({form for form in row[:3] if form.lower() != sentence.lower[i]}) or [row[3]]
        return _exchange(sentence, i, pick(wrong, rng))

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the new word is another form of the same pronoun."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        old, new = segment.hypothesis[change.start : change.end].lower(), change.text.lower()
        rows = [{form.lower() for form in row} for row in (*_CASES, *russian_forms.CASES)]
        if not any(old in row and new in row for row in rows):
            problems.append(f"{new!r} is not a form of {old!r}")
        return problems


def _exchange(sentence: Sentence, i: int, new: str) -> Perturbed:
    old = sentence.words[i]
    opens = i in sentence.firsts or not sentence.text[: sentence.starts[i]].strip("\"'“( ")
    replacement = capitalise(new) if old[:1].isupper() and (old != "I" or opens) else new
    return Perturbed((Change(sentence.starts[i], sentence.ends[i], replacement),), f"{old} -> {replacement}")


PREPOSITIONS = word_list("prepositions")

_NEAR = [frozenset(group) for group in lists("similar_prepositions").values()]
"""Prepositions that are interchangeable, so swapping them would not be an error."""
_WRONG = {
    word: [other for other in PREPOSITIONS if other != word and not any({other, word} <= near for near in _NEAR)]
    for word in PREPOSITIONS
}


class FunctionWord(ParsedRule):
    """Perturbation that uses a preposition with a different meaning, or the wrong article (DEMETR 16)."""

    card = card_of("function-word")

    def change(self, sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
        candidates = [i for i in range(len(sentence)) if _options(sentence, i)]
        if not candidates:
            return Refused("no preposition or article")
        i = pick(candidates, rng)
        new = match_first(pick(_options(sentence, i), rng), sentence.words[i])
        change = Change(sentence.starts[i], sentence.ends[i], new)
        return Perturbed((change,), f"{sentence.words[i]} -> {new}")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that an article was replaced by an article, or a preposition by one with a different meaning."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        old, new = segment.hypothesis[change.start : change.end].lower(), change.text.lower()
        articles = {old, new} <= {"a", "an", "the"}
        if not articles and (not {old, new} <= {*PREPOSITIONS} or any({old, new} <= near for near in _NEAR)):
            problems.append(f"{new!r} is not a wrong word for {old!r}")
        return problems


def _options(sentence: Sentence, i: int) -> list[str]:
    """Return the wrong words for token `i`; none if it is neither a preposition nor an article."""
    word = sentence.lower[i]
    if sentence.tags[i] == "DT" and word in ("a", "an"):
        return ["an" if word == "a" else "a"]
    if sentence.tags[i] == "DT" and word == "the" and i + 1 < len(sentence):
        return ["an" if indefinite_article(sentence.words[i + 1]) == "a" else "a"]
    if word in PREPOSITIONS and sentence.pos[i] == "ADP" and sentence.deps[i] in ("prep", "agent", "dative", "pcomp"):
        return _WRONG[word]
    return []
