"""DEMETR 9: a name replaced by another name of its type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Tools
from assay.perturb.cards import card_of
from assay.perturb.demetr.rules import ParsedRule, first_fit, listed, with_article
from assay.perturb.language import gazetteer
from assay.perturb.language.confidence import confident
from assay.perturb.language.name_lists import FEMALE, MALE, gender_of
from assay.perturb.language.people import english_people
from assay.perturb.language.sentence import Entity, Sentence, mentions, names
from assay.perturb.language.texts import capital, pick

if TYPE_CHECKING:
    import numpy as np

TYPES = ("PERSON", "GPE", "LOC", "FAC", "ORG", "NORP")


_NOTHING = "no name of a person, place or organisation"
_PLACES: frozenset[str] = (
    gazetteer.COUNTRY_NAMES
    | frozenset(gazetteer.CITIES)
    | frozenset(
        listed(
            "London, Paris, Berlin, Moscow, Rome, Madrid, Beijing, Tokyo, Washington, New York, Los Angeles, San Francisco, "
            "Brussels, Amsterdam, Stockholm, Prague, Warsaw, Kiev, Kyiv, Istanbul, Ankara, Baghdad, Tehran, Jerusalem, Delhi, "
            "Seoul, Sydney, Melbourne, Ottawa, Edinburgh, Birmingham, Munich, Frankfurt, "
            "Cologne, Zurich, Venice, Philadelphia, Houston, Las Vegas, San Diego, Damascus, Kabul, Havana, Caracas"
        )
    )
)
_COUNTRIES = frozenset(
    listed(
        "Saudi Arabia, South Africa, Venezuela, Bolivia, Macedonia, Myanmar, Yemen, Lebanon, Qatar, Uruguay, Paraguay"
    )
)
_STATES = listed(
    "Texas, California, Florida, Ohio, Arizona, Nevada, Michigan, Pennsylvania, Minnesota, Wisconsin, Alabama, Kentucky, "
    "Tennessee, Massachusetts, Oregon, Louisiana, Oklahoma"
)
_PLACES |= _COUNTRIES | frozenset(_STATES)
_PLACES -= frozenset(
    listed("America Turkey Chile Porto Valencia Seville Glasgow Marseille Turin Chicago Denver Boston Toronto")
)
"""Places that are surely places, and no team."""
_UNITED = {"US": "States", "U.S.": "States", "USA": "States", "UK": "Kingdom", "U.K.": "Kingdom", "Britain": "Kingdom"}
_SAME = {said: f"United {what}" for said, what in (*_UNITED.items(), ("England", "Kingdom"))}
_ROLES = frozenset(
    listed(
        "president minister secretary senator judge leader spokesman spokeswoman director manager coach captain striker "
        "defender goalkeeper midfielder actor actress singer author professor doctor chairman chancellor ambassador officer "
        "reporter journalist presenter founder candidate lawyer attorney analyst economist wife husband son daughter brother "
        "sister father mother boss star rapper comedian billionaire mayor governor nominee editor owner quarterback"
    )
)
"""Nouns that a person's name may follow."""
_CLOCKS = ("GMT", "UTC", "CET", "EST", "AM", "PM")


class NameReplaced(ParsedRule):
    """A person for a person, a place for a place, an organisation for an organisation, wherever the name is mentioned."""

    most_places = 16
    card = card_of("name-replaced")

    def change(
        self, sentence: Sentence, segment: Segment, rng: np.random.Generator, tools: Tools
    ) -> Perturbed | Refused:
        """Replace a random name; one whose type is in doubt only where there is no other."""
        found = [name for name in names(sentence) if name.label in TYPES]
        sure = [name for name in found if _sure(sentence, name)]
        people = {(person.start, person.end) for person in english_people(sentence.text, tools)}
        sure = [name for name in sure if name.label != "PERSON" or _is_person(sentence, name, people)]
        made: Perturbed | Refused = Refused(_NOTHING)
        for options, sureness in ((sure, 0.9), (found, 0.3)):
            made = first_fit(rng, options, lambda name: _renamed(sentence, name, rng), _NOTHING)
            if isinstance(made, Perturbed):
                return confident(made, parse=sureness)
        return made

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """The same new name in every place, none of them the old one."""
        found = super().problems(segment, perturbed, language, tools)
        good = segment.hypothesis
        told = {c.text.lower() for c in perturbed.changes if good[c.start : c.end].lower() not in ("a", "an")}
        if len(told) != 1:
            found.append("mentions of one name became different names")
        return found


def _is_person(sentence: Sentence, name: Entity, people: set[tuple[int, int]]) -> bool:
    """True where the words around bear a person out: *magazine Der Spiegel* is none."""
    if (sentence.starts[name.first], sentence.ends[name.last]) not in people:
        return False
    before = name.first - 1
    if (
        sentence.lower[before : before + 1]
        and before >= 0
        and sentence.lower[before] in ("on", "in", "at", "near", "the")
    ):
        return False
    return before < 0 or sentence.tags[before] not in ("NN", "NNS") or sentence.lower[before] in _ROLES


def _sure(sentence: Sentence, name: Entity) -> bool:
    """True where the words bear the type out: a tagger often takes a lone capitalised word for an organisation."""
    words = sentence.words[name.first : name.last + 1]
    if name.label == "ORG":
        free = sentence.deps[name.last] not in ("compound", "amod", "nmod", "appos")
        return len(words) > 1 and free and words[-1] in gazetteer.INSTITUTIONS
    following = sentence.lower[name.last + 1 : name.last + 2]
    if name.label in ("GPE", "NORP") and sentence.named[name.last + 1 : name.last + 2] not in ([], [""]):
        return False
    if name.label == "GPE":
        article = (name.first and sentence.lower[name.first - 1] in ("the", "a", "an")) or words[0].lower() == "the"
        owns = following in (["'s"], ["’s"], ["'"], ["-"]) or sentence.deps[name.last] in (
            "compound",
            "amod",
            "nmod",
            "poss",
        )
        return _bare(sentence, name) in _PLACES and not (article and owns)
    if name.label == "NORP":
        return _bare(sentence, name).removesuffix("s") in gazetteer.PEOPLES
    if name.label == "LOC":
        return words[0] == "the" and len(words) > 1 and words[-1] in ("Ocean", "Sea", "River", "Desert", "Mountains")
    if name.label == "PERSON":
        return len(words) > 1 or sentence.deps[name.last].startswith("nsubj")
    return name.label != "FAC"


def _bare(sentence: Sentence, name: Entity) -> str:
    """The name without article and possessive."""
    words = [sentence.words[i] for i in range(name.first, name.last + 1) if sentence.tags[i] != "POS"]
    return " ".join(word for i, word in enumerate(words) if i or word.lower() != "the")


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
    bare = _bare(sentence, name)
    if name.label == "PERSON":
        surname = pick(gazetteer.SURNAMES, rng)
        if len(words) == 1:
            return surname
        gender = gender_of(words[0], "latin")
        given = {"female": FEMALE, "male": MALE}[gender]["latin"] if gender else (words[0],)
        return f"{pick(given, rng)} {surname}"
    if name.label == "NORP":
        plain = bare.removesuffix("s")
        if not sentence.tags[name.last].startswith("JJ") and plain not in gazetteer.PEOPLES:
            return None
        people = pick(gazetteer.PEOPLES, rng)
        plural = plain != bare and people.endswith("an")
        return None if plain != bare and not plural else people + ("s" if plural else "")
    pools = {"GPE": gazetteer.CITIES, "LOC": gazetteer.REGIONS, "FAC": gazetteer.CITIES, "ORG": gazetteer.ORGANISATIONS}
    pool = pools[name.label]
    if name.label == "GPE" and bare in _STATES:
        pool = _STATES
    elif name.label == "GPE" and bare in gazetteer.COUNTRY_NAMES | _COUNTRIES:
        same = _SAME.get(bare, "")
        pool = tuple(country for country in gazetteer.COUNTRIES if country.removeprefix("the ") != same)
    before = sentence.lower[name.first - 1] if name.first else ""
    modifies = sentence.deps[name.last] in ("compound", "amod", "nmod", "poss")
    takes_the = words[0].lower() == "the" or before == "the"
    if takes_the and not modifies:
        with_the = [option for option in pool if option.startswith("the ")]
        return pick(with_the or pool, rng)
    return pick([option for option in pool if not option.startswith("the ")], rng)
