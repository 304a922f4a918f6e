from __future__ import annotations

import numpy as np
import pytest

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused
from assay.perturb.aces.date import WrongMonth, find_months
from assay.perturb.language.tools import LinguisticTools
from tests.perturb.texts import problems, reason

pytest.importorskip("babel")


def test_a_refusal_says_why() -> None:
    assert reason("date", Segment("The May cabinet met.", None, (), "de-en")) == "no month"


def test_validators_catch_bad_results() -> None:
    assert "the replacement is not a month" in problems(
        "date", Segment("Im Mai.", None, (), "en-de"), Perturbed((Change(3, 6, "Maus"),))
    )


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Sie kam im November 2017.", "de", [11]),
        ("On 5 May 2018 Theresa May spoke.", "en", [5]),
        ("He may march in August.", "en", [8]),
        ("29 сентября 1918 года", "ru", [9]),
        ("1918年10月4日", "zh", [10]),
        ("2018年11月に1か月", "ja", [11]),
        ("Vào tháng 11 năm 2017", "vi", [11]),
        ("W dniu 30 września", "pl", [9]),
        ("une quinzaine d’octobre", "fr", [10]),
    ],
)
def test_months_are_found(text: str, language: str, expected: list[int]) -> None:
    assert [month.number for month in find_months(text, language)] == expected


def test_a_month_is_abbreviated_in_the_good_and_wrong_in_the_incorrect() -> None:
    segment = Segment("Ils viennent en octobre.", "They come in October.", (), "en-fr")
    made = WrongMonth().perturb(segment, "fr", np.random.default_rng(0), LinguisticTools())
    assert isinstance(made, Perturbed)
    assert made.good == "Ils viennent en oct." and made.incorrect(segment) in (
        "Ils viennent en avril.",
        "Ils viennent en août.",
    )
    other = Segment("Sie kommt im Mai.", "She comes in June.", (), "en-de")
    made = WrongMonth().perturb(other, "de", np.random.default_rng(0), LinguisticTools())
    assert made == Refused("the month is not in the reference or source")
