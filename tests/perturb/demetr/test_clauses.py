from __future__ import annotations

from tests.perturb.texts import attempt, unexpected


def test_sentences_worked_out_by_hand() -> None:
    cases = [
        ("negation", "The committee recommended the plan.", {"The committee did not recommend the plan."}),
        ("negation", "The film was good.", {"The film was not good."}),
        ("negation", "She does not live here.", {"She lives here."}),
        ("negation", "We can't wait.", {"We can wait."}),
        ("negation", "Read the manual first.", {"Do not read the manual first."}),
        ("interrogative", "This is the tenth time.", {"Is this the tenth time?"}),
        ("interrogative", "Later, the reports said so.", {"Later, did the reports say so?"}),
        ("interrogative", "Mary doesn't smoke.", {"Doesn't Mary smoke?"}),
        ("negation", "She hopes so.", {"She does not hope so."}),
        ("interrogative", "He rated the film.", {"Did he rate the film?"}),
        ("negation", "He rated the film.", {"He did not rate the film."}),
    ]
    assert unexpected(cases) == []


def test_a_denial_is_not_denied_again() -> None:
    assert attempt("negation", '"Today, there is neither."').startswith("refused")
    assert attempt("negation", "Bars are no longer living rooms.").startswith("refused")


def test_capitals_of_an_abbreviation_stay_in_a_question() -> None:
    assert attempt("interrogative", "AMs are worried.") == "Are AMs worried?"
