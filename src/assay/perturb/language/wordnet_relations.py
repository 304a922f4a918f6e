"""Word relations from WordNet: hypernyms, hyponyms, siblings, synonyms, antonyms, entailed and derived words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.data.words import word_list
from assay.perturb.language.listed_relations import (
    CLASS_OF,
    DISTRACTORS,
    ENTAILED,
    KINDS,
    OPPOSITES,
    SURE_OPPOSITES,
    SYNONYM_ANTONYM,
)

TOO_GENERAL = frozenset(word_list("words at the top of WordNet"))
"""Names at the top of WordNet's hierarchy, which no translator would write."""
_LEAST_COMMON = 3.2
"""Zipf frequency below which a hypernym or antonym is too rare to be plausible."""
_CLIMB = 2
"""How many levels up a hypernym may be."""
_COMMON = 2.6
"""Zipf frequency below which any other replacement is too rare to be plausible."""
_LIGHT = frozenset(word_list("light verbs"))
_CONCRETE = frozenset((5, 6, 8, 13, 17, 18, 20, 27))
"""Lexicographer files of concrete things: animals, artefacts, body parts, food, objects, people, plants, substances."""


_SINGLE, _SEVERAL = 0.45, 0.25
"""Confidence in the sense of a word with one sense, whose relations may still not fit, and of a word with several."""


def sense_confidence(wordnet: Any, lemma: str, part: str) -> float:
    """Return the confidence that a word has the sense from which a relation starts."""
    return _SINGLE if len(wordnet.synsets(lemma, part)) == 1 else _SEVERAL


def hypernyms(wordnet: Any, frequency: Any, lemma: str, part: str) -> list[str]:
    """Return the class from the built-in list, or the closest hypernym of the first sense."""
    listed = CLASS_OF.get(lemma) if part == "noun" else None
    name = listed or hypernym(wordnet, frequency, lemma, part)
    return [name] if name else []


def distractors(wordnet: Any, frequency: Any, lemma: str, part: str) -> list[str]:
    """Return other members of the class, from the built-in list or from WordNet."""
    return list(DISTRACTORS.get(lemma, ())) or siblings(wordnet, frequency, lemma, part)


def hyponyms(wordnet: Any, frequency: Any, lemma: str, part: str) -> list[str]:
    """Return the kinds from the built-in list, or common hyponyms of the first sense with one or two words."""
    if part == "noun" and lemma in KINDS:
        return list(KINDS[lemma])
    senses = _first_sense(wordnet, lemma, part)
    names = [name for sense in senses for below in wordnet.related(sense, "~") for name in below.names]
    return [name.replace("_", " ") for name in names if _is_plausible(name, lemma, frequency)]


def siblings(wordnet: Any, frequency: Any, lemma: str, part: str) -> list[str]:
    """Return other members of the first sense's class: *cat* for *dog*."""
    own_names = {name for sense in wordnet.synsets(lemma, part) for name in sense.names}
    names = [
        name
        for sense in _first_sense(wordnet, lemma, part)
        for above in wordnet.related(sense, "@")
        if above.names[0] not in TOO_GENERAL
        for sibling in wordnet.related(above, "~")
        if sibling.offset != sense.offset
        for name in sibling.names[:1]
    ]
    return [
        name for name in names if name not in own_names and _is_plausible(name, lemma, frequency) and "_" not in name
    ]


def synonyms(wordnet: Any, frequency: Any, lemma: str, part: str) -> list[str]:
    """Return the synonym from the built-in list, or other words for the first sense."""
    if lemma in SYNONYM_ANTONYM:
        return [SYNONYM_ANTONYM[lemma][0]]
    senses = wordnet.synsets(lemma, part)[:1]
    names = [name for sense in senses for name in sense.names if "_" not in name]
    return [name for name in names if _is_plausible(name, lemma, frequency)]


def antonyms(wordnet: Any, frequency: Any, lemma: str, part: str) -> list[str]:
    """Return the certain opposite from the built-in list, or WordNet's opposites of the first two senses and the likely one."""
    if part == "noun" and lemma in SURE_OPPOSITES["NOUN"]:
        return [SURE_OPPOSITES["NOUN"][lemma]]
    names = [name for sense in wordnet.synsets(lemma, part)[:2] for name in wordnet.related_words(sense, lemma, "!")]
    opposite = OPPOSITES[{"noun": "NOUN", "verb": "VERB"}[part]].get(lemma)
    names += [opposite] if opposite else []
    return [name for name in dict.fromkeys(names) if "_" not in name and frequency(name) >= _COMMON]


def entailed(wordnet: Any, frequency: Any, lemma: str, part: str) -> list[str]:
    """Return entailed verbs: from the built-in list, WordNet's relation (*snore*, *sleep*) or the hypernym (*murder*, *kill*)."""
    if lemma in ENTAILED:
        return [ENTAILED[lemma][0]]
    senses = _first_sense(wordnet, lemma, part)
    names = [name for sense in senses for other in wordnet.related(sense, "*") for name in other.names[:1]]
    entailed_verbs = [name for name in names if _is_plausible(name, lemma, frequency) and "_" not in name]
    return [*entailed_verbs, *hypernyms(wordnet, frequency, lemma, part)] if senses else []


def _first_sense(wordnet: Any, lemma: str, part: str) -> list[Any]:
    """Return the most frequent sense if it contains the word itself."""
    return [sense for sense in wordnet.synsets(lemma, part)[:1] if lemma.lower() in sense.names]


def _is_plausible(name: str, lemma: str, frequency: Any) -> bool:
    words = name.split("_")
    plain = all(word.isalpha() and word.islower() for word in words) and len(words) <= 2
    return plain and lemma.lower() not in words and min(frequency(word) for word in words) >= _COMMON


def has_few_senses(wordnet: Any, lemma: str, part: str) -> bool:
    """Return whether the relations of the first sense fit most sentences: few senses, and for a noun a concrete one."""
    senses = wordnet.synsets(lemma, part)
    if not 1 <= len(senses) <= 6 or lemma in _LIGHT:
        return False
    return part == "verb" or senses[0].file in _CONCRETE


def hypernym(wordnet: Any, frequency: Any, lemma: str, part: str) -> str | None:
    """Return the nearest hypernym of one common word, or None."""
    senses = wordnet.synsets(lemma, part)
    level = senses[:1]
    if not level or lemma.lower() not in (name.lower() for name in level[0].names):
        return None
    own_names = {name.lower() for sense in senses[:3] for name in sense.names}
    for _ in range(_CLIMB):
        level = tuple(above for sense in level for above in wordnet.related(sense, "@"))
        for sense in level:
            if sense.names[0] in TOO_GENERAL:
                continue
            for name in sense.names:
                if (
                    _is_common(name, frequency)
                    and name not in own_names
                    and name not in TOO_GENERAL
                    and not _are_related_forms(name, lemma)
                ):
                    return str(name)
    return None


def _is_common(name: str, frequency: Any) -> bool:
    return name.isalpha() and name.islower() and len(name) > 2 and frequency(name) >= _LEAST_COMMON


def _are_related_forms(first: str, second: str) -> bool:
    """Return whether one word contains the other: ``worker`` for ``work`` would not read as a hypernym."""
    return first in second or second in first or first[:5] == second[:5]


def inflect_lemma(inflection: Any, lemma: str, part: str, tag: str) -> str | None:
    """Return the lemma in the form of a Penn tag."""
    if part == "noun" and inflection.lemma(lemma, "NOUN") != lemma:
        return None  # already a plural: "book matches"
    if tag in ("NN", "VB", "VBP", "JJ", "RB"):
        return lemma
    if part in ("adj", "adv") and tag in ("JJR", "JJS", "RBR", "RBS"):
        compared: str | None = inflection.inflect(lemma, tag)
        if compared is None or compared == lemma:
            return ("more " if tag.endswith("R") else "most ") + lemma
        return compared
    form: str | None = inflection.inflect(lemma, tag)
    return form


def wordnet_antonyms(wordnet: Any, frequency: Any, lemma: str, part: str) -> list[str]:
    """Return opposites in the two most frequent senses; for adjectives also the opposites of similar ones."""
    opposites = []
    for sense in wordnet.synsets(lemma, part)[:2]:
        names = list(wordnet.related_words(sense, lemma, "!"))
        if not names and part == "adj":
            for head in wordnet.related(sense, "&"):
                names += wordnet.related_words(head, head.names[0], "!")
        opposites += [name for name in names if _is_common(name, frequency) and name != lemma]
    return opposites


def relatives(wordnet: Any, frequency: Any, lemma: str, part: str) -> Iterator[str]:
    """Yield derivationally related words of other parts of speech with a visible common root."""
    root = lemma[: max(3, min(5, len(lemma) - 2))]
    for sense in wordnet.synsets(lemma, part)[:3]:
        for pointer in sense.pointers:
            derived = pointer.symbol in ("+", "\\") and pointer.part != part and pointer.source
            if not derived or sense.names[pointer.source - 1].lower() != lemma:
                continue
            name = wordnet.synset(pointer.part, pointer.offset).names[pointer.target - 1]
            if name != lemma and name.isalpha() and name.islower() and name.startswith(root) and frequency(name) >= 2:
                yield str(name)
    if part == "adj" and wordnet.synsets(lemma + "ly", "adv"):
        yield lemma + "ly"
    if part == "adv" and lemma.endswith("ly") and wordnet.synsets(lemma[:-2], "adj"):
        yield lemma[:-2]
