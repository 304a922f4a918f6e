"""Loops and doubled words."""

from __future__ import annotations

import pytest

from tests.linting.checks import marked, run_check


@pytest.mark.parametrize(
    ("translation", "wrong"),
    [
        ("Das Wetter war schön schön schön schön und warm.", "schön schön schön schön"),
        ("Das ist ein ein Fehler im im Text von gestern.", "ein ein"),
        (
            "Wir gehen nach Hause, wir gehen nach Hause, wir gehen nach Hause.",
            "Wir gehen nach Hause, wir gehen nach Hause, wir gehen nach Hause",
        ),
        ("abcabcabcabcabcabc und noch viel mehr Text", "abcabcabcabcabcabc"),
    ],
)
def test_loops(translation: str, wrong: str) -> None:
    assert wrong in marked("repetition", "The weather was nice and warm.", translation)


@pytest.mark.parametrize(
    ("langpair", "source", "translation"),
    [
        ("en-de", "The ones that they had.", "Die, die die Leute hatten."),
        ("de-en", "Er hatte es gehabt.", "He had had it."),
        ("en-fr", "We see each other.", "Nous nous voyons."),
        ("en-de", "No, no, no!", "Nein, nein, nein!"),
        ("en-tr", "slowly", "yavaş yavaş"),
        ("en-de", "Baden Baden is nice nice.", "Baden Baden ist schön schön."),
        ("en-zh", "Look at it.", "看看它。"),
    ],
)
def test_what_sentences_may_repeat(langpair: str, source: str, translation: str) -> None:
    assert run_check("repetition", source, translation, langpair) == []
