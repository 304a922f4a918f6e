from __future__ import annotations

from tests.perturb.texts import every, unexpected


def test_sentences_worked_out_by_hand() -> None:
    cases = [
        ("omitted-prepositional-phrase", "She is in custody.", {"She is."}),
        ("omitted-prepositional-phrase", "In 1989, he left.", {"He left."}),
    ]
    assert unexpected(cases) == []


def test_a_conjunction_goes_with_its_comma() -> None:
    assert every("omitted-conjunction", "However, it failed.") == {"It failed."}
