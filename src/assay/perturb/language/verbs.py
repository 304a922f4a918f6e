"""English verb groups: the finite verb, its auxiliaries, its subject, and the forms to put in their place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from assay.perturb.language.sentence import Sentence

INFLECTED = ("VBD", "VBZ", "VBP")
"""Tags of verbs that carry tense themselves."""
FINITE = (*INFLECTED, "MD")
EXPANDED = {"'re": "are", "'m": "am", "'ve": "have", "'ll": "will", "wo": "will", "ca": "can", "sha": "shall"}
_PLURAL_TAGS = ("NNS", "NNPS")
_PLURAL_WORDS = ("we", "you", "they", "these", "those", "many", "both", "others", "few", "several")
_SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl")


@dataclass(frozen=True, slots=True)
class VerbGroup:
    """A finite verb group. `main` is the verb that carries the meaning (or a copula), `finite` the one that carries tense."""

    main: int
    finite: int
    auxiliaries: tuple[int, ...]
    subject: int | None
    negation: int | None

    @property
    def simple(self) -> bool:
        """One verb, no auxiliary."""
        return not self.auxiliaries


def groups(sentence: Sentence) -> list[VerbGroup]:
    """Every finite verb group, those of main clauses first."""
    found = []
    for i, pos in enumerate(sentence.pos):
        if pos in ("VERB", "AUX") and sentence.deps[i] not in ("aux", "auxpass"):
            group = group_of(sentence, i)
            if group is not None:
                found.append(group)
    return sorted(found, key=lambda group: (sentence.deps[group.main] != "ROOT", group.main))


def group_of(sentence: Sentence, i: int) -> VerbGroup | None:
    """The group of verb `i`, if it is finite."""
    children = sentence.children[i]
    auxiliaries = tuple(child for child in children if sentence.deps[child] in ("aux", "auxpass") and child < i)
    if any(sentence.tags[child] == "TO" for child in auxiliaries):
        return None
    finite = auxiliaries[0] if auxiliaries else i
    if sentence.tags[finite] not in FINITE:
        return None
    subject = next((child for child in children if sentence.deps[child] in _SUBJECTS), None)
    negation = next((child for child in children if sentence.deps[child] == "neg"), None)
    return VerbGroup(i, finite, auxiliaries, subject, negation)


_ENDED = re.compile(r"[.!?…。][\"'”’»)\]]*\s*$")


def parse_confidence(sentence: Sentence, group: VerbGroup) -> float:
    """How sure the verb is one: headlines are often parsed wrongly, and a colon before a quotation hides the clause."""
    if not _ENDED.search(sentence.text):
        return 0.4
    glued = group.finite + 1 < len(sentence) and sentence.lower[group.finite + 1] == "not"
    if glued and sentence.ends[group.finite] == sentence.starts[group.finite + 1]:
        return 0.4  # cannot, as two tokens
    return 0.9


def word_of(sentence: Sentence, i: int) -> str:
    """The word behind a contraction: ``'re`` is ``are``; ``'s`` is ``is`` or ``has`` by what follows."""
    word = sentence.lower[i].replace("’", "'")
    if word == "'s":
        return "has" if sentence.lemmas[i] == "have" else "is"
    if word == "'d":
        return "had" if sentence.lemmas[i] == "have" else "would"
    return EXPANDED.get(word, word)


def contracted(sentence: Sentence, i: int) -> bool:
    """True where ``n't`` hangs on token `i`."""
    return i + 1 < len(sentence) and sentence.lower[i + 1] in ("n't", "n’t")


def person(sentence: Sentence, group: VerbGroup) -> str:
    """``first`` (I), ``singular`` or ``plural``: by the verb where its form tells, else by the subject."""
    word = word_of(sentence, group.finite)
    if word in ("is", "has", "does") or sentence.tags[group.finite] == "VBZ":
        return "singular"
    if word == "am":
        return "first"
    subject = group.subject
    if subject is None and sentence.deps[group.main] == "conj":
        head = sentence.heads[group.main]
        subject = next((child for child in sentence.children[head] if sentence.deps[child] in _SUBJECTS), None)
    if subject is not None and sentence.lower[subject] == "i":
        return "first"
    if word in ("are", "were") or (word == "have" and sentence.tags[group.finite] == "VBP"):
        return "plural"
    if word == "was" or subject is None:
        return "singular"
    return "plural" if _plural(sentence, subject, group) else "singular"


def _plural(sentence: Sentence, subject: int, group: VerbGroup) -> bool:
    word = sentence.lower[subject]
    if word in ("who", "which", "that") and sentence.deps[group.main] == "relcl":
        head = sentence.heads[group.main]
        joined = any(sentence.deps[child] == "conj" for child in sentence.children[head])
        return head != subject and (joined or sentence.tags[head] in _PLURAL_TAGS)
    if sentence.named[subject] == "PERSON" and sentence.deps[subject] != "conj" and not sentence.children[subject]:
        return False  # Sanders, Jones: surnames that look like plurals
    joined = any(sentence.deps[child] == "conj" for child in sentence.children[subject])
    counted = sentence.tags[subject] == "CD" and word != "one"
    return joined or counted or sentence.tags[subject] in _PLURAL_TAGS or word in _PLURAL_WORDS


def be(sentence: Sentence, group: VerbGroup, past: bool) -> str:
    """is, am, are, was or were, as the subject wants it."""
    who = person(sentence, group)
    if past:
        return "were" if who == "plural" else "was"
    return {"first": "am", "plural": "are"}.get(who, "is")


def present(sentence: Sentence, group: VerbGroup, lemma: str, inflection: Any) -> str | None:
    """The present tense of a verb, as the subject wants it."""
    if lemma == "be":
        return be(sentence, group, past=False)
    if lemma == "have":
        return "has" if person(sentence, group) == "singular" else "have"
    if lemma == "do":
        return "does" if person(sentence, group) == "singular" else "do"
    if person(sentence, group) != "singular":
        return lemma
    form: str | None = inflection.inflect(lemma, "VBZ")
    return form


def do(sentence: Sentence, group: VerbGroup) -> str:
    """did, does or do, as the tense of the finite verb and the subject want it."""
    if sentence.tags[group.finite] == "VBD":
        return "did"
    return "does" if person(sentence, group) == "singular" else "do"


def past(sentence: Sentence, group: VerbGroup, lemma: str, inflection: Any) -> str | None:
    """The past tense of a verb."""
    if lemma == "be":
        return be(sentence, group, past=True)
    form: str | None = inflection.inflect(lemma, "VBD")
    return form


def lemma_of(sentence: Sentence, i: int, inflection: Any) -> str:
    """The base form of verb `i`."""
    lemma = sentence.lemmas[i].lower()
    if lemma == sentence.lower[i] and sentence.tags[i] in ("VBD", "VBZ", "VBG", "VBN"):
        lemma = inflection.lemma(sentence.lower[i], "VERB")
    return lemma
