"""Perturbation that replaces a name with another name of the same entity type (DEMETR 9)."""

from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.data.words import name_list, word_list
from assay.perturb.cards import card_of
from assay.perturb.demetr.rules import ParsedRule, adapt_article, first_fit
from assay.perturb.language.person_names import FEMALE, MALE, find_english_people, find_gender
from assay.perturb.language.sentence import Entity, Sentence, find_mentions, find_names
from assay.perturb.language.texts import capitalise, pick

TYPES = ("PERSON", "GPE", "LOC", "FAC", "ORG", "NORP")


_NOTHING = "no name of a person, place or organisation"
_COUNTRIES = name_list("countries")
_COUNTRY_NAMES = frozenset(name.removeprefix("the ") for name in _COUNTRIES) | {*name_list("countries by other names")}
"""Names that are recognised as countries, including abbreviations."""
_CITIES, _REGIONS = name_list("cities"), name_list("regions")
_ORGANISATIONS = name_list("organisations")
_INSTITUTIONS = name_list("words of institutions")
"""Words that mark the name of an organisation."""
_PEOPLES, _SURNAMES = name_list("peoples"), name_list("surnames")
_FURTHER_COUNTRIES, _STATES = frozenset(name_list("further countries")), name_list("states")
_PLACES = _COUNTRY_NAMES | {*_CITIES, *name_list("further cities"), *_FURTHER_COUNTRIES, *_STATES}
_PLACES -= frozenset(name_list("places that are teams or words too"))
"""Unambiguous place names, which are not also names of teams."""
_UNITED = {"US": "States", "U.S.": "States", "USA": "States", "UK": "Kingdom", "U.K.": "Kingdom", "Britain": "Kingdom"}
_SAME = {said: f"United {what}" for said, what in (*_UNITED.items(), ("England", "Kingdom"))}
_ROLES = frozenset(word_list("roles of people"))
"""Nouns that may precede a person's name."""
_CLOCKS = ("GMT", "UTC", "CET", "EST", "AM", "PM")


class NameReplaced(ParsedRule):
    """Perturbation that replaces every mention of a person, place or organisation with another name of the same type."""

    most_places = 16
    card = card_of("name-replaced")

    def change(self, sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Replace a random name; use one with an uncertain type only if there is no other."""
        typed = [name for name in find_names(sentence) if name.label in TYPES]
        confirmed = [name for name in typed if _is_confirmed(sentence, name)]
        people = {(person.start, person.end) for person in find_english_people(sentence.text, tools)}
        confirmed = [name for name in confirmed if name.label != "PERSON" or _is_person(sentence, name, people)]
        result: Perturbed | Refused = Refused(_NOTHING)
        for options, sureness in ((confirmed, 0.9), (typed, 0.3)):
            result = first_fit(rng, options, lambda name: _rename(sentence, name, rng), _NOTHING)
            if isinstance(result, Perturbed):
                return result.with_confidence(parse=sureness)
        return result

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that all mentions have the same new name."""
        problems = super().problems(segment, perturbed, language, tools)
        good = segment.hypothesis
        new_names = {c.text.lower() for c in perturbed.changes if good[c.start : c.end].lower() not in ("a", "an")}
        if len(new_names) != 1:
            problems.append("mentions of one name became different names")
        return problems


def _is_person(sentence: Sentence, name: Entity, people: set[tuple[int, int]]) -> bool:
    """Return whether the context confirms a person; in *magazine Der Spiegel* it does not."""
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


def _is_confirmed(sentence: Sentence, name: Entity) -> bool:
    """Return whether the context confirms the type; taggers often take a single capitalised word for an organisation."""
    words = sentence.words[name.first : name.last + 1]
    if name.label == "ORG":
        independent = sentence.deps[name.last] not in ("compound", "amod", "nmod", "appos")
        return len(words) > 1 and independent and words[-1] in _INSTITUTIONS
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
        return _bare(sentence, name).removesuffix("s") in _PEOPLES
    if name.label == "LOC":
        return words[0] == "the" and len(words) > 1 and words[-1] in ("Ocean", "Sea", "River", "Desert", "Mountains")
    if name.label == "PERSON":
        return len(words) > 1 or sentence.deps[name.last].startswith("nsubj")
    return name.label != "FAC"


def _bare(sentence: Sentence, name: Entity) -> str:
    """Return the name without its article or possessive."""
    words = [sentence.words[i] for i in range(name.first, name.last + 1) if sentence.tags[i] != "POS"]
    return " ".join(word for i, word in enumerate(words) if i or word.lower() != "the")


def _rename(sentence: Sentence, name: Entity, rng: Rng) -> Perturbed | None:
    old = sentence.span(name.first, name.last)
    new = _choose_other(sentence, name, rng)
    bare = new.removeprefix("the ") if new else ""
    if new is None or bare.lower() in sentence.text.lower() or not old[:1].isalnum() or old in _CLOCKS:
        return None
    changes: list[Change] = []
    for entity in find_mentions(sentence, old):
        last = entity.last - (sentence.tags[entity.last] == "POS")
        text, before = new, sentence.lower[entity.first - 1] if entity.first else ""
        if before in ("the", "a", "an") or _has_determiner(sentence, entity):
            text = bare
        if entity.first in sentence.firsts and sentence.words[entity.first][0].isupper():
            text = capitalise(text)
        end = sentence.ends[last]
        if sentence.lower[last + 1 : last + 2] in (["'"], ["’"]) and sentence.tags[last + 1] == "POS":
            text, end = f"{text}'s", sentence.ends[last + 1]
        changes += [*adapt_article(sentence, entity.first, text), Change(sentence.starts[entity.first], end, text)]
    return Perturbed(tuple(changes), f"{old} -> {new}", {"type": name.label})


def _has_determiner(sentence: Sentence, entity: Entity) -> bool:
    """Return whether an article would be wrong: the name modifies a noun or follows a determiner or adjective."""
    before = sentence.pos[entity.first - 1] if entity.first else ""
    return before in ("ADJ", "PRON", "PROPN") or sentence.deps[entity.last] in ("compound", "amod", "nmod")


def _choose_other(sentence: Sentence, name: Entity, rng: Rng) -> str | None:
    """Return another name of the type with a similar form."""
    words = [sentence.words[i] for i in range(name.first, name.last + 1) if sentence.tags[i] != "POS"]
    bare = _bare(sentence, name)
    if name.label == "PERSON":
        surname = pick(_SURNAMES, rng)
        if len(words) == 1:
            return surname
        gender = find_gender(words[0], "latin")
        given_names = {"female": FEMALE, "male": MALE}[gender]["latin"] if gender else (words[0],)
        return f"{pick(given_names, rng)} {surname}"
    if name.label == "NORP":
        plain = bare.removesuffix("s")
        if not sentence.tags[name.last].startswith("JJ") and plain not in _PEOPLES:
            return None
        people = pick(_PEOPLES, rng)
        plural = plain != bare and people.endswith("an")
        return None if plain != bare and not plural else people + ("s" if plural else "")
    pools = {"GPE": _CITIES, "LOC": _REGIONS, "FAC": _CITIES, "ORG": _ORGANISATIONS}
    pool = pools[name.label]
    if name.label == "GPE" and bare in _STATES:
        pool = _STATES
    elif name.label == "GPE" and bare in _COUNTRY_NAMES | _FURTHER_COUNTRIES:
        same = _SAME.get(bare, "")
        pool = tuple(country for country in _COUNTRIES if country.removeprefix("the ") != same)
    before = sentence.lower[name.first - 1] if name.first else ""
    modifies = sentence.deps[name.last] in ("compound", "amod", "nmod", "poss")
    takes_the = words[0].lower() == "the" or before == "the"
    if takes_the and not modifies:
        with_the = [option for option in pool if option.startswith("the ")]
        return pick(with_the or pool, rng)
    return pick([option for option in pool if not option.startswith("the ")], rng)
