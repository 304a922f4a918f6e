from __future__ import annotations

from tests.perturb.texts import unexpected


def test_sentences_worked_out_by_hand() -> None:
    cases = [
        ("repeat-twice", "They are duty free.", {"They are duty free free."}),
        (
            "repeat-four-times",
            'the Korean "peninsula."',
            {'the Korean "peninsula peninsula peninsula peninsula."'},
        ),
        ("repeat-twice", "She lives in the U.S.", {"She lives in the U.S. U.S."}),
        ("repeat-twice", "It rose by 5%!", {"It rose by 5% 5%!"}),
        ("word-swap", "Dogs bark.", {"Bark dogs."}),
    ]
    assert unexpected(cases) == []
