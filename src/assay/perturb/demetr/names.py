"""DEMETR 9: a name replaced by another name of its type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Tools
from assay.perturb.demetr.cards import demetr_card
from assay.perturb.demetr.rules import ParsedRule, first_fit, with_article
from assay.perturb.language import gazetteer
from assay.perturb.language.sentence import Entity, Sentence, mentions, names
from assay.perturb.language.texts import capital, pick

if TYPE_CHECKING:
    import numpy as np

TYPES = ("PERSON", "GPE", "LOC", "FAC", "ORG", "NORP")


_NOTHING = "no name of a person, place or organisation"
_CLOCKS = ("GMT", "UTC", "CET", "EST", "AM", "PM")


class NameReplaced(ParsedRule):
    """A person for a person, a place for a place, an organisation for an organisation, wherever the name is mentioned."""

    most_places = 16
    card = demetr_card(
        9,
        name="name-replaced",
        about="a name replaced within its type: presenter Stephen Colbert -> presenter Marco Brandt",
        category="accuracy/mistranslation",
        languages=("en",),
        needs=("parse",),
        extra="make",
    )

    def change(
        self, sentence: Sentence, segment: Segment, rng: np.random.Generator, tools: Tools
    ) -> Perturbed | Refused:
        """Replace a random name; one whose type is in doubt only where there is no other."""
        found = [name for name in names(sentence) if name.label in TYPES]
        sure = [name for name in found if _sure(sentence, name)]
        made: Perturbed | Refused = Refused(_NOTHING)
        for options in (sure, found):
            made = first_fit(rng, options, lambda name: _renamed(sentence, name, rng), _NOTHING)
            if isinstance(made, Perturbed):
                break
        return made

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """The same new name in every place, none of them the old one."""
        found = super().problems(segment, perturbed, language, tools)
        good = segment.hypothesis
        told = {c.text.lower() for c in perturbed.changes if good[c.start : c.end].lower() not in ("a", "an")}
        if len(told) != 1:
            found.append("mentions of one name became different names")
        return found


def _sure(sentence: Sentence, name: Entity) -> bool:
    """True where the words bear the type out: a tagger often takes a lone capitalised word for an organisation."""
    words = sentence.words[name.first : name.last + 1]
    if name.label == "ORG":
        return any(word in gazetteer.INSTITUTIONS for word in words) or (len(words) == 1 and words[0].isupper())
    if name.label == "PERSON":
        return len(words) > 1 or sentence.deps[name.last].startswith("nsubj")
    return name.label != "FAC"


def _renamed(sentence: Sentence, name: Entity, rng: np.random.Generator) -> Perturbed | None:
    said = sentence.span(name.first, name.last)
    new = _other(sentence, name, rng)
    bare = new.removeprefix("the ") if new else ""
    if new is None or bare.lower() in sentence.text.lower() or not said[:1].isalnum() or said in _CLOCKS:
        return None
    changes: list[Change] = []
    for entity in mentions(sentence, said):
        last = entity.last - (sentence.tags[entity.last] == "POS")
        text, before = new, sentence.lower[entity.first - 1] if entity.first else ""
        if before in ("the", "a", "an") or _determined(sentence, entity):
            text = bare
        if entity.first in sentence.firsts and sentence.words[entity.first][0].isupper():
            text = capital(text)
        end = sentence.ends[last]
        if sentence.lower[last + 1 : last + 2] in (["'"], ["’"]) and sentence.tags[last + 1] == "POS":
            text, end = f"{text}'s", sentence.ends[last + 1]
        changes += [*with_article(sentence, entity.first, text), Change(sentence.starts[entity.first], end, text)]
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
        surname = pick(gazetteer.SURNAMES, rng)
        return surname if len(words) == 1 else f"{pick(gazetteer.FIRST_NAMES, rng)} {surname}"
    if name.label == "NORP":
        plain = bare.removesuffix("s")
        if not sentence.tags[name.last].startswith("JJ") and plain not in gazetteer.PEOPLES:
            return None
        people = pick(gazetteer.PEOPLES, rng)
        plural = plain != bare and people.endswith("an")
        return None if plain != bare and not plural else people + ("s" if plural else "")
    pools = {"GPE": gazetteer.CITIES, "LOC": gazetteer.REGIONS, "FAC": gazetteer.CITIES, "ORG": gazetteer.ORGANISATIONS}
    pool = gazetteer.COUNTRIES if name.label == "GPE" and bare in gazetteer.COUNTRY_NAMES else pools[name.label]
    before = sentence.lower[name.first - 1] if name.first else ""
    modifies = sentence.deps[name.last] in ("compound", "amod", "nmod", "poss")
    takes_the = words[0].lower() == "the" or before == "the"
    if takes_the and not modifies:
        with_the = [option for option in pool if option.startswith("the ")]
        return pick(with_the or pool, rng)
    return pick([option for option in pool if not option.startswith("the ")], rng)
