from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Perturbed
from tests.perturb.texts import attempted, reason

TEXT = "Nobody expected the factory to reopen so early yesterday."


def test_a_word_that_is_none_is_made_of_two() -> None:
    for seed in range(20):
        made = attempted("nonsense", Segment(TEXT, "x", (), "de-en"), seed)
        assert isinstance(made, Perturbed)
        old, new = made.meta["old"].lower(), made.meta["new"].lower()
        assert new != old and (new[:3] == old[:3] or new[-2:] == old[-2:])


def test_the_word_of_the_columns() -> None:
    given = {"target_word": "factory", "hallucinated": "factual"}
    segment = Segment(TEXT, "x", (TEXT,), "de-en", meta=given)
    made = attempted("hallucinated-word-versus-reference", segment)
    assert isinstance(made, Perturbed)
    assert made.incorrect(segment) == TEXT.replace("factory", "factual")


def test_a_refusal_says_why() -> None:
    assert reason("nonsense", Segment("So it is.", "x", (), "de-en")) == (
        "no word of six letters, or no other words to take parts from"
    )
