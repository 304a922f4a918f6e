"""Rules for Japanese words and phrases to omit (DEMETR 5, 12, 20, 24), and for pronouns with the wrong gender (11)."""

from __future__ import annotations

from collections.abc import Sequence

from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.data.words import word_list
from assay.perturb.language.sentence import Entity, Sentence
from assay.perturb.language.texts import pick

Span = tuple[int, int]

_NO_ADVERB = frozenset(word_list("ja adverbs that stay"))
"""Adverbs that belong to a negation, question or number, or that connect sentences."""
_NAMES = frozenset(word_list("ja entity types of names"))
_PARTICLES = ("の", "で", "に", "へ", "から", "を")
_JOINING = ("と", "や", "か", "・", "および", "及び", "並びに", "または", "の", "的", "･", "=", "＝")


def _next(sentence: Sentence, i: int) -> str:
    return sentence.words[i + 1] if i + 1 < len(sentence) else ""


def _form(sentence: Sentence, i: int) -> str:
    return sentence.feats[i].get("Inflection", "").partition(";")[2]


def adjectives_and_adverbs(sentence: Sentence) -> Sequence[Span]:
    """Return adjectives directly before their noun (with *な*) and adverbs, if nothing depends on them."""
    spans = []
    for i, tag in enumerate(sentence.tags):
        after = i + 1
        if after >= len(sentence) or sentence.words[i - 1 : i] == ["と"]:
            continue
        if tag.startswith("形容詞") and _form(sentence, i).startswith("連体形") and not sentence.children[i]:
            if (
                sentence.tags[after].startswith("名詞-普通名詞")
                and sentence.words[i] not in ("ない", "無い", "なき")
                and _may_be_omitted_here(sentence, i)
            ):
                spans.append((i, i))
        elif tag == "形状詞-一般" and sentence.words[after] == "な" and len(sentence.children[i]) == 1:
            if (
                sentence.tags[after + 1 : after + 2]
                and sentence.tags[after + 1].startswith("名詞-普通名詞")
                and _may_be_omitted_here(sentence, i)
            ):
                spans.append((i, after))
        elif tag == "副詞" and not sentence.children[i] and sentence.lower[i] not in _NO_ADVERB:
            next_tag = sentence.tags[after]
            if sentence.pos[i] == "ADV" and next_tag.startswith(("動詞", "名詞-普通名詞", "形容詞", "形状詞")):
                spans.append((i, i))
    return spans


def _may_be_omitted_here(sentence: Sentence, i: int) -> bool:
    """Return whether the word before cannot belong to the adjective: none, a punctuation mark, or a case or topic particle."""
    if i == 0:
        return True
    return sentence.pos[i - 1] in ("PUNCT", "SYM") or (
        sentence.tags[i - 1] in ("助詞-格助詞", "助詞-係助詞")
        and sentence.words[i - 1] in ("は", "を", "に", "で", "へ", "から")
    )


def postpositional_phrases(sentence: Sentence) -> Sequence[Span]:
    """Return the shortest phrases of a noun and a particle of place, time or means."""
    spans = [
        sentence.edges[i]
        for i, dep in enumerate(sentence.deps)
        if dep == "obl"
        and sentence.pos[i] in ("NOUN", "PROPN")
        and sentence.words[i] not in _GRAMMAR | _MANNER
        and _is_phrase(sentence, i)
        and _ends(sentence, i)
        and _begins(sentence, sentence.edges[i][0], i)
    ]
    shortest = min((last - first for first, last in spans), default=0)
    return [(first, last) for first, last in spans if last - first == shortest]


_LONGEST_PHRASE = 5


def _is_phrase(sentence: Sentence, i: int) -> bool:
    """Return whether a noun and its dependents are one short run of words that ends in a case particle."""
    first, last = sentence.edges[i]
    particle = (
        last == i + 1 and sentence.words[last] in ("で", "に", "から", "へ") and sentence.tags[last] == "助詞-格助詞"
    )
    if not particle or last - first > _LONGEST_PHRASE:
        return False
    inside = range(first, last + 1)
    if any(sentence.pos[j] in ("PUNCT", "VERB", "AUX", "ADJ", "ADV") for j in inside):
        return False
    return not any(sentence.heads[j] in inside for j in range(len(sentence)) if j not in inside)


def _ends(sentence: Sentence, i: int) -> bool:
    """Return whether the particle after noun `i` is independent of what follows: neither *には* nor *によって*."""
    after, head = i + 2, sentence.heads[i]
    if after >= len(sentence) or sentence.tags[after].startswith(("助詞", "助動詞")):
        return False
    if sentence.lemmas[after] in _BINDING:
        return False
    return not (head == after and sentence.words[i + 1] == "に")


def _begins(sentence: Sentence, first: int, i: int) -> bool:
    """Return whether the word before the phrase does not modify it and is not joined to it."""
    if first == 0:
        return True
    before, tag = sentence.words[first - 1], sentence.tags[first - 1]
    if before in _JOINING or (before == "を" and sentence.words[i] in _AFTER_OBJECT):
        return False
    if tag.startswith(("動詞", "形容詞", "助動詞", "連体詞", "接頭辞", "接尾辞")):
        return False
    listing = before == "、" and first > 1 and sentence.tags[first - 2].startswith("名詞")
    return not listing and sentence.pos[first - 1] not in ("NOUN", "PROPN", "NUM", "DET")


_BINDING = frozenset(word_list("ja verbs that bind a particle"))
"""Verbs that form a compound particle (*によって*) or that require the phrase."""
_AFTER_OBJECT = frozenset(word_list("ja nouns that make a phrase with an object"))
"""Nouns that form one phrase with an object before them: *を境に*."""
_MANNER = frozenset(word_list("ja nouns of manner"))
"""Nouns that act as adverbs with their particle."""
_GRAMMAR = frozenset(word_list("ja nouns of grammar"))
"""Grammatical nouns that a clause or another noun modifies."""


def names(sentence: Sentence) -> Sequence[Span]:
    """Return names with their particle that are neither subjects nor modified."""
    spans = []
    for name in sentence.entities:
        after = name.last + 1
        if name.label not in _NAMES or after + 1 >= len(sentence) or sentence.words[after] not in _PARTICLES:
            continue
        if sentence.tags[after] != "助詞-格助詞" or sentence.tags[after + 1].startswith(("助詞", "助動詞", "補助記号")):
            continue
        if sentence.lemmas[after + 1] in _BINDING or sentence.words[after + 1] in _GRAMMAR:
            continue
        if not all(sentence.pos[i] == "PROPN" for i in range(name.first, after)):
            continue
        if sentence.deps[name.last] not in ("nmod", "obl", "obj") or not _is_whole_phrase(sentence, name):
            continue
        if sentence.text.count(sentence.span(name.first, name.last)) == 1:
            spans.append((name.first, after))
    return spans


def _is_whole_phrase(sentence: Sentence, name: Entity) -> bool:
    """Return whether the name forms the whole phrase and is not joined to the preceding word."""
    first, last = sentence.edges[name.last]
    before = sentence.words[name.first - 1] if name.first else ""
    touching = name.first and (sentence.pos[name.first - 1] in ("NOUN", "PROPN", "NUM", "AUX", "VERB", "ADJ", "DET"))
    return (
        (first, last) == (name.first, name.last + 1) and before not in ("と", "や", "か", "・", "の") and not touching
    )


def conjunctions(sentence: Sentence) -> Sequence[Span]:
    """Return conjunctions that open a sentence, with the comma after them."""
    return [
        (i, i + 1 if _next(sentence, i) == "、" else i)
        for i, tag in enumerate(sentence.tags)
        if tag == "接続詞"
        and _next(sentence, i) != "ながら"
        and (sentence.words[i] != "また" or _next(sentence, i) == "、")
        and (i in sentence.firsts or sentence.words[i - 1] in ("「", "。"))
    ]


_GENDER = {"彼": "彼女", "彼女": "彼"}


def gender_pronoun(sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
    """Exchange *彼* and *彼女*; *彼女* with the meaning girlfriend, after a possessive, stays."""
    pronouns = [
        i
        for i, word in enumerate(sentence.words)
        if word in _GENDER
        and sentence.pos[i] == "PRON"
        and sentence.words[i - 1 : i] != ["の"]
        and _next(sentence, i) not in ("氏", "たち", "ら")
    ]
    if not pronouns:
        return Refused("no pronoun with a gender")
    i = pick(pronouns, rng)
    old, new = sentence.words[i], _GENDER[sentence.words[i]]
    return Perturbed((Change(sentence.starts[i], sentence.ends[i], new),), f"{old} -> {new}").with_confidence(parse=0.9)
