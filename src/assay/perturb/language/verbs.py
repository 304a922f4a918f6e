"""English verb groups: the finite verb, its auxiliaries and its subject, with the forms that can replace them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from assay.perturb.language.sentence import Sentence

INFLECTED = ("VBD", "VBZ", "VBP")
"""Tags of verbs that themselves carry the tense."""
FINITE = (*INFLECTED, "MD")
EXPANDED = {"'re": "are", "'m": "am", "'ve": "have", "'ll": "will", "wo": "will", "ca": "can", "sha": "shall"}
_PLURAL_TAGS = ("NNS", "NNPS")
_PLURAL_WORDS = ("we", "you", "they", "these", "those", "many", "both", "others", "few", "several")
_SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl")


@dataclass(frozen=True, slots=True)
class VerbGroup:
    """A finite verb group. `main` is the main verb (or a copula), `finite` the verb that carries the tense."""

    main: int
    finite: int
    auxiliaries: tuple[int, ...]
    subject: int | None
    negation: int | None

    @property
    def simple(self) -> bool:
        """Whether the group has no auxiliary."""
        return not self.auxiliaries


def groups(sentence: Sentence) -> list[VerbGroup]:
    """Return every finite verb group, main clauses first."""
    verb_groups = []
    for i, pos in enumerate(sentence.pos):
        if pos in ("VERB", "AUX") and sentence.deps[i] not in ("aux", "auxpass"):
            group = group_of(sentence, i)
            if group is not None:
                verb_groups.append(group)
    return sorted(verb_groups, key=lambda group: (sentence.deps[group.main] != "ROOT", group.main))


def group_of(sentence: Sentence, i: int) -> VerbGroup | None:
    """Return the group of verb `i` if it is finite."""
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
    """Return the confidence in the parse: lower if there is no final punctuation (headlines), or for *cannot* as two tokens."""
    if not _ENDED.search(sentence.text):
        return 0.4
    glued = group.finite + 1 < len(sentence) and sentence.lower[group.finite + 1] == "not"
    if glued and sentence.ends[group.finite] == sentence.starts[group.finite + 1]:
        return 0.4  # "cannot" as two tokens
    return 0.9


def word_of(sentence: Sentence, i: int) -> str:
    """Return the full form of a contraction: ``'re`` is ``are``; ``'s`` is ``is`` or ``has`` by its lemma."""
    word = sentence.lower[i].replace("’", "'")
    if word == "'s":
        return "has" if sentence.lemmas[i] == "have" else "is"
    if word == "'d":
        return "had" if sentence.lemmas[i] == "have" else "would"
    return EXPANDED.get(word, word)


def contracted(sentence: Sentence, i: int) -> bool:
    """Return whether ``n't`` is attached to token `i`."""
    return i + 1 < len(sentence) and sentence.lower[i + 1] in ("n't", "n’t")


def person(sentence: Sentence, group: VerbGroup) -> str:
    """Return ``first`` (I), ``singular`` or ``plural``, based on the verb's form or else on the subject."""
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
    """Return is, am, are, was or were, in agreement with the subject."""
    number = person(sentence, group)
    if past:
        return "were" if number == "plural" else "was"
    return {"first": "am", "plural": "are"}.get(number, "is")


def present(sentence: Sentence, group: VerbGroup, lemma: str, inflection: Any) -> str | None:
    """Return the present tense of a verb, in agreement with the subject."""
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
    """Return did, does or do, with the tense of the finite verb and in agreement with the subject."""
    if sentence.tags[group.finite] == "VBD":
        return "did"
    return "does" if person(sentence, group) == "singular" else "do"


def past(sentence: Sentence, group: VerbGroup, lemma: str, inflection: Any) -> str | None:
    """Return the past tense of a verb."""
    if lemma == "be":
        return be(sentence, group, past=True)
    form: str | None = inflection.inflect(lemma, "VBD")
    return form


def lemma_of(sentence: Sentence, i: int, inflection: Any) -> str:
    """Return the base form of verb `i`."""
    lemma = sentence.lemmas[i].lower()
    if lemma == sentence.lower[i] and sentence.tags[i] in ("VBD", "VBZ", "VBG", "VBN"):
        lemma = inflection.lemma(sentence.lower[i], "VERB")
    return lemma
