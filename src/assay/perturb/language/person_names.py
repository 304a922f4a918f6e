"""Person names in a text, by language, with replacement names.

English names are spaCy's entities of type person, as in ACES, if the context confirms them. They must have given name and
surname, or be a surname after a title or with a verb of saying. Other languages in Latin letters mostly copy a name, so it must
occur letter by letter in the source. Russian and Japanese names must sound like a person of the English source. Chinese names
have the middle dot of foreign names and only characters that such names use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from assay.core.batch import Segment
from assay.core.perturbation import Tools
from assay.data.words import name_list, word_list
from assay.perturb.language.texts import find_word, levenshtein_similarity, source_language

_CAPITAL = r"[A-ZÀ-ÖØ-ÞĀ-Ž][\w’'-]*[a-zà-öø-ÿā-ž][\w’'-]*"
_CAPITALISED = re.compile(rf"{_CAPITAL}(?: {_CAPITAL})+")
_HAN = "".join(word_list("zh characters of names"))
_HAN_NAME = re.compile(rf"[{_HAN}]{{1,5}}(?:·[{_HAN}]{{1,6}})+")
_KANA_NAME = re.compile(r"(?<![゠-ヿ])[ァ-ヺー]{2,9}・[ァ-ヺー]{3,9}(?![゠-ヿ])")
_LATIN_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_PARTS = re.compile(r"[ ·・]")
_TITLE = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Sir|President|Judge|Justice|Senator|Sen|Rep|Minister|Chancellor|Prof|Professor)\.? $"
)
_PLACES = frozenset(word_list("last words of places"))
_HUMAN_VERBS = frozenset(word_list("verbs of people"))


FEMALE, MALE, SURNAMES = (
    {script: name_list(f"{kind} {script}") for script in ("latin", "cyrillic", "han", "kana")}
    for kind in ("female", "male", "surnames")
)
"""Replacement names by script."""


def find_gender(given_name: str, script: str) -> str | None:
    """Return ``female`` or ``male`` if the given name is in one of the lists."""
    if given_name in FEMALE[script]:
        return "female"
    return "male" if given_name in MALE[script] else None


@dataclass(frozen=True, slots=True)
class Person:
    """A name in a text, with the script of its letters."""

    start: int
    end: int
    text: str
    script: str
    grammemes: frozenset[str] = frozenset()
    """Case, gender and number, in languages that inflect names."""

    @property
    def parts(self) -> list[str]:
        """Given name and surname, or the only part."""
        return _PARTS.split(self.text)


def find_people(text: str, language: str, segment: Segment, tools: Tools) -> list[Person]:
    """Return the people named in a text in `language`."""
    if language == "en":
        return find_english_people(text, tools)
    source_names = _source_people(segment, tools)
    if language == "ru":
        return _find_russian(text, source_names, tools.get("morphology", "ru"))
    if language == "zh":
        return _find_chinese(text, tools) if source_names is None or any(" " in name for name in source_names) else []
    if language == "ja":
        return [
            Person(*match.span(), match[0], "kana")
            for match in _KANA_NAME.finditer(text)
            if source_names is None or any(" " in name and sounds_like(match[0], name) for name in source_names)
        ]
    return _find_copied(text, segment, source_names, language)


def find_english_people(text: str, tools: Tools) -> list[Person]:
    """Return the people in an English text, based on spaCy's entities and their context."""
    persons = []
    for entity in tools.parse(text, "en").ents:
        tokens = [token for token in entity if token.text not in ("'s", "’s", "'", "’")]
        while tokens and _TITLE.match(tokens[0].text + " "):
            tokens = tokens[1:]
        if tokens and tokens[0].text in ("Der", "Die", "Das", "La", "Le", "El", "The"):
            continue  # likely a newspaper
        if entity.label_ != "PERSON" or not 1 <= len(tokens) <= 3 or not all(map(_is_name, tokens)):
            continue
        start, end = tokens[0].idx, tokens[-1].idx + len(tokens[-1].text)
        if len(tokens) == 1 and not _is_confirmed(tokens[0], text):
            continue
        if tokens[-1].text not in _PLACES and not text[end : end + 1].isalnum():
            persons.append(Person(start, end, text[start:end], "latin"))
    return persons


def _is_name(token: Any) -> bool:
    word = token.text
    shape = bool(_LATIN_WORD.fullmatch(word)) and word[0].isupper() and len(word) > 2 and not word.isupper()
    return shape and token.tag_ == "NNP"


def _is_confirmed(token: Any, text: str) -> bool:
    """Return whether a single surname follows a title or is the subject of a verb that takes a person."""
    subject = token.dep_ in ("nsubj", "nsubjpass") and token.head.lemma_ in _HUMAN_VERBS
    return subject or bool(_TITLE.search(text[: token.idx]))


def _source_people(segment: Segment, tools: Tools) -> list[str] | None:
    """Return the people in an English source; None if the source is in another language."""
    if not segment.source or source_language(segment) != "en":
        return None
    return [person.text for person in find_english_people(segment.source, tools)]


def _find_copied(text: str, segment: Segment, source_names: list[str] | None, language: str) -> list[Person]:
    """Return names from the source that occur unchanged in the text and are not part of a longer name."""
    if source_names is None:
        source_names = [match[0] for match in _CAPITALISED.finditer(segment.source or "")]
    persons = []
    for name in dict.fromkeys(source_names):
        for start, end in find_word(text, name):
            if re.match(r"[-'’]\w", text[end:]) or re.search(r"\w[-'’]$", text[:start]):
                continue
            longer = re.match(rf" {_CAPITAL}", text[end:]) or re.search(rf"[a-z] {_CAPITAL} $", text[:start])
            if language == "de" or not longer:
                persons.append(Person(start, end, name, "latin"))
    return sorted(persons, key=lambda person: person.start)


def _find_chinese(text: str, tools: Tools) -> list[Person]:
    """Return runs of name characters around a middle dot that end at word boundaries."""
    words = tools.get("words", "zh")(text)
    starts, ends = {start for start, _ in words}, {end for _, end in words}
    persons = []
    for match in _HAN_NAME.finditer(text):
        dot = match.start() + match[0].index("·")
        start = next((at for at in range(match.start(), dot) if at in starts), None)
        if start is not None and match.end() in ends:
            persons.append(Person(start, match.end(), text[start : match.end()], "han"))
    return persons


def _find_russian(text: str, source_names: list[str] | None, morphology: Any) -> list[Person]:
    """Return words that the dictionary lists as a given name or surname and that sound like a person in the source."""
    surnames = None if source_names is None else [name.split()[-1] for name in source_names]
    persons = []
    for match in re.finditer(r"[А-ЯЁ][а-яё]{2,}(?![\w-])", text):
        parses = [parse for parse in morphology.parse(match[0]) if {"Surn", "Name"} & parse.tag.grammemes]
        if sum(parse.score for parse in parses) < 0.6 or "Fixd" in parses[0].tag or text[: match.start()].endswith("-"):
            continue
        if surnames is None and not morphology.word_is_known(match[0]):
            continue
        if surnames is not None and not any(sounds_like(match[0], name, 0.7) for name in surnames):
            continue
        tag = parses[0].tag
        if match[0][-1] in "уюоиэ" and not morphology.word_is_known(match[0]):
            continue  # foreign names without declension: Роналду, Кавано
        if tag.gender == "masc" and _belongs_to_woman(text, match, morphology):
            continue
        grammemes = frozenset(filter(None, (tag.case, tag.gender, tag.number)))
        persons.append(Person(*match.span(), match[0], "cyrillic", grammemes | {"Surn"}))
    return persons


def _belongs_to_woman(text: str, match: re.Match[str], morphology: Any) -> bool:
    """Return whether the preceding given name or a nearby verb is feminine: the surname must not get a masculine ending."""
    before = re.search(r"([А-ЯЁ][а-яё]+) $", text[: match.start()])
    if before and any({"Name", "femn"} <= parse.tag.grammemes for parse in morphology.parse(before[1])[:2]):
        return True
    near = text[max(0, match.start() - 25) : match.end() + 25]
    return bool(re.search(r"\w(?:ла|лась)\b|\bг-ж|\bона\b|госпож|миссис", near))


_LATIN = (
    ("sch", "s"), ("ch", "k"), ("sh", "s"), ("ph", "h"), ("th", "t"), ("ck", "k"), ("gh", "g"), ("wr", "r"), ("kn", "n"),
    ("x", "ks"), ("q", "k"), ("c", "k"), ("f", "h"), ("v", "b"), ("w", ""), ("l", "r"), ("z", "s"), ("j", "s"), ("y", ""),
    ("h", "h"),
)  # fmt: skip
_CYRILLIC = dict(
    zip(
        "бвгджзклмнпрстфхцчшщ",
        ("b", "b", "g", "d", "s", "s", "k", "r", "m", "n", "p", "r", "s", "t", "h", "h", "s", "s", "s", "s"),
        strict=True,
    )
)
_KANA_ROWS = {
    "k": "カキクケコ", "g": "ガギグゲゴ", "s": "サシスセソザジズゼゾチヂ", "t": "タテト", "d": "ダデド", "ts": "ツヅ",
    "n": "ナニヌネノン", "h": "ハヒフヘホ", "b": "バビブベボヴ", "p": "パピプペポ", "m": "マミムメモ", "r": "ラリルレロ",
}  # fmt: skip
_KANA = {kana: letter for letter, row in _KANA_ROWS.items() for kana in row}


def consonant_skeleton(word: str) -> str:
    """Return the consonants of a word in one rough alphabet, without repetitions."""
    text = word.lower()
    if any("a" <= char <= "z" for char in text):
        for old, new in _LATIN:
            text = text.replace(old, new)
        text = "".join(char for char in text if char in "bdghkmnprst")
    else:
        text = "".join(_CYRILLIC.get(char) or _KANA.get(char.upper(), "") for char in text)
    return "".join(char for at, char in enumerate(text) if not at or char != text[at - 1])


def sounds_like(word: str, name: str, least: float = 0.6) -> bool:
    """Return whether most consonants of the two words agree."""
    first, second = consonant_skeleton(word), consonant_skeleton(name)
    return bool(first and second) and levenshtein_similarity(first, second) >= least
