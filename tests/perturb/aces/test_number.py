from __future__ import annotations

import numpy as np
import pytest

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused
from assay.perturb.aces.number import NumberLevel1
from assay.perturb.language.cldr import plural_form
from assay.perturb.language.numerals import find_numerals
from assay.perturb.language.tools import LinguisticTools
from tests.perturb.texts import attempt, every, problems, reason

pytest.importorskip("babel")


def test_refusals_say_why() -> None:
    cases = [
        ("number-level-1", "Kein Zähler hier.", "en-de", "no number"),
        ("number-level-1", "Der A320 flog 3:1 um 10:30.", "en-de", "no number"),
        ("number-level-2", "Es sind 12 Leute.", "en-de", "no reference"),
    ]
    said = {case: reason(case[0], Segment(case[1], None, (), case[2])) for case in cases}
    assert said == {case: case[3] for case in cases}


def test_validators_catch_bad_results() -> None:
    assert "the number is unchanged or was removed" in problems(
        "number-level-1", Segment("Es sind 12.", None, (), "en-de"), Perturbed((Change(8, 10, "12"),))
    )
    assert "the replaced text is not a number" in problems(
        "number-level-1", Segment("Es sind 12.", None, (), "en-de"), Perturbed((Change(3, 7, "77"),))
    )


def test_a_burmese_tone_mark_is_no_digit() -> None:
    # U+1094 is a Shan digit by Unicode and a tone mark of the older Burmese fonts.
    assert attempt("number-level-1", "ေန\u1094တြင္ ေရာက္သည္။", language="my") == "refused: no number"
    assert attempt("number-level-1", "ေန \u1094 ေရာက္သည္။", language="my") == "refused: no number"
    for text in every("number-level-1", "၂၀၁၇ ခုႏွစ္ ေန\u1094တြင္", language="my"):
        assert text.endswith("ေန\u1094တြင္") and not text.startswith("၂၀၁၇")


@pytest.mark.parametrize(
    ("text", "language"),
    [("Он купил 3 книги.", "ru"), ("Było 25 osób.", "pl"), ("She is 21 years old.", "en"), ("على بعد 15 خنزيرًا", "ar")],
)
def test_a_wrong_number_keeps_the_plural_form(text: str, language: str) -> None:
    old = find_numerals(text, language)[0].value
    for seed in range(40):
        segment = Segment(text)
        made = NumberLevel1().perturb(segment, language, np.random.default_rng(seed), LinguisticTools())
        assert isinstance(made, Perturbed)
        (new,) = find_numerals(made.incorrect(segment), language)
        assert new.value != old and plural_form(language, new.value) == plural_form(language, old)


def test_ordinals_days_hours_and_articles_stay_plausible() -> None:
    tools = LinguisticTools()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        day = NumberLevel1().perturb(Segment("On the 21st of May"), "en", rng, tools)
        assert isinstance(day, Perturbed) and int(day.meta["new"][:-2]) <= 28
        ending = {1: "st", 2: "nd", 3: "rd"}
        number = int(day.meta["new"][:-2])
        assert day.meta["new"].endswith("th" if 10 < number < 14 else ending.get(number % 10, "th"))
        age = NumberLevel1().perturb(Segment("Alice is an 18 year old."), "en", rng, tools)
        assert isinstance(age, Refused) or age.meta["new"][0] == "8" or age.meta["new"] in ("11", "18")
        year = NumberLevel1().perturb(Segment("Es war 1999 soweit."), "de", rng, tools)
        assert isinstance(year, Perturbed) and 1909 <= int(year.meta["new"]) <= 2024
