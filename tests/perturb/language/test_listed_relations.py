from __future__ import annotations

from assay.perturb.language.listed_relations import (
    CLASS_OF,
    DISTRACTORS,
    ENTAILED,
    KINDS,
    OPPOSITES,
    SURE_OPPOSITES,
    SYNONYM_ANTONYM,
)


def test_what_the_lists_say() -> None:
    assert (CLASS_OF["truck"], CLASS_OF["bus"]) == ("vehicle", "vehicle")
    assert DISTRACTORS["bus"] == ("motorcycle", "tractor", "ambulance") and "bus" in DISTRACTORS["truck"]
    assert KINDS["bear"] == ("grizzly",)
    assert SYNONYM_ANTONYM["buy"] == ("purchase", "sell") and ENTAILED["murder"] == ("kill", "rescue")
    assert OPPOSITES["VERB"]["say"] == "deny" and SURE_OPPOSITES["NOUN"]["victory"] == "defeat"
    assert set(OPPOSITES) == {"VERB", "NOUN", "ADJ", "ADV"} and set(SURE_OPPOSITES) == {"NOUN", "ADJ", "ADV"}


def test_no_word_is_its_own_opposite() -> None:
    for lists in (OPPOSITES, SURE_OPPOSITES):
        assert not [word for pairs in lists.values() for word, opposite in pairs.items() if word == opposite]
    for verbs in (SYNONYM_ANTONYM, ENTAILED):
        assert not [verb for verb, (right, wrong) in verbs.items() if len({verb, right, wrong}) < 3]
    assert not [member for member, others in DISTRACTORS.items() if member in others or CLASS_OF[member] == member]
