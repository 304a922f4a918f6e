"""Pronouns deleted or exchanged from English into German and French: ACES section 5.8.1, and coreference (5.8.3).

Which kind of *it* or *they* stands in the source is read from its parse (or given in the column `pronoun_function`): pleonastic,
anaphoric with an antecedent in the same sentence (as subject or not), singular *they* after an indefinite person, or a group.
There must be exactly one such pronoun in the source and one in the translation, so that the two belong together.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbation, PerturbationCard, Perturbed, Refused, Tools
from assay.perturb.language.anaphora import function_of
from assay.perturb.language.confidence import confident
from assay.perturb.language.sentence import sentence_of
from assay.perturb.language.texts import deletion, like_case, pick, source_language

if TYPE_CHECKING:
    import numpy as np

WRONG: dict[str, dict[str, tuple[str, ...]]] = {
    "de": {
        "er": ("sie", "es"), "sie": ("er", "es"), "es": ("er", "sie"), "ihn": ("sie", "es"), "ihm": ("ihr",), "ihnen": ("ihm",),
    },
    "fr": {"il": ("elle",), "elle": ("il",), "ils": ("elles",), "elles": ("ils",)},
    "ru": {"он": ("она",), "она": ("он",), "оно": ("она",)},
}  # fmt: skip
"""Pronouns of the third person and forms of another gender or number in the same case."""

_RENDERS: dict[str, dict[str, tuple[str, ...]]] = {
    "de": {
        "pleonastic_it": ("es",), "anaphoric_intra_subject_it": ("er", "sie"),
        "anaphoric_intra_non-subject_it": ("ihn", "sie", "ihm"), "anaphoric_intra_they": ("sie", "ihnen"),
        "anaphoric_singular_they": ("er", "sie", "ihm", "ihn"), "anaphoric_group_it-they": ("er", "sie", "ihm", "ihn", "ihnen"),
    },
    "fr": {
        "pleonastic_it": ("il",), "anaphoric_intra_subject_it": ("il", "elle"),
        "anaphoric_intra_non-subject_it": ("elle",), "anaphoric_intra_they": ("ils", "elles"),
        "anaphoric_singular_they": ("il", "elle", "ils", "elles"), "anaphoric_group_it-they": ("il", "elle", "ils", "elles"),
    },
}  # fmt: skip
"""Forms that can render a kind of pronoun without a doubt; German *es* and French *il y a* are often nobody's pronoun."""
GUESSED = 0.45
"""How sure the kind of a pronoun is that the parse alone tells: one in eight was wrong when they were read, so that
``assay make`` wants the column `pronoun_function` unless it is told to take what is in doubt."""
_IMPERSONAL = re.compile(r"\s(?:gibt|gab|geht|ging|handelt|y\b|faut|fallait|s['’]agi)", re.IGNORECASE)


def _agrees(text: str, place: tuple[int, int], function: str) -> bool:
    """False where German *sie* stands beside a verb in the plural although the source says *it*."""
    if text[slice(*place)].lower() != "sie" or "they" in function:
        return True
    before, after = re.search(r"(\w+)\s$", text[: place[0]]), re.match(r"\s(\w+)", text[place[1] :])
    return not any(match and match[1].endswith("en") for match in (before, after))


def _apart(segment: Segment, place: tuple[int, int]) -> bool:
    """True where the pronouns of source and translation stand in quite different places."""
    match = re.search(r"\b(?:it|they|them)\b", segment.source or "", re.IGNORECASE)
    if match is None:
        return True
    return abs(match.start() / len(segment.source or " ") - place[0] / len(segment.hypothesis)) > 0.25


def source_function(segment: Segment, tools: Tools) -> str | Refused:
    """The kind of the one *it* or *they* of the source."""
    given = segment.meta.get("pronoun_function", "")
    if given:
        return given
    if source_language(segment) != "en" or not segment.source:
        return Refused("the source must be English (or give the column pronoun_function)")
    sentence = sentence_of(tools, segment.source, "en")
    pronouns = [i for i, word in enumerate(sentence.lower) if word in ("it", "they", "them")]
    if {"he", "she", "him", "her", "his"} & set(sentence.lower):
        return Refused("another third-person pronoun in the source")
    if len(pronouns) != 1:
        return Refused("not exactly one it or they in the source")
    if len(sentence.firsts) > 1:
        return Refused("more than one sentence in the source")
    return function_of(sentence, pronouns[0]) or Refused("no antecedent in the sentence")


def pronoun_in(text: str, language: str) -> tuple[int, int] | None:
    """The one third-person pronoun of the translation that could render *it* or *they*."""
    forms = "|".join(WRONG[language])
    found = [match.span() for match in re.finditer(rf"(?<![\w’'-])(?:{forms})(?!\w|['’])", text, re.IGNORECASE)]
    found = [place for place in found if not (language == "de" and text[place[0] : place[1]] == "Sie" and place[0])]
    return found[0] if len(found) == 1 else None


class WrongPronoun(Perturbation):
    """One pronoun of the translation deleted or exchanged."""

    function = "pleonastic_it"
    deletes = False
    accusative = False
    """True where the pronoun is no subject, so that German *sie* becomes *ihn* and not *er*."""

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Check that the source pronoun is of the kind, then change its rendering."""
        if language not in WRONG:
            return Refused(f"no list of pronouns for {language}")
        function = source_function(segment, tools)
        if isinstance(function, Refused):
            return function
        if function != self.function:
            return Refused(f"the pronoun is {function}")
        if re.search(r"\bthem\b", segment.source or "", re.IGNORECASE) and not self.deletes and language == "de":
            return Refused("whether them is sie or ihnen is not known")
        place = pronoun_in(segment.hypothesis, language)
        if place is None:
            return Refused("not exactly one pronoun in the translation")
        word = segment.hypothesis[slice(*place)].lower()
        renders = _RENDERS.get(language, {}).get(function, tuple(WRONG[language]))
        if word not in renders or _IMPERSONAL.match(segment.hypothesis, place[1]):
            return Refused("the pronoun of the translation does not render that of the source")
        if language == "de" and not _agrees(segment.hypothesis, place, function):
            return Refused("the verb beside the pronoun is plural")
        if not segment.meta.get("pronoun_function") and _apart(segment, place):
            return Refused("the pronouns of source and translation stand far apart")
        if function == "pleonastic_it" and segment.hypothesis[slice(*place)].lower() not in ("es", "il"):
            return Refused("the pronoun of the translation is not pleonastic")
        made = self._changed(segment.hypothesis, place, language, rng)
        return made if segment.meta.get("pronoun_function") else confident(made, parse=GUESSED)

    def _changed(self, text: str, place: tuple[int, int], language: str, rng: np.random.Generator) -> Perturbed:
        old = text[place[0] : place[1]]
        if self.deletes:
            return Perturbed((deletion(text, *place),), f"{old} left out", {"old": old})
        options = WRONG[language][old.lower()]
        if language == "de" and old == "sie" and self.accusative:
            options = ("ihn", "es")
        new = like_case(pick(options, rng), old)
        return Perturbed((Change(*place, new),), f"{old} -> {new}", {"old": old, "new": new})

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """A pronoun is gone, or has become another one of the list."""
        found = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        old = segment.hypothesis[change.start : change.end].strip().lower()
        if old not in WRONG.get(language, {}):
            found.append("what was changed is not a pronoun")
        elif not self.deletes and change.text.lower() not in (
            *WRONG[language][old],
            *(("ihn",) if old == "sie" else ()),
        ):
            found.append("the replacement is not a wrong pronoun")
        elif self.deletes and change.text:
            found.append("the pronoun was not deleted")
        return found


def _card(function: str, strategy: str) -> PerturbationCard:
    phenomenon = f"{function}:{strategy}"
    return PerturbationCard(
        name=f"pronoun-{function.replace('_', '-')}-{strategy}",
        about=f"{function.replace('_', ' ')} {'left out' if strategy == 'deletion' else 'exchanged'}: er ist rot -> "
        + ("ist rot" if strategy == "deletion" else "sie ist rot"),
        phenomenon=phenomenon,
        category="accuracy/omission" if strategy == "deletion" else "accuracy/mistranslation",
        severity="major",
        follows=(f"ACES {phenomenon}",),
        languages=("de", "fr"),
        wants=("source",),
        sure_in=(),
        unless=("pronoun_function",),
        extra="make",
    )


class PleonasticDeleted(WrongPronoun):
    """Pleonastic *it* left out."""

    card, function, deletes = _card("pleonastic_it", "deletion"), "pleonastic_it", True


class PleonasticSubstituted(WrongPronoun):
    """Pleonastic *it* exchanged."""

    card, function = _card("pleonastic_it", "substitution"), "pleonastic_it"


class SubjectItDeleted(WrongPronoun):
    """Anaphoric subject *it* left out."""

    card, function, deletes = _card("anaphoric_intra_subject_it", "deletion"), "anaphoric_intra_subject_it", True


class SubjectItSubstituted(WrongPronoun):
    """Anaphoric subject *it* exchanged."""

    card, function = _card("anaphoric_intra_subject_it", "substitution"), "anaphoric_intra_subject_it"


class ObjectItDeleted(WrongPronoun):
    """Anaphoric *it* that is no subject left out."""

    card, function, deletes = (
        _card("anaphoric_intra_non-subject_it", "deletion"),
        "anaphoric_intra_non-subject_it",
        True,
    )


class ObjectItSubstituted(WrongPronoun):
    """Anaphoric *it* that is no subject exchanged."""

    card, function = _card("anaphoric_intra_non-subject_it", "substitution"), "anaphoric_intra_non-subject_it"
    accusative = True


class TheyDeleted(WrongPronoun):
    """Anaphoric *they* left out."""

    card, function, deletes = _card("anaphoric_intra_they", "deletion"), "anaphoric_intra_they", True


class TheySubstituted(WrongPronoun):
    """Anaphoric *they* exchanged."""

    card, function = _card("anaphoric_intra_they", "substitution"), "anaphoric_intra_they"


class SingularTheyDeleted(WrongPronoun):
    """Singular *they* left out."""

    card, function, deletes = _card("anaphoric_singular_they", "deletion"), "anaphoric_singular_they", True


class SingularTheySubstituted(WrongPronoun):
    """Singular *they* exchanged."""

    card, function = _card("anaphoric_singular_they", "substitution"), "anaphoric_singular_they"


class GroupDeleted(WrongPronoun):
    """*it* or *they* for a group left out."""

    card, function, deletes = _card("anaphoric_group_it-they", "deletion"), "anaphoric_group_it-they", True


class GroupSubstituted(WrongPronoun):
    """*it* or *they* for a group exchanged."""

    card, function = _card("anaphoric_group_it-they", "substitution"), "anaphoric_group_it-they"
