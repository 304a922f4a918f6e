"""Perturbations that delete or replace a pronoun, from English into German and French (ACES sections 5.8.1 and 5.8.3).

The type of *it* or *they* comes from the parse of the source or from the column `pronoun_function`. It can be pleonastic,
anaphoric with an antecedent in the same sentence (as subject or not), singular *they* after an indefinite person, or a group.
Source and translation must each contain exactly one such pronoun; the two then correspond.
"""

from __future__ import annotations

import re

from assay.core.batch import Segment
from assay.core.perturbation import Perturbation, Perturbed, Refused, Rng, Tools
from assay.data.words import nested_lists, word_list
from assay.perturb.cards import variant
from assay.perturb.language.sentence import Sentence, parse_sentence
from assay.perturb.language.texts import delete_span, match_case, pick, replace_span, source_language

_WEATHER = frozenset(["rain", "snow", "hail", "thunder", "freeze"])
_DUMMY = frozenset(word_list("verbs of a pleonastic it"))
_INDEFINITE = frozenset(word_list("indefinite persons"))
_GROUPS = frozenset(word_list("groups of people"))


_PHRASES = frozenset(["nsubj", "nsubjpass", "dobj", "attr", "conj"])
_TIMES = frozenset(["DATE", "TIME", "CARDINAL", "ORDINAL", "PERCENT", "MONEY", "QUANTITY"])
"""Entity types that are not antecedents."""


def _may_be_antecedent(sentence: Sentence, noun: int, pronoun: int) -> bool:
    """Return whether the noun is the subject or object of an earlier clause in the same sentence that has its own subject.

    *In some cases, they …* and *when hunting turtles, they …* refer to something outside the sentence.
    """
    if sentence.pos[noun] not in ("NOUN", "PROPN", "PRON") or sentence.deps[noun] not in _PHRASES:
        return False
    if sentence.named[noun] in _TIMES or any(noun < first <= pronoun for first in sentence.firsts):
        return False
    above, at = {pronoun}, pronoun
    while sentence.heads[at] != at:
        at = sentence.heads[at]
        above.add(at)
    verb = sentence.heads[noun]
    while sentence.deps[verb] == "conj" and sentence.pos[verb] not in ("VERB", "AUX"):
        verb = sentence.heads[verb]
    pronoun_verb = sentence.heads[pronoun] if sentence.pos[sentence.heads[pronoun]] in ("VERB", "AUX") else pronoun
    return noun not in above and verb != pronoun_verb and sentence.child(verb, "nsubj", "nsubjpass") is not None


def find_function(sentence: Sentence, i: int) -> str | None:
    """Return the type of the pronoun at token `i` (*it*, *they*, *them*) in ACES's terms; None if it is unclear."""
    word, head = sentence.lower[i], sentence.heads[i]
    if word == "it" and sentence.deps[i] in ("nsubj", "expl") and _is_dummy(sentence, head):
        return "pleonastic_it"
    plural = word != "it"
    nouns = [j for j in range(i) if _may_be_antecedent(sentence, j, i)]
    single = [
        sentence.lemmas[j].lower() for j in nouns if sentence.tags[j] in ("NN", "PRP") or sentence.pos[j] == "PRON"
    ]
    several = any(sentence.tags[j] in ("NNS", "NNPS") for j in nouns)
    persons, groups = (any(lemma in words for lemma in single) for words in (_INDEFINITE, _GROUPS))
    if (persons and groups) or (several and plural and (persons or groups)):
        return None  # more than one possible antecedent
    if plural and persons:
        return "anaphoric_singular_they"
    if groups:
        return "anaphoric_group_it-they" if plural or len(single) == 1 else None
    noun_tag = "NNS" if plural else "NN"
    if not any(sentence.tags[j] == noun_tag for j in nouns):
        return None
    if plural:
        return "anaphoric_intra_they"
    return f"anaphoric_intra_{'subject' if sentence.deps[i].startswith('nsubj') else 'non-subject'}_it"


def _is_dummy(sentence: Sentence, head: int) -> bool:
    if sentence.lemmas[head] in _WEATHER:
        return True
    deps = {sentence.deps[child] for child in sentence.children[head]}
    complement = sentence.child(head, "acomp", "attr")
    below = {sentence.deps[child] for child in sentence.children[complement]} if complement is not None else set()
    clauses = {"ccomp", "csubj"} | ({"xcomp"} if sentence.lemmas[head] == "take" else set())
    return sentence.lemmas[head] in _DUMMY and bool(clauses & deps or {"ccomp", "xcomp", "csubj"} & below)


WRONG = nested_lists("pronouns")
"""Third-person pronouns by language, with forms of another gender or number in the same case."""

_RENDERS = nested_lists("pronoun_functions")
"""Forms that unambiguously render one type of pronoun. German *es* and French *il* are often impersonal."""
GUESSED = 0.45
"""Confidence in a pronoun's type if it comes only from the parse. In a manual check one in eight was wrong, so ``assay make``
requires the column `pronoun_function` by default.
"""
_IMPERSONAL = re.compile(r"\s(?:gibt|gab|geht|ging|handelt|y\b|faut|fallait|s['’]agi)", re.IGNORECASE)


def _agrees(text: str, span: tuple[int, int], function: str) -> bool:
    """Return False if German *sie* is next to a plural verb although the source has *it*."""
    if text[slice(*span)].lower() != "sie" or "they" in function:
        return True
    before, after = re.search(r"(\w+)\s$", text[: span[0]]), re.match(r"\s(\w+)", text[span[1] :])
    return not any(match and match[1].endswith("en") for match in (before, after))


def _are_far_apart(segment: Segment, span: tuple[int, int]) -> bool:
    """Return whether the pronouns have very different positions in source and translation."""
    match = re.search(r"\b(?:it|they|them)\b", segment.source or "", re.IGNORECASE)
    if match is None:
        return True
    return abs(match.start() / len(segment.source or " ") - span[0] / len(segment.hypothesis)) > 0.25


def find_source_function(segment: Segment, tools: Tools) -> str | Refused:
    """Return the type of the only *it* or *they* in the source, or a refusal."""
    from_column = segment.meta.get("pronoun_function", "")
    if from_column:
        return from_column
    if source_language(segment) != "en" or not segment.source:
        return Refused("the source must be English (or give the column pronoun_function)")
    sentence = parse_sentence(tools, segment.source, "en")
    pronouns = [i for i, word in enumerate(sentence.lower) if word in ("it", "they", "them")]
    if {"he", "she", "him", "her", "his"} & set(sentence.lower):
        return Refused("another third-person pronoun in the source")
    if len(pronouns) != 1:
        return Refused("not exactly one it or they in the source")
    if len(sentence.firsts) > 1:
        return Refused("more than one sentence in the source")
    return find_function(sentence, pronouns[0]) or Refused("no antecedent in the sentence")


def find_pronoun(text: str, language: str) -> tuple[int, int] | None:
    """Return the position of the only third-person pronoun in the translation that could render *it* or *they*."""
    forms = "|".join(WRONG[language])
    spans = [match.span() for match in re.finditer(rf"(?<![\w’'-])(?:{forms})(?!\w|['’])", text, re.IGNORECASE)]
    spans = [span for span in spans if not (language == "de" and text[span[0] : span[1]] == "Sie" and span[0])]
    return spans[0] if len(spans) == 1 else None


class WrongPronoun(Perturbation):
    """Perturbation that deletes or replaces one pronoun in the translation."""

    @property
    def function(self) -> str:
        """The type of pronoun, in ACES's terms."""
        return self.card.phenomenon.partition(":")[0]

    @property
    def deletes(self) -> bool:
        """True if the pronoun is deleted rather than replaced."""
        return self.card.phenomenon.endswith(":deletion")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Check the type of the source pronoun, then change its rendering."""
        if language not in WRONG:
            return Refused(f"no list of pronouns for {language}")
        function = find_source_function(segment, tools)
        if isinstance(function, Refused):
            return function
        if function != self.function:
            return Refused(f"the pronoun is {function}")
        if re.search(r"\bthem\b", segment.source or "", re.IGNORECASE) and not self.deletes and language == "de":
            return Refused("unclear whether them is sie or ihnen")
        span = find_pronoun(segment.hypothesis, language)
        if span is None:
            return Refused("not exactly one pronoun in the translation")
        word = segment.hypothesis[slice(*span)].lower()
        renders = _RENDERS.get(language, {}).get(function, tuple(WRONG[language]))
        if word not in renders or _IMPERSONAL.match(segment.hypothesis, span[1]):
            return Refused("the pronoun of the translation does not render that of the source")
        if language == "de" and not _agrees(segment.hypothesis, span, function):
            return Refused("the verb next to the pronoun is plural")
        if not segment.meta.get("pronoun_function") and _are_far_apart(segment, span):
            return Refused("the pronouns of source and translation are far apart")
        if function == "pleonastic_it" and segment.hypothesis[slice(*span)].lower() not in ("es", "il"):
            return Refused("the pronoun of the translation is not pleonastic")
        result = self._change(segment.hypothesis, span, language, rng)
        return result if segment.meta.get("pronoun_function") else result.with_confidence(parse=GUESSED)

    def _change(self, text: str, span: tuple[int, int], language: str, rng: Rng) -> Perturbed:
        old = text[span[0] : span[1]]
        if self.deletes:
            return Perturbed((delete_span(text, *span),), f"{old} left out", {"old": old})
        options = WRONG[language][old.lower()]
        if language == "de" and old == "sie" and "non-subject" in self.function:
            options = ("ihn", "es")  # not a subject: *ihn* and not *er*
        new = match_case(pick(options, rng), old)
        return replace_span(text, *span, new)

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that a pronoun was deleted or replaced by another one in the list."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        old = segment.hypothesis[change.start : change.end].strip().lower()
        if old not in WRONG.get(language, {}):
            problems.append("the changed text is not a pronoun")
        elif not self.deletes and change.text.lower() not in (
            *WRONG[language][old],
            *(("ihn",) if old == "sie" else ()),
        ):
            problems.append("the replacement is not a wrong pronoun")
        elif self.deletes and change.text:
            problems.append("the pronoun was not deleted")
        return problems


PleonasticDeleted = variant(WrongPronoun, "pronoun-pleonastic-it-deletion")
PleonasticSubstituted = variant(WrongPronoun, "pronoun-pleonastic-it-substitution")
SubjectItDeleted = variant(WrongPronoun, "pronoun-anaphoric-intra-subject-it-deletion")
SubjectItSubstituted = variant(WrongPronoun, "pronoun-anaphoric-intra-subject-it-substitution")
ObjectItDeleted = variant(WrongPronoun, "pronoun-anaphoric-intra-non-subject-it-deletion")
ObjectItSubstituted = variant(WrongPronoun, "pronoun-anaphoric-intra-non-subject-it-substitution")
TheyDeleted = variant(WrongPronoun, "pronoun-anaphoric-intra-they-deletion")
TheySubstituted = variant(WrongPronoun, "pronoun-anaphoric-intra-they-substitution")
SingularTheyDeleted = variant(WrongPronoun, "pronoun-anaphoric-singular-they-deletion")
SingularTheySubstituted = variant(WrongPronoun, "pronoun-anaphoric-singular-they-substitution")
GroupDeleted = variant(WrongPronoun, "pronoun-anaphoric-group-it-they-deletion")
GroupSubstituted = variant(WrongPronoun, "pronoun-anaphoric-group-it-they-substitution")
