"""Rules for Russian words and phrases to omit (DEMETR 5, 12 and 20 to 24)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.data.words import word_list
from assay.perturb.language.sentence import Entity, Sentence

Span = tuple[int, int]

_RELATIVES = frozenset(word_list("ru relative words"))
_QUOTES = "«»„“”\"'()[]–—-"
_NO_ADVERB = frozenset(word_list("ru words in -o that are no adverbs"))
"""Words in -о that are predicates, quantities or comments on the sentence."""
_ADVERB = re.compile(r"[а-яё]{3,}(?:о|ски|цки)")
_FULL = re.compile(r"(?:[ыио]й|[ая]я|[ое]е|[ыи]е|[ое]го|[ое]му|[ыи]м|[ое]м|[ую]ю|[ыи]х|[ыи]ми|[ое]й)$")
"""Endings of full adjectives."""
_BEFORE_ADJECTIVES = frozenset(word_list("ru words before an adjective"))
"""Words that require the adjective after them."""
_LEAST_LETTERS = 3


def _is_plain_word(sentence: Sentence, i: int) -> bool:
    """Return whether it is a lower-case word that is not in a name or a hyphenated word."""
    word = sentence.words[i]
    small = word[1:].islower() and (word[0].islower() or i in sentence.firsts)
    return (
        small and word.isalpha() and len(word) >= _LEAST_LETTERS and not sentence.named[i] and not sentence.hyphened(i)
    )


def _next(sentence: Sentence, i: int) -> str:
    return sentence.lower[i + 1] if i + 1 < len(sentence) else ""


def _is_sign(word: str) -> bool:
    return bool(word) and not word[0].isalnum()


def adjectives_and_adverbs(sentence: Sentence) -> Sequence[Span]:
    """Return adjectives directly before their noun and adverbs of manner next to their verb, if nothing depends on them."""
    spans = []
    for i, pos in enumerate(sentence.pos):
        head = sentence.heads[i]
        if sentence.children[i] or head == i or not _is_plain_word(sentence, i):
            continue
        if pos == "ADJ" and sentence.deps[i] == "amod" and head == i + 1 and sentence.pos[head] == "NOUN":
            full = _FULL.search(sentence.lower[i]) and "Case" in sentence.feats[i]
            before = sentence.lower[i - 1] if i else ""
            alone = not _is_sign(before) and before not in _BEFORE_ADJECTIVES
            if full and alone and _is_plain_word(sentence, head):
                spans.append((i, i))
        elif pos == "ADV" and sentence.deps[i] == "advmod" and abs(head - i) == 1 and sentence.pos[head] == "VERB":
            before = sentence.lower[i - 1] if i else ""
            manner = _ADVERB.fullmatch(sentence.lower[i]) and sentence.lower[i] not in _NO_ADVERB
            if (
                manner
                and before not in ("не", "как", "так", "очень", "более", "и", "или", "слишком")
                and not (_is_sign(before) and _is_sign(_next(sentence, i)))
                and _next(sentence, i) not in ("и", "или", "ли", "же")
            ):
                spans.append((i, i))
    return spans


def prepositional_phrases(sentence: Sentence) -> Sequence[Span]:
    """Return the shortest phrases of preposition and noun that have a clear end."""
    spans = []
    for i, dep in enumerate(sentence.deps):
        if dep not in ("obl", "nmod") or sentence.pos[i] not in ("NOUN", "PROPN") or sentence.named[i] == "PERSON":
            continue
        first, last = sentence.edges[i]
        case = sentence.child(i, "case")
        if case != first or sentence.pos[first] != "ADP" or last - first > _LONGEST_PHRASE:
            continue
        inside = range(first, last + 1)
        if any(sentence.lower[j].startswith(("как", "котор", "чей", "чь")) for j in inside):
            continue
        if last != i and sentence.pos[last] == "ADJ":  # an adjective without a noun
            continue
        if any(sentence.heads[j] not in inside and j != i for j in inside) or any(
            sentence.heads[j] in inside for j in range(len(sentence)) if j not in inside
        ):
            continue
        if (
            all(sentence.words[j].isalnum() for j in inside)
            and _ends(sentence, last)
            and _is_optional(sentence, first, i)
        ):
            spans.append((first, last))
    shortest = min((last - first for first, last in spans), default=0)
    return [(first, last) for first, last in spans if last - first == shortest]


_LONGEST_PHRASE = 5
_BOUND = frozenset(word_list("ru verbs that need a phrase"))


def _is_optional(sentence: Sentence, first: int, i: int) -> bool:
    """Return False for a phrase that its head requires, and for *из-за*, *в том числе* and the like."""
    before = sentence.lower[first - 1] if first else ""
    head = sentence.heads[i]
    return (
        sentence.pos[head] in ("VERB", "NOUN")
        and sentence.lower[head] not in _BOUND
        and before
        not in ("не", "и", "или", "ни", "а", "но", "как", "чем", "кто", "что", "одним", "один", "одна", "одно")
        and sentence.pos[first - 1 : first] not in (["ADP"], ["NUM"])
        and not (before and before in _QUOTES)
        and not sentence.hyphened(first)
        and sentence.lower[i] not in ("числе", "время", "счет", "счёт", "то", "том", "того", "тем", "тому")
    )


def _ends(sentence: Sentence, last: int) -> bool:
    """Return whether the following text cannot belong to the phrase: not a genitive, a name or a relative clause."""
    after = last + 1
    if after >= len(sentence):
        return True
    if sentence.words[after] == ",":
        following = sentence.lower[after + 1] if after + 1 < len(sentence) else ""
        about = following.startswith("котор") or following in _RELATIVES
        return not about and sentence.feats[after + 1 : after + 2] != [] and not _is_participle(sentence, after + 1)
    if sentence.lower[last] in ("св", "им", "г", "гг", "т", "ул", "стр", "др"):
        return False
    if sentence.lower[after + 1 : after + 2] in _POINTING:  # the question *of what* …
        return False
    if (
        sentence.lower[after] in ("не", "и", "или", "«", "(", '"', "-", "—", "–", "%", "а")
        or sentence.words[after][:1].isdigit()
    ):
        return False
    if sentence.pos[after] in ("PROPN", "ADJ", "NOUN", "NUM", "DET") and sentence.feats[after].get("Case") != "Nom":
        return sentence.feats[after].get("Case") == "Acc"
    return sentence.pos[after] != "PROPN" and not _is_participle(sentence, after)


def _is_participle(sentence: Sentence, i: int) -> bool:
    return sentence.feats[i].get("VerbForm") == "Part" and sentence.feats[i].get("Variant") != "Short"


def verbs(sentence: Sentence) -> Sequence[Span]:
    """Return finite content verbs; negated ones stay because their omission would leave *не*."""
    return [
        (i, i)
        for i, pos in enumerate(sentence.pos)
        if pos == "VERB"
        and sentence.feats[i].get("VerbForm") == "Fin"
        and sentence.deps[i] not in ("aux", "cop", "aux:pass", "parataxis", "dep")
        and _is_plain_word(sentence, i)
        and (not i or sentence.lower[i - 1] not in ("не", "бы"))
        and sentence.lower[i] not in ("есть", "нет")  # the first may be omitted, the second negates
        and _next(sentence, i) not in ("бы", "ли", "же")
    ]


def nouns(sentence: Sentence) -> Sequence[Span]:
    """Return nouns that are objects or follow a preposition, but are neither subjects, names nor counted by a number."""
    return [
        (i, i)
        for i, pos in enumerate(sentence.pos)
        if pos == "NOUN"
        and sentence.deps[i] in ("obj", "iobj", "obl", "nmod")
        and _is_plain_word(sentence, i)
        and sentence.lower[i] not in ("числе", "рода", "тем", "счет", "счёт")
        and sentence.words[i - 1 : i] not in (["«"], ['"'])
        and _next(sentence, i) not in ("«", '"', "и", "или")
        and sentence.pos[i + 1 : i + 2] != ["PROPN"]
    ]


def subjects(sentence: Sentence) -> Sequence[Span]:
    """Return nouns and personal names that are subjects. Russian may drop pronouns, so omitting one is not an error."""
    spans = []
    for i, dep in enumerate(sentence.deps):
        if dep not in ("nsubj", "nsubj:pass") or sentence.feats[i].get("Case") != "Nom":
            continue
        rivals = [j for j in sentence.children[sentence.heads[i]] if sentence.deps[j] in ("nsubj", "nsubj:pass")]
        if len(rivals) > 1:
            continue
        if sentence.pos[i] == "NOUN" and _is_plain_word(sentence, i) and sentence.pos[i + 1 : i + 2] != ["PROPN"]:
            if _next(sentence, i) not in ("«", '"', "и", "или"):
                spans.append((i, i))
        elif sentence.pos[i] == "PROPN" and sentence.named[i] == "PERSON":
            name = next(entity for entity in sentence.entities if entity.first <= i <= entity.last)
            before = sentence.pos[name.first - 1] if name.first else ""
            if before not in ("NOUN", "ADJ", "PROPN") and not _is_quoted(sentence, name):
                spans.append((name.first, name.last))
    return spans


def names(sentence: Sentence) -> Sequence[Span]:
    """Return names in an oblique case with a single mention: after a preposition, as an object or as a genitive."""
    spans = []
    for name in sentence.entities:
        head = next(
            (i for i in range(name.first, name.last + 1) if sentence.heads[i] not in range(name.first, name.last + 1)),
            None,
        )
        text = sentence.span(name.first, name.last)
        if (
            head is None
            or sentence.pos[head] != "PROPN"
            or sentence.text.count(text) != 1
            or _is_quoted(sentence, name)
        ):
            continue
        alone = all(
            sentence.deps[child] == "case"
            for i in _inside(name)
            for child in sentence.children[i]
            if child not in _inside(name)
        )
        if not alone or (name.label == "ORG" and name.first == name.last and sentence.lower[head].startswith(_BODIES)):
            continue
        oblique = all(sentence.feats[i].get("Case") in ("Gen", "Dat", "Ins", "Loc", "Acc") for i in _inside(name))
        plain = text.replace(" ", "").replace("-", "").isalpha() and all(
            sentence.words[i][0].isupper() for i in _inside(name)
        )
        if (
            oblique
            and plain
            and sentence.deps[head] in ("obj", "iobj", "obl", "nmod")
            and name.first not in sentence.firsts
            and _name_ends(sentence, name)
        ):
            spans.append((name.first, name.last))
    return spans


_BODIES = word_list("ru stems of institutions")
"""Common nouns that are capitalised as names of institutions."""


def _inside(name: Entity) -> range:
    return range(name.first, name.last + 1)


def _name_ends(sentence: Sentence, name: Entity) -> bool:
    """Return whether no other name or punctuation joins the name to its context."""
    after = sentence.words[name.last + 1] if name.last + 1 < len(sentence) else ""
    before = sentence.words[name.first - 1]
    joined = (
        after[:1].isupper() or before[:1].isupper() or after in ("и", "или", "(", "-") or before in ("и", "или", "-")
    )
    return not joined and not sentence.hyphened(name.first) and not sentence.hyphened(name.last)


def _is_quoted(sentence: Sentence, name: Entity) -> bool:
    before = sentence.words[name.first - 1] if name.first else ""
    after = sentence.words[name.last + 1] if name.last + 1 < len(sentence) else ""
    return before in ("«", '"', "“", "„") or after in ("»", '"', "”")


_COORDINATING = frozenset(["и", "а", "но", "или", "однако"])
_POINTING = [[word] for word in ["то", "том", "того", "тем", "тому", "таков", "такова", "таково", "таковы"]]
_SUBORDINATING = frozenset(["что", "чтобы", "если", "хотя", "поскольку"])


def conjunctions(sentence: Sentence) -> Sequence[Span]:
    """Return one-word conjunctions between the parts they join."""
    spans = []
    for i, (word, dep) in enumerate(zip(sentence.lower, sentence.deps, strict=True)):
        before = sentence.lower[i - 1] if i else ""
        joins = dep == "cc" and sentence.pos[i] == "CCONJ" and word in _COORDINATING
        if joins and word == "и":  # not the particle: the conjunction is directly before the part it joins
            joins = (
                i > 0
                and not (before and before in _QUOTES)
                and sentence.lower.count("и") == 1
                and before not in ("так", "как", ",")
            )
        joins |= dep == "mark" and sentence.pos[i] == "SCONJ" and word in _SUBORDINATING and before == ","
        if word == "что" and sentence.lower[i - 2 : i - 1] not in _POINTING:
            continue  # "Говорят, она пришла" is correct without it
        if (
            joins
            and before not in ("так", "потому", "тем", "или")
            and _next(sentence, i) not in ("то", "бы", "не", ",")
        ):
            spans.append((i, i))
    return spans
