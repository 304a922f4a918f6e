from __future__ import annotations

import numpy as np

from assay.core.batch import Segment
from assay.core.perturbation import Refused
from assay.perturb.language.tools import LinguisticTools
from tests.perturb.texts import attempt, every, perturbation, unexpected


def test_sentences_worked_out_by_hand() -> None:
    cases = [
        ("empty", "Anything at all.", {"."}),
        ("empty:stop=no", "Anything at all.", {""}),
    ]
    assert unexpected(cases) == []


def test_the_reference_is_the_good_text() -> None:
    assert attempt("reference", "A translation.", reference="The reference.") == "A translation."
    assert attempt("reference", "Same.", reference="Same.") == "refused: the reference equals the translation"


def test_unrelated_takes_another_segment() -> None:
    assert every("unrelated", "A cat sat there.") == {
        "The committee will meet again in the spring.",
        "Heavy rain is expected along the coast tonight.",
    }


def test_unrelated_needs_another_segment() -> None:
    rule, alone = perturbation("unrelated"), LinguisticTools(())
    assert rule.perturb(Segment("A cat."), "en", np.random.default_rng(1), alone) == Refused(
        "no other segment in the corpus"
    )


def test_shuffled_keeps_the_words_and_the_end() -> None:
    for made in every("shuffled", "Virtual teams adhere to the same standards."):
        assert made.endswith(".")
        assert made[0].isupper()
        assert sorted(made.lower().strip(".").split()) == sorted(
            ["virtual", "teams", "adhere", "to", "the", "same", "standards"]
        )
