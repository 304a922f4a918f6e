from __future__ import annotations

from tests.perturb.texts import every


def test_an_added_word_is_one_word() -> None:
    for text in every("added-word", "The reform of notaries would generate a claim."):
        assert len(text.split()) == 9
