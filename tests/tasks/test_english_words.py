from __future__ import annotations

import pytest

from assay.tasks.english_words import normalise_words, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Washington, D.C.!", ["washington", "dc"]),
        ("the twenty-seventh of August", ["the", "27", "of", "august"]),
        ("the 27th, twentieth and twenty first", ["the", "27", "20", "and", "21"]),
        ("twenty ten-minute walks", ["20", "10", "minute", "walks"]),
        ("at 17:30: what’s 'left'", ["at", "17:30", "what's", "left"]),
        ("five o'clock p.m.", ["5", "o'clock", "pm"]),
        ("… — ?", []),
    ],
)  # fmt: skip
def test_words(text: str, words: list[str]) -> None:
    assert [word for word, _ in normalise_words(split_words(text))] == words


def test_positions_are_those_of_the_first_word() -> None:
    assert normalise_words(["on", ",", "thirty", "first", "may"]) == [("on", 0), ("31", 2), ("may", 4)]
