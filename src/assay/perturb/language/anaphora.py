"""Which kind of *it* or *they* stands in an English sentence, as its parse tells."""

from __future__ import annotations

from assay.data.words import word_list
from assay.perturb.language.sentence import Sentence

_WEATHER = frozenset(["rain", "snow", "hail", "thunder", "freeze"])
_DUMMY = frozenset(word_list("verbs of a pleonastic it"))
_INDEFINITE = frozenset(word_list("indefinite persons"))
_GROUPS = frozenset(word_list("groups of people"))


_PHRASES = frozenset(["nsubj", "nsubjpass", "dobj", "attr", "conj"])
_TIMES = frozenset(["DATE", "TIME", "CARDINAL", "ORDINAL", "PERCENT", "MONEY", "QUANTITY"])
"""Where an antecedent stands, and names that are none."""


def _may_be_meant(sentence: Sentence, noun: int, pronoun: int) -> bool:
    """True for the subject or object of an earlier clause of the same sentence that has a subject of its own.

    *In some cases, they …* and *when hunting turtles, they …* speak of something outside the sentence.
    """
    if sentence.pos[noun] not in ("NOUN", "PROPN", "PRON") or sentence.deps[noun] not in _PHRASES:
        return False
    if sentence.named[noun] in _TIMES or any(noun < first <= pronoun for first in sentence.firsts):
        return False
    above, at = {pronoun}, pronoun
    while sentence.heads[at] != at:
        at = sentence.heads[at]
        above.add(at)
    verb = sentence.heads[noun]
    while sentence.deps[verb] == "conj" and sentence.pos[verb] not in ("VERB", "AUX"):
        verb = sentence.heads[verb]
    own = sentence.heads[pronoun] if sentence.pos[sentence.heads[pronoun]] in ("VERB", "AUX") else pronoun
    return noun not in above and verb != own and sentence.child(verb, "nsubj", "nsubjpass") is not None


def function_of(sentence: Sentence, i: int) -> str | None:
    """The kind of pronoun that token `i` (*it*, *they*, *them*) is, as ACES names it; None where it cannot be told."""
    word, head = sentence.lower[i], sentence.heads[i]
    if word == "it" and sentence.deps[i] in ("nsubj", "expl") and _is_dummy(sentence, head):
        return "pleonastic_it"
    plural = word != "it"
    nouns = [j for j in range(i) if _may_be_meant(sentence, j, i)]
    single = [
        sentence.lemmas[j].lower() for j in nouns if sentence.tags[j] in ("NN", "PRP") or sentence.pos[j] == "PRON"
    ]
    several = any(sentence.tags[j] in ("NNS", "NNPS") for j in nouns)
    persons, groups = (any(lemma in words for lemma in single) for words in (_INDEFINITE, _GROUPS))
    if (persons and groups) or (several and plural and (persons or groups)):
        return None  # more than one thing that it may speak of
    if plural and persons:
        return "anaphoric_singular_they"
    if groups:
        return "anaphoric_group_it-they" if plural or len(single) == 1 else None
    wanted = "NNS" if plural else "NN"
    if not any(sentence.tags[j] == wanted for j in nouns):
        return None
    if plural:
        return "anaphoric_intra_they"
    return f"anaphoric_intra_{'subject' if sentence.deps[i].startswith('nsubj') else 'non-subject'}_it"


def _is_dummy(sentence: Sentence, head: int) -> bool:
    if sentence.lemmas[head] in _WEATHER:
        return True
    deps = {sentence.deps[child] for child in sentence.children[head]}
    complement = sentence.child(head, "acomp", "attr")
    below = {sentence.deps[child] for child in sentence.children[complement]} if complement is not None else set()
    beside = {"ccomp", "csubj"} | ({"xcomp"} if sentence.lemmas[head] == "take" else set())
    return sentence.lemmas[head] in _DUMMY and bool(beside & deps or {"ccomp", "xcomp", "csubj"} & below)
