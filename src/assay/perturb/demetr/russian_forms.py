"""Rules for Russian forms: the main verb negated (DEMETR 8) or in another tense (17), pronouns in another gender or case."""

from __future__ import annotations

from typing import Any

from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.data.words import nested_lists, word_list
from assay.perturb.demetr.rules import first_fit, remove_span
from assay.perturb.language.sentence import Sentence
from assay.perturb.language.texts import match_case, match_first, pick

_DENYING = frozenset(word_list("ru negations"))
_RESTRICTING = frozenset(word_list("ru restricting words"))
"""Words that cannot be followed by *не*."""
_EXISTING = ("существ", "име", "остал", "остаё", "остае", "быва", "есть", "суть", "хват", "наступ", "стоит", "стоил")
"""Verbs whose subject takes the genitive when negated, or whose negation has another meaning."""
_COPULAS = frozenset(word_list("ru copulas"))
_OPENING = "«„“\"'([ —–-"


def _find_main_verbs(sentence: Sentence) -> list[int]:
    """Return the finite verbs of declarative main clauses."""
    return [
        i
        for i, dep in enumerate(sentence.deps)
        if dep == "root"
        and sentence.feats[i].get("VerbForm") == "Fin"
        and sentence.feats[i].get("Mood") == "Ind"
        and sentence.words[i].isalpha()
        and sentence.lower[i] not in _DENYING
        and not _is_question(sentence, i)
    ]


def _is_question(sentence: Sentence, i: int) -> bool:
    """Return whether the sentence of token `i` ends with a question mark."""
    end = next((first for first in sorted(sentence.firsts) if first > i), len(sentence))
    return "?" in sentence.words[i:end]


def _dependents(sentence: Sentence, i: int) -> list[int]:
    """Return the dependents of a verb in its own clause, and their dependents."""
    in_clause = [
        child
        for child in sentence.children[i]
        if sentence.deps[child] not in ("ccomp", "advcl", "parataxis", "conj", "acl", "acl:relcl", "csubj")
    ]
    return [j for child in in_clause for j in (child, *sentence.children[child])]


def negation(sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
    """Insert *не* before the main verb, or remove it if the clause contains no other negative word."""
    nothing = "no main clause that can be negated"
    if not sentence.sound:
        return Refused("in doubt about the parse")
    result = first_fit(rng, _find_main_verbs(sentence), lambda i: _negate(sentence, i), nothing)
    return result if isinstance(result, Refused) else result.with_confidence(parse=0.9)


def _negate(sentence: Sentence, i: int) -> Perturbed | None:
    below = _dependents(sentence, i)
    denying = [j for j in below if sentence.lower[j] in _DENYING]
    before = sentence.lower[i - 1] if i else ""
    if before == "не" and denying == [i - 1]:
        return _affirm(sentence, i)
    if denying or sentence.lower[i].startswith(_EXISTING) or sentence.lower[i] in _COPULAS:
        return None
    if before in _RESTRICTING or any(sentence.lower[j] in _RESTRICTING for j in sentence.children[i] if j < i):
        return None
    if _is_reporting_verb(sentence, i) or sentence.hyphened(i):
        return None
    word = sentence.words[i]
    new = f"{match_case('не', word[:1] + 'x')} {word[:1].lower()}{word[1:]}" if word[:1].isupper() else f"не {word}"
    return Perturbed((Change(sentence.starts[i], sentence.ends[i], new),), f"{word} -> {new}")


def _affirm(sentence: Sentence, i: int) -> Perturbed | None:
    """Remove *не*, unless an object would stay in the genitive, which only a negated verb takes."""
    if any(
        sentence.feats[j].get("Case") == "Gen"
        and sentence.deps[j] in ("obj", "nsubj", "obl", "iobj")
        and sentence.child(j, "case") is None
        for j in sentence.children[i]
    ):
        return None
    if sentence.lower[i].startswith(("хват", "мог", "мож", "стоит")) and "не" in sentence.lower[i + 1 :]:
        return None
    infinitive = sentence.child(i, "xcomp")
    if infinitive is not None and any(
        sentence.feats[j].get("Case") == "Gen" and sentence.deps[j] == "obj" for j in sentence.children[infinitive]
    ):
        return None
    if {"а", "только", "столько", "пока", "более", "больше", "ещё", "еще", "пор"} & {
        sentence.lower[j] for j in _context(sentence, i)
    }:
        return None
    change = remove_span(sentence.text, sentence.starts[i - 1], sentence.ends[i - 1], opens=i - 1 in sentence.firsts)
    return Perturbed((change,), f"{sentence.span(i - 1, i)} -> {sentence.words[i]}")


def _context(sentence: Sentence, i: int) -> range:
    return range(max(0, i - 3), min(len(sentence), i + 6))


def _is_reporting_verb(sentence: Sentence, i: int) -> bool:
    """Return whether it is a verb of saying after a quotation (*— сказал он*) or at the start of a sentence (*Сказал он*)."""
    subject = sentence.child(i, "nsubj")
    if i in sentence.firsts and subject is not None and subject > i:
        return True
    before = sentence.words[i - 1] if i else ""
    quoted = before == "," and i > 1 and sentence.words[i - 2] in ("»", '"', "”")
    return before in ("—", "–", "-", "»", '"', "”") or quoted


def tense(sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
    """Turn past into present (imperfective) or future (perfective), or back, with the same agreement."""
    if not sentence.sound:
        return Refused("in doubt about the parse")
    morphology = tools.get("inflection", "ru")
    result = first_fit(
        rng,
        _find_main_verbs(sentence),
        lambda i: _change_tense(sentence, i, morphology),
        "no main verb whose other tense is clear",
    )
    return result if isinstance(result, Refused) else result.with_confidence(parse=0.9)


_PERSONS = {"я": "1per", "мы": "1per", "ты": "2per", "вы": "2per"}
_GENDERS = {"Masc": "masc", "Fem": "femn", "Neut": "neut"}


_TENSES = {"Past": "past", "Pres": "pres", "Fut": "futr"}


def _change_tense(sentence: Sentence, i: int, morphology: Any) -> Perturbed | None:
    feats, word = sentence.feats[i], sentence.words[i]
    if any(sentence.lower[j] in ("бы", "б", "чтобы", "есть") for j in (*_dependents(sentence, i), i)):
        return None
    if sentence.lower[i] in _COPULAS and any(sentence.feats[j].get("VerbForm") == "Inf" for j in sentence.children[i]):
        return None
    tense = _TENSES.get(feats.get("Tense", ""))
    parses = [one for one in morphology.parse(word.lower()) if one.tag.POS == "VERB" and one.tag.tense == tense]
    if len({(one.normal_form, one.tag.aspect) for one in parses}) != 1:
        return None
    verb, aspect = parses[0].normal_form, parses[0].tag.aspect
    subject = sentence.child(i, "nsubj", "nsubj:pass")
    if tense == "past":
        target = _nonpast(sentence, feats, subject)
        target = target and target | {"futr" if aspect == "perf" or verb == "быть" else "pres"}
    elif tense == "futr" and verb in ("мочь", "быть"):
        return None
    else:
        target = _past(sentence, feats, subject, morphology)
    form = parses[0].inflect(target) if target else None
    if form is None or form.word == word.lower():
        return None
    new = match_case(form.word if "ё" in sentence.text else form.word.replace("ё", "е"), word)
    return Perturbed((Change(sentence.starts[i], sentence.ends[i], new),), f"{word} -> {new}")


def _nonpast(sentence: Sentence, feats: Any, subject: int | None) -> set[str] | None:
    """Return person and number of the new form; None if the subject is needed for the person and missing."""
    number = "plur" if feats.get("Number") == "Plur" else "sing"
    if subject is None:
        return {"3per", "sing"} if feats.get("Gender") == "Neut" else None
    person = _PERSONS.get(sentence.lower[subject], "3per")
    joined = sentence.child(subject, "conj")
    if joined is not None and sentence.pos[joined] == "PRON":
        return None
    return {person, number}


def _past(sentence: Sentence, feats: Any, subject: int | None, morphology: Any) -> set[str] | None:
    """Return gender and number of the past form; None unless tagger and dictionary agree on the subject's gender."""
    if feats.get("Number") == "Plur":
        return {"past", "plur"} if subject is not None else None
    if subject is None or feats.get("Person") != "3":
        return None
    gender = _GENDERS.get(sentence.feats[subject].get("Gender", ""))
    if (
        gender is None
        or sentence.feats[subject].get("Case") != "Nom"
        or sentence.feats[subject].get("Number") != "Sing"
    ):
        return None
    if sentence.pos[subject] not in ("NOUN", "PROPN") and sentence.lower[subject] not in ("он", "она", "оно"):
        return None
    genders = {
        str(one.tag.gender)
        for one in morphology.parse(sentence.words[subject])
        if "nomn" in one.tag.grammemes and one.is_known
    }
    return {"past", "sing", gender} if genders == {gender} else None


_PRONOUNS = nested_lists("russian_pronouns")
_GENDER = {form: other for form, (other,) in _PRONOUNS["gender"].items()}
_AFTER = {preposition: form for preposition, (form,) in _PRONOUNS["after"].items()}
"""Forms of *он* that replace *ней*, by preposition."""


def gender_pronoun(sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
    """Give a pronoun in an oblique case the other gender; verb agreement is unaffected."""
    pronouns = []
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
            pronouns.append((i, new if "ё" in sentence.text.lower() or word == "её" else new.replace("ё", "е")))
    if not pronouns:
        return Refused("no pronoun with a gender in an oblique case")
    i, new = pick(pronouns, rng)
    return _replace(sentence, i, new).with_confidence(parse=0.9)


_OBLIQUE = _PRONOUNS["oblique"]
CASES = tuple(
    (nominative, *forms, *(form.replace("ё", "е") for form in forms)) for nominative, forms in _OBLIQUE.items()
)
"""The forms of each pronoun, for checking results."""


def pronoun_case(sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
    """Put a pronoun that is the subject of a finite verb into an oblique case."""
    pronouns = [
        i
        for i, word in enumerate(sentence.lower)
        if word in _OBLIQUE
        and sentence.deps[i] == "nsubj"
        and sentence.feats[i].get("Case") == "Nom"
        and sentence.feats[sentence.heads[i]].get("VerbForm") == "Fin"
        and not sentence.hyphened(i)
    ]
    if not pronouns:
        return Refused("no pronoun that is the subject of a verb")
    i = pick(pronouns, rng)
    new = pick(_OBLIQUE[sentence.lower[i]], rng)
    return _replace(sentence, i, new if "ё" in sentence.text.lower() else new.replace("ё", "е")).with_confidence(
        parse=0.9
    )


def _replace(sentence: Sentence, i: int, new: str) -> Perturbed:
    old = sentence.words[i]
    replacement = match_first(new, old)
    return Perturbed((Change(sentence.starts[i], sentence.ends[i], replacement),), f"{old} -> {replacement}")
