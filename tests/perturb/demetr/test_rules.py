from __future__ import annotations

import pytest

from assay.core.perturbation import Perturbed
from assay.perturb.demetr.rules import find_untidiness, indefinite_article, remove_span
from tests.perturb.texts import attempt


@pytest.mark.parametrize("spec", ["hypernym", "negation", "omitted-noun", "word-swap", "interrogative", "omitted-name"])
@pytest.mark.parametrize("text", ["Yes", "!", "…", "42"])
def test_one_word_is_refused(spec: str, text: str) -> None:
    assert attempt(spec, text).startswith("refused: ")


def test_articles() -> None:
    an = ["apple", "hour", "8", "11", "18", "umbrella", "honor", "heir"]
    a = ["one", "once", "European", "university", "use", "house", "110"]
    assert [word for word in an if indefinite_article(word) != "an"] == []
    assert [word for word in a if indefinite_article(word) != "a"] == []


def test_what_is_removed_leaves_no_double_space_and_a_capital() -> None:
    cases = [
        ("The old dog barked.", 4, 7, "The dog barked."),
        ("Old dogs bark.", 0, 3, "Dogs bark."),
        ("He left, too.", 7, 12, "He left."),
        ('"Now it rains."', 1, 4, '"It rains."'),
    ]
    made = [Perturbed((remove_span(text, start, end),)).apply(text) for text, start, end, _ in cases]
    assert made == [expected for *_, expected in cases]


def test_stray_signs_are_seen() -> None:
    assert find_untidiness("It is so.", "It  is so.") == ["stray space or sign '  '"]
    assert find_untidiness("It , is so.", "It , is.") == []
