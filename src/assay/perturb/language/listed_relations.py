"""Words whose relations hold in almost any news sentence: ours, chosen so that the commonest sense is the one meant.

WordNet knows every sense of a word and not which one a sentence means; rules that exchange a word take it from here where they
must be sure, and from WordNet with a lower confidence.
"""

from __future__ import annotations

from assay.data import rows
from assay.data.words import lists, word_list
from assay.perturb.language.sentence import Sentence

Members = tuple[str, tuple[str, ...]]


def _classes() -> dict[str, Members]:
    found: dict[str, Members] = {}
    for row in rows("words/noun_classes.tsv"):
        distinct = row["distinct"].split()
        for member in (*row["alike"].split(), *distinct):
            found.setdefault(member, (row["class"], tuple(other for other in distinct if other != member)))
    return found


def _verbs(relation: str) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for row in rows("words/verbs.tsv"):
        if row["relation"] == relation:
            found.setdefault(row["verb"], (row["right"], row["wrong"]))
    return found


def _opposites(strength: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for row in rows("words/opposites.tsv"):
        if row["strength"] == strength:
            found.setdefault(row["part"], {})[row["word"]] = row["opposite"]
    return found


_CLASSES = _classes()
CLASS_OF = {member: general for member, (general, _) in _CLASSES.items()}
DISTRACTORS = {member: distinct for member, (_, distinct) in _CLASSES.items()}
"""Noun to the class that it belongs to, and to members of the class that are surely something else."""
KINDS = lists("noun_kinds")
"""Noun to kinds of it that are surely more special."""
OPPOSITES, SURE_OPPOSITES = _opposites("likely"), _opposites("sure")
"""Part of speech (VERB, NOUN, ADJ, ADV) to words and their opposites; sure ones hold in almost any sentence."""
SYNONYM_ANTONYM = _verbs("synonym")
"""Verb to a synonym and an opposite that both take the same object."""
ENTAILED = _verbs("entailed")
"""Verb to a verb that it entails, and one that it excludes; both take the same object."""

UNCOUNTED = frozenset(["sport", "disease", "crime"])
"""Classes whose noun can stand without an article, as its members do."""
INTRANSITIVE = frozenset(word_list("intransitive verbs"))
"""Verbs of the lists that are meant without an object; all others need one, or stand in the passive."""
CLAUSAL = frozenset(["allege", "insist", "boast", "confess", "reveal", "disclose"])
"""Verbs of the lists that must have a clause for an object."""
_KINDS = frozenset(["animal", "bird", "fish", "insect", "tree", "fruit", "vegetable"])
"""Classes of living things, which often have a name of two words."""
_FREE = frozenset(word_list("prepositions that follow any verb"))
"""Prepositions that follow any verb and depend on none."""
_PLAIN = frozenset(word_list("adjectives of any kind"))
"""Adjectives that go with any kind of thing; another may speak of a kind that is not ours (*cardiovascular surgeons*)."""
_OTHER_SENSES = frozenset(["strength", "weakness", "opponent", "supporter"])
"""Of an army's strength and of an opponent in a match the opposite is another one."""
_OF_ONE_SIDE = ("over", "against", "to", "by")


def fits_verb(sentence: Sentence, i: int) -> bool:
    """True where a verb of the lists stands as it is meant there: with an object (or in the passive), or without one."""
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
    if lemma in CLAUSAL or not _object_fits(sentence, i, lemma) or _torn(sentence, i):
        return False
    takes = bool(deps & {"dobj", "nsubjpass"})
    return not takes and "nsubj" in deps if lemma in INTRANSITIVE else takes


def _torn(sentence: Sentence, i: int) -> bool:
    """True where a form may be past or participle, and the parse does not say which by an auxiliary."""
    return sentence.tags[i] == "VBN" and sentence.child(i, "aux", "auxpass") is None


def _object_fits(sentence: Sentence, i: int, lemma: str) -> bool:
    """False for *the keeper denied Jones*: what is denied is no person."""
    if lemma not in ("deny", "dispute"):
        return True
    thing = sentence.child(i, "dobj", "nsubjpass")
    return thing is not None and sentence.named[thing] == "" and sentence.tags[thing] in ("NN", "NNS")


def fits_noun(sentence: Sentence, i: int) -> bool:
    """True where the class of a noun can stand in its place: counted, or of a class that needs no article."""
    lemma = sentence.lemmas[i].lower()
    general = CLASS_OF.get(lemma)
    if (i and sentence.lower[i - 1] == "golden") or (sentence.child(i, "amod") is not None and general == "disease"):
        return False
    if lemma == "horse" and sentence.child(i, "poss") is not None:
        return False  # hold your horses
    if general in _KINDS and i and sentence.pos[i - 1] not in ("DET", "ADP", "NUM", "PUNCT", "CCONJ", "VERB", "PRON"):
        return False  # bald eagle, spider monkey
    if general in _KINDS and i and sentence.tags[i - 1] in ("VBN", "VBG"):
        return False  # great horned owl
    if lemma == "boy" and sentence.tags[i] == "NNS" and sentence.child(i, "amod") is None:
        return False  # one of the boys
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
        return sentence.tags[i] == "NN" and apart  # neither a baseball nor rugby sevens
    if sentence.tags[i] == "NNS" or CLASS_OF.get(sentence.lemmas[i].lower()) in UNCOUNTED:
        return sentence.child(i, "prep") is None or sentence.tags[i] == "NNS"
    return sentence.child(i, "det", "poss", "nummod") is not None


def fits_kind(sentence: Sentence, i: int) -> bool:
    """True where a kind of the noun can stand in its place: counted, not described, told apart or part of a set phrase."""
    if sentence.lemmas[i].lower() in CLASS_OF and not fits_noun(sentence, i):
        return False
    if sentence.words[i][:1].isupper() or sentence.deps[i] in ("attr", "appos", "oprd"):
        return False
    head = sentence.heads[i]
    if sentence.deps[i].startswith("nsubj") and sentence.child(head, "attr") is not None:
        return False  # the birds of the lake are swans
    if any(
        sentence.lower[child] not in _PLAIN
        for child in sentence.children[i]
        if sentence.deps[child] in ("amod", "nmod")
    ):
        return False
    if any(sentence.lower[child] in ("of", "like", "as") for child in sentence.children[i]):
        return False
    if sentence.lemmas[i].lower() == "phone" and sentence.lower[head] in ("on", "over", "by"):
        return False  # on the phone
    return sentence.tags[i] == "NNS" or sentence.child(i, "det", "poss", "nummod") is not None


def fits_opposite(sentence: Sentence, i: int) -> bool:
    """True where a noun of the opposites stands as it is meant there: *failure to act*, *enemy planes* and *Winter* do not."""
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
