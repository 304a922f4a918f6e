from __future__ import annotations

from assay.perturb.language.alignment import WordAlignment
from tests.perturb.texts import tools


def test_a_source_without_words_has_no_pairs() -> None:
    known = WordAlignment([("das Haus", "the house")] * 3, "de", "en", tools())
    assert known.pairs("", [], "the house", known.words("the house", 1)) == []
    found = known.pairs("Haus", known.words("Haus", 0), "house", known.words("house", 1))
    assert [(mine, other) for mine, other, _ in found] == [((0, 5), (0, 4))]
