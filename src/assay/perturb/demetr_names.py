"""DEMETR 9: a name replaced by another name of its type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.batch import Segment
from assay.core.perturbation import Change, PerturbationCard, Perturbed, Refused, Tools
from assay.perturb import gazetteer
from assay.perturb.demetr_omission import mentions, names
from assay.perturb.rules import ParsedRule, capital, choose, first_fit, with_article
from assay.perturb.sentence import Entity, Sentence

if TYPE_CHECKING:
    import numpy as np

TYPES = ("PERSON", "GPE", "LOC", "FAC", "ORG", "NORP")


class NameReplaced(ParsedRule):
    """A person for a person, a place for a place, an organisation for an organisation, wherever the name is mentioned."""

    most_places = 16
    card = PerturbationCard(
        name="name-replaced",
        about="a name replaced within its type: presenter Stephen Colbert -> presenter Marco Brandt",
        phenomenon="mistranslation - named entity",
        category="accuracy/mistranslation",
        severity="critical",
        follows=("DEMETR 9",),
        languages=("en",),
        needs=("parse",),
        extra="make",
    )

    def change(
        self, sentence: Sentence, segment: Segment, rng: np.random.Generator, tools: Tools
    ) -> Perturbed | Refused:
        """Replace a random name."""
        found = [name for name in names(sentence) if name.label in TYPES]
        return first_fit(
            rng, found, lambda name: _renamed(sentence, name, rng), "no name of a person, place or organisation"
        )

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """The same new name in every place, none of them the old one."""
        found = super().problems(segment, perturbed, language, tools)
        good = segment.hypothesis
        told = {c.text.lower() for c in perturbed.changes if good[c.start : c.end].lower() not in ("a", "an")}
        if len(told) != 1:
            found.append("mentions of one name became different names")
        return found


def _renamed(sentence: Sentence, name: Entity, rng: np.random.Generator) -> Perturbed | None:
    first = name.first
    said = sentence.span(first, name.last)
    new = _other(sentence, name, rng)
    if new is None or new.lower() in sentence.text.lower() or not said[:1].isalnum():
        return None
    changes: list[Change] = []
    for entity in mentions(sentence, said):
        last = entity.last - (sentence.tags[entity.last] == "POS")
        start = sentence.starts[entity.first]
        text, before = new, sentence.lower[entity.first - 1] if entity.first else ""
        if text.startswith("the ") and (before in ("the", "a", "an") or _determined(sentence, entity)):
            text = text[4:]
        if entity.first in sentence.firsts and sentence.words[entity.first][0].isupper():
            text = capital(text)
        changes += [*with_article(sentence, entity.first, text), Change(start, sentence.ends[last], text)]
    return Perturbed(tuple(changes), f"{said} -> {new}", {"type": name.label})


def _determined(sentence: Sentence, entity: Entity) -> bool:
    """True where an article would be wrong: the name modifies a noun, or has a determiner or adjective before it."""
    before = sentence.pos[entity.first - 1] if entity.first else ""
    return before in ("ADJ", "PRON", "PROPN") or sentence.deps[entity.last] in ("compound", "amod", "nmod")


def _other(sentence: Sentence, name: Entity, rng: np.random.Generator) -> str | None:
    """Another name of the type, of about the same shape."""
    words = [sentence.words[i] for i in range(name.first, name.last + 1) if sentence.tags[i] != "POS"]
    bare = " ".join(word for i, word in enumerate(words) if i or word.lower() != "the")
    if name.label == "PERSON":
        surname = choose(rng, gazetteer.SURNAMES)
        return surname if len(words) == 1 else f"{choose(rng, gazetteer.FIRST_NAMES)} {surname}"
    if name.label == "NORP":
        plain = bare.removesuffix("s")
        if not sentence.tags[name.last].startswith("JJ") and plain not in gazetteer.PEOPLES:
            return None
        people = choose(rng, gazetteer.PEOPLES)
        plural = plain != bare and people.endswith("an")
        return None if plain != bare and not plural else people + ("s" if plural else "")
    pools = {"GPE": gazetteer.CITIES, "LOC": gazetteer.REGIONS, "FAC": gazetteer.CITIES, "ORG": gazetteer.ORGANISATIONS}
    pool = gazetteer.COUNTRIES if name.label == "GPE" and bare in gazetteer.COUNTRY_NAMES else pools[name.label]
    plain_only = [option for option in pool if not option.startswith("the ")]
    modifies = sentence.deps[name.last] in ("compound", "amod", "nmod", "poss")
    return choose(rng, plain_only if modifies or (words[0].lower() != "the" and name.label != "LOC") else pool)
