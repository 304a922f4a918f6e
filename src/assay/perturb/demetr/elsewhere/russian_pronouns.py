"""Russian: a pronoun of the wrong gender (DEMETR 11), a pronoun in the wrong case (15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.perturbation import Change, Perturbed, Refused, Tools
from assay.perturb.language.confidence import confident
from assay.perturb.language.sentence import Sentence
from assay.perturb.language.texts import like_first, pick

if TYPE_CHECKING:
    import numpy as np

_GENDER = {
    "его": "её", "её": "его", "ее": "его", "ему": "ей", "него": "неё", "неё": "него", "нее": "него", "нему": "ней", "нём": "ней",
}  # fmt: skip
_AFTER = {
    "к": "нему", "ко": "нему", "с": "ним", "со": "ним", "за": "ним", "перед": "ним", "над": "ним", "под": "ним", "между": "ним",
    "о": "нём", "об": "нём", "в": "нём", "на": "нём", "при": "нём",
}  # fmt: skip
"""Which form of *он* a preposition asks for where *ней* stands."""


def gender_pronoun(sentence: Sentence, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
    """A pronoun in an oblique case becomes one of the other gender: the verb then agrees with it as before."""
    found = []
    for i, word in enumerate(sentence.lower):
        before = sentence.lower[i - 1] if i else ""
        new = _GENDER.get(word)
        if word == "ней":
            new = _AFTER.get(before)
        elif word == "ним" and before in ("с", "со", "за", "перед", "над", "под"):
            new = "ней"
        elif word == "ей" and sentence.feats[i].get("Case") == "Dat":
            new = "ему"
        if new and sentence.pos[i] in ("PRON", "DET") and before != "все" and sentence.words[i][1:].islower():
            found.append((i, new if "ё" in sentence.text.lower() or word == "её" else new.replace("ё", "е")))
    if not found:
        return Refused("no pronoun with a gender in an oblique case")
    i, new = pick(found, rng)
    return confident(_became(sentence, i, new), parse=0.9)


_OBLIQUE = {
    "я": ("меня", "мне", "мной"), "ты": ("тебя", "тебе", "тобой"), "он": ("его", "ему"), "она": ("её",),
    "мы": ("нас", "нам", "нами"), "вы": ("вас", "вам", "вами"), "они": ("их", "ими"),
}  # fmt: skip
CASES = tuple(
    (nominative, *forms, *(form.replace("ё", "е") for form in forms)) for nominative, forms in _OBLIQUE.items()
)
"""The forms of each pronoun, for the check of a result."""


def pronoun_case(sentence: Sentence, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
    """A pronoun that is the subject of a finite verb loses its nominative."""
    found = [
        i
        for i, word in enumerate(sentence.lower)
        if word in _OBLIQUE
        and sentence.deps[i] == "nsubj"
        and sentence.feats[i].get("Case") == "Nom"
        and sentence.feats[sentence.heads[i]].get("VerbForm") == "Fin"
        and not sentence.hyphened(i)
    ]
    if not found:
        return Refused("no pronoun that is the subject of a verb")
    i = pick(found, rng)
    new = pick(_OBLIQUE[sentence.lower[i]], rng)
    return confident(_became(sentence, i, new if "ё" in sentence.text.lower() else new.replace("ё", "е")), parse=0.9)


def _became(sentence: Sentence, i: int, new: str) -> Perturbed:
    old = sentence.words[i]
    said = like_first(new, old)
    return Perturbed((Change(sentence.starts[i], sentence.ends[i], said),), f"{old} -> {said}")
