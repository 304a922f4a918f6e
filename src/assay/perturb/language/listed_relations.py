"""Word relations from built-in lists, which hold in almost any news sentence.

WordNet has every sense of a word but cannot tell which one a sentence uses. Rules that replace a word use these lists if they
must be certain, and WordNet with a lower confidence.
"""

from __future__ import annotations

from assay.data import rows
from assay.data.words import lists, word_list
from assay.perturb.language.sentence import Sentence

Members = tuple[str, tuple[str, ...]]


def _read_classes() -> dict[str, Members]:
    classes: dict[str, Members] = {}
    for row in rows("words/noun_classes.tsv"):
        distinct = row["distinct"].split()
        for member in (*row["alike"].split(), *distinct):
            classes.setdefault(member, (row["class"], tuple(other for other in distinct if other != member)))
    return classes


def _read_verbs(relation: str) -> dict[str, tuple[str, str]]:
    verbs: dict[str, tuple[str, str]] = {}
    for row in rows("words/verbs.tsv"):
        if row["relation"] == relation:
            verbs.setdefault(row["verb"], (row["right"], row["wrong"]))
    return verbs


def _read_opposites(strength: str) -> dict[str, dict[str, str]]:
    opposites: dict[str, dict[str, str]] = {}
    for row in rows("words/opposites.tsv"):
        if row["strength"] == strength:
            opposites.setdefault(row["part"], {})[row["word"]] = row["opposite"]
    return opposites


_CLASSES = _read_classes()
CLASS_OF = {member: general for member, (general, _) in _CLASSES.items()}
DISTRACTORS = {member: distinct for member, (_, distinct) in _CLASSES.items()}
"""For each noun, its class (`CLASS_OF`), and members of the class that are certainly different things (`DISTRACTORS`)."""
KINDS = lists("noun_kinds")
"""For each noun, hyponyms that are certainly more specific."""
OPPOSITES, SURE_OPPOSITES = _read_opposites("likely"), _read_opposites("sure")
"""Opposites of words by part of speech (VERB, NOUN, ADJ, ADV); certain ones hold in almost any sentence."""
SYNONYM_ANTONYM = _read_verbs("synonym")
"""For each verb, a synonym and an opposite that both take the same type of object."""
ENTAILED = _read_verbs("entailed")
"""For each verb, a verb that it entails and one that it excludes; both take the same type of object."""

UNCOUNTED = frozenset(["sport", "disease", "crime"])
"""Classes whose noun, like its members, needs no article."""
INTRANSITIVE = frozenset(word_list("intransitive verbs"))
"""Listed verbs that are used without an object. All others need an object or must be passive."""
CLAUSAL = frozenset(["allege", "insist", "boast", "confess", "reveal", "disclose"])
"""Listed verbs whose object must be a clause."""
_KINDS = frozenset(["animal", "bird", "fish", "insect", "tree", "fruit", "vegetable"])
"""Classes of living things, which often have names of two words."""
_FREE = frozenset(word_list("prepositions that follow any verb"))
"""Prepositions that may follow any verb and are not required by it."""
_PLAIN = frozenset(word_list("adjectives of any kind"))
"""Adjectives that fit any noun; others may describe one particular kind (*cardiovascular surgeons*)."""
_OTHER_SENSES = frozenset(["strength", "weakness", "opponent", "supporter"])
"""Nouns with another frequent sense that has a different opposite: an army's strength, an opponent in a match."""
_OF_ONE_SIDE = ("over", "against", "to", "by")


def fits_verb(sentence: Sentence, i: int) -> bool:
    """Return whether a listed verb is used as listed: with an object (or in the passive), or without one."""
    if sentence.pos[i] != "VERB" or sentence.deps[i] in ("amod", "acl", "compound"):
        return False
    lemma = sentence.lemmas[i].lower()
    deps = {sentence.deps[child] for child in sentence.children[i]}
    if deps & {"prt", "xcomp", "dative", "oprd", "acomp", "attr"}:
        return False
    if (
        lemma in ("prevent", "avert", "deter", "discourage", "prohibit", "ban", "shield")
        and "from" in sentence.lower[i:]
    ):
        return False
    if any(sentence.deps[child] == "prep" and sentence.lower[child] not in _FREE for child in sentence.children[i]):
        return False
    if "ccomp" in deps:
        return lemma in CLAUSAL and not sentence.child(i, "dobj", "nsubjpass")
    if lemma in CLAUSAL or not _object_fits(sentence, i, lemma) or _is_ambiguous_form(sentence, i):
        return False
    takes = bool(deps & {"dobj", "nsubjpass"})
    return not takes and "nsubj" in deps if lemma in INTRANSITIVE else takes


def _is_ambiguous_form(sentence: Sentence, i: int) -> bool:
    """Return whether a form may be either past or participle and no auxiliary resolves it."""
    return sentence.tags[i] == "VBN" and sentence.child(i, "aux", "auxpass") is None


def _object_fits(sentence: Sentence, i: int, lemma: str) -> bool:
    """Return False for *the keeper denied Jones*: a person cannot be denied or disputed."""
    if lemma not in ("deny", "dispute"):
        return True
    thing = sentence.child(i, "dobj", "nsubjpass")
    return thing is not None and sentence.named[thing] == "" and sentence.tags[thing] in ("NN", "NNS")


def fits_noun(sentence: Sentence, i: int) -> bool:
    """Return whether the class of a noun can replace it: the noun is countable, or the class needs no article."""
    lemma = sentence.lemmas[i].lower()
    general = CLASS_OF.get(lemma)
    if (i and sentence.lower[i - 1] == "golden") or (sentence.child(i, "amod") is not None and general == "disease"):
        return False
    if lemma == "horse" and sentence.child(i, "poss") is not None:
        return False  # "hold your horses"
    if general in _KINDS and i and sentence.pos[i - 1] not in ("DET", "ADP", "NUM", "PUNCT", "CCONJ", "VERB", "PRON"):
        return False  # "bald eagle", "spider monkey"
    if general in _KINDS and i and sentence.tags[i - 1] in ("VBN", "VBG"):
        return False  # "great horned owl"
    if lemma == "boy" and sentence.tags[i] == "NNS" and sentence.child(i, "amod") is None:
        return False  # "one of the boys"
    owned = sentence.child(i, "poss") is not None
    if (general == "relative" and not owned) or (general == "player" and sentence.child(i, "prep", "poss") is not None):
        return False
    if (general == "disease" and sentence.tags[i] == "NNS") or (
        general == "disaster" and sentence.child(i, "prep") is not None
    ):
        return False
    if general == "sport":
        apart = sentence.child(i, "det", "amod", "poss") is None and sentence.pos[i + 1 : i + 2] not in (
            ["NOUN"],
            ["PROPN"],
        )
        return sentence.tags[i] == "NN" and apart  # not "a baseball" or "rugby sevens"
    if sentence.tags[i] == "NNS" or CLASS_OF.get(sentence.lemmas[i].lower()) in UNCOUNTED:
        return sentence.child(i, "prep") is None or sentence.tags[i] == "NNS"
    return sentence.child(i, "det", "poss", "nummod") is not None


def fits_kind(sentence: Sentence, i: int) -> bool:
    """Return whether a hyponym can replace the noun: it is countable, not modified, and not part of a set phrase."""
    if sentence.lemmas[i].lower() in CLASS_OF and not fits_noun(sentence, i):
        return False
    if sentence.words[i][:1].isupper() or sentence.deps[i] in ("attr", "appos", "oprd"):
        return False
    head = sentence.heads[i]
    if sentence.deps[i].startswith("nsubj") and sentence.child(head, "attr") is not None:
        return False  # "the birds of the lake are swans"
    if any(
        sentence.lower[child] not in _PLAIN
        for child in sentence.children[i]
        if sentence.deps[child] in ("amod", "nmod")
    ):
        return False
    if any(sentence.lower[child] in ("of", "like", "as") for child in sentence.children[i]):
        return False
    if sentence.lemmas[i].lower() == "phone" and sentence.lower[head] in ("on", "over", "by"):
        return False  # "on the phone"
    return sentence.tags[i] == "NNS" or sentence.child(i, "det", "poss", "nummod") is not None


def fits_opposite(sentence: Sentence, i: int) -> bool:
    """Return whether a noun is used in its listed sense; in *failure to act*, *enemy planes* and *Winter* it is not."""
    lemma, children = sentence.lemmas[i].lower(), sentence.children[i]
    if lemma == "absence" and sentence.lower[i - 2 : i] == ["leave", "of"]:
        return False
    if lemma in _OTHER_SENSES or sentence.pos[i + 1 : i + 2] in (["NOUN"], ["PROPN"]):
        return False
    if lemma in ("failure", "success") and any(sentence.deps[child] in ("amod", "acl", "xcomp") for child in children):
        return False
    if lemma in ("victory", "defeat") and any(sentence.lower[child] in _OF_ONE_SIDE for child in children):
        return False
    if any(sentence.lower[child] == "natural" for child in children):
        return False
    capital = sentence.words[i][:1].isupper()
    return not capital or (i in sentence.firsts and sentence.tags[i] == "NNS")
