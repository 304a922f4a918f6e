from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed
from tests.perturb.texts import incorrect, problems, reason


def test_one_answer() -> None:
    cases = [
        ("copy-source", "Guten Tag.", "Good day.", "en-de", "Good day."),
        (
            "do-not-translate",
            "Das sagte Sky News heute.",
            "Sky News said so.",
            "en-de",
            "Das sagte Himmel-Nachrichten heute.",
        ),
    ]
    made = {case: incorrect(case[0], Segment(case[1], case[2], (), case[3])) for case in cases}
    assert made == {case: case[4] for case in cases}


def test_a_refusal_says_why() -> None:
    assert reason("copy-source", Segment("Nichts.", None, (), "en-de")) == "no source"


def test_validators_catch_bad_results() -> None:
    assert "the text is not the source" in problems(
        "copy-source", Segment("Ja.", "Yes.", (), "en-de"), Perturbed((Change(0, 3, "No."),))
    )


def test_a_word_of_the_columns() -> None:
    word = {"source_word": "claws", "target_word": "Krallen"}
    untranslated = Segment("Er hat Krallen.", "He has claws.", ("Krallen hat er.",), "en-de", meta=word)
    assert incorrect("untranslated-versus-reference", untranslated) == "Er hat claws."
