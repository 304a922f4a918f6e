"""Perturbations that change a person's name: ACES section 5.3.2 (levels 1 to 3) and SMAUG's swapped name.

Either a letter inside the name is added, removed or replaced, or the whole name is replaced with another one. The new name has
the same gender if the given name reveals it; otherwise only the surname changes. In languages that inflect names, it has the
same case.
"""

from __future__ import annotations

import re
from typing import Any

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.perturb.aces.levels import LevelRule, level_texts
from assay.perturb.cards import variant
from assay.perturb.language.person_names import FEMALE, MALE, SURNAMES, Person, find_gender, find_people
from assay.perturb.language.texts import pick, shuffle

_VOWELS, _CONSONANTS = "aeiou", "bcdfghklmnprstvw"
_ALPHABETS = {"latin": (_VOWELS, _CONSONANTS), "cyrillic": ("аеиоу", "бвгдзклмнпрстф")}
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "ca", "pl", "cs", "tr", "fi", "vi", "sw", "ru", "zh", "ja")


def misspell(name: str, script: str, rng: Rng) -> str | None:
    """Return the name with one inner letter removed, replaced by a similar one, or inserted."""
    if script not in _ALPHABETS:
        return _other_character(name, script, rng)
    words = list(re.finditer(r"[^\W\d_]{4,}", name))
    if not words:
        return None
    word = pick(words, rng)
    at = int(rng.integers(word.start() + 1, word.end() - (1 if script == "cyrillic" else 0)))
    if script == "cyrillic":
        at = min(at, word.end() - 3)  # the ending carries the case
        at = max(at, word.start() + 1)
    vowels, consonants = _ALPHABETS[script]
    letters = vowels if name[at].lower() in vowels else consonants
    kind = pick(("add", "remove", "exchange"), rng)
    if kind == "remove":
        return name[:at] + name[at + 1 :]
    others = [letter for letter in letters if letter != name[at].lower()]
    letter = pick(others, rng)
    if kind == "exchange":
        return name[:at] + letter + name[at + 1 :]
    pool = consonants if name[at].lower() in vowels else vowels
    return name[:at] + pick(pool, rng) + name[at:]


def _other_character(name: str, script: str, rng: Rng) -> str:
    """Return a Chinese or Japanese name with one character replaced by one that occurs in other names."""
    spots = [at for at, char in enumerate(name) if char not in "·・ー" and at > 0]
    pool = sorted(
        {char for surname in SURNAMES[script] for char in surname[1:]} - set(name) - set("ーィァゥェョャュッ")
    )
    spots = [at for at in spots if name[at] not in "ィァゥェョャュッー"] or spots
    at = pick(spots, rng)
    return name[:at] + pick(pool, rng) + name[at + 1 :]


def find_other_name(person: Person, rng: Rng, tools: Tools) -> str | None:
    """Return another name of the same form: given name and surname, or the surname alone."""
    if person.script == "cyrillic":
        return _inflect_name(person, rng, tools.get("morphology", "ru"))
    parts = person.parts
    surname = pick([name for name in SURNAMES[person.script] if name not in parts], rng)
    gender = find_gender(parts[0], person.script)
    if len(parts) == 1 and gender is None:
        return surname
    if gender is None:
        return person.text[: len(person.text) - len(parts[-1])] + surname
    given_name = pick(
        [name for name in (FEMALE if gender == "female" else MALE)[person.script] if name not in parts], rng
    )
    sign = {"latin": " ", "han": "·", "kana": "・"}[person.script]
    return given_name if len(parts) == 1 else given_name + sign + surname


def _inflect_name(person: Person, rng: Rng, morphology: Any) -> str | None:
    kind = "Surn" if "Surn" in person.grammemes else "Name"
    female = "femn" in person.grammemes
    pool = SURNAMES["cyrillic"] if kind == "Surn" else (FEMALE if female else MALE)["cyrillic"]
    name = pick([name for name in pool if name[:4] != person.text[:4]], rng)
    target_grammemes = set(person.grammemes) - {"Surn", "Name"}
    for parse in morphology.parse(name):
        if kind in parse.tag and (kind == "Surn" or ("femn" in parse.tag) == female):
            form = parse.inflect(target_grammemes)
            if form is not None:
                return str(form.word).capitalize()
    return None


class WrongName(LevelRule):
    """Perturbation that changes one name of a person in the text of the level (see `levels`)."""

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Misspell or replace one random name."""
        texts = level_texts(segment, self.level)
        if isinstance(texts, Refused):
            return texts
        base, other = texts
        candidates = find_people(base, language, segment, tools)
        if not candidates:
            return Refused("no name of a person")
        if other is not None:
            candidates = [person for person in candidates if person.text in other]
            if not candidates:
                return Refused("no name that translation and reference share")
        for person in shuffle(candidates, rng):
            replace_whole = self.whole_only or bool(rng.integers(2))
            new = find_other_name(person, rng, tools) if replace_whole else misspell(person.text, person.script, rng)
            if new and new.lower() != person.text.lower():
                meta = {"old": person.text, "new": new, "edit": "whole" if replace_whole else "letter"}
                change = Change(person.start, person.end, new)
                return Perturbed((change,), f"{person.text} -> {new}", meta, base=base if other is not None else None)
        return Refused("no other name fits")

    def replacement_problems(self, old: str, new: str) -> list[str]:
        """Check that the initial capital is unchanged and that the new name contains only letters."""
        problems = []
        if not old or not new:
            problems.append("a name was added or removed")
        elif old[0].isupper() != new[0].isupper():
            problems.append("the capital at the beginning changed")
        if re.search(r"[\d,.;:!?]", new):
            problems.append("the new name has a digit or a punctuation mark")
        return problems


NameLevel1 = variant(WrongName, "name-level-1", level=1)
NameLevel2 = variant(WrongName, "name-level-2", level=2)
NameLevel3 = variant(WrongName, "name-level-3", level=3)
NameSwapped = variant(WrongName, "name-swapped", whole_only=True)
