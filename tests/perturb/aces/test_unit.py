from __future__ import annotations

import numpy as np
import pytest

from assay.core.batch import Segment
from assay.core.perturbation import Perturbed, Refused
from assay.perturb.aces.unit import AmountKept, UnitKept
from assay.perturb.language.tools import LinguisticTools
from tests.perturb.texts import reason

pytest.importorskip("babel")


def test_a_refusal_says_why() -> None:
    assert reason("unit-amount-matches-reference", Segment("Er lief.", None, (), "en-de")) == "no amount with a unit"


@pytest.mark.parametrize(
    ("text", "language", "good", "amount_kept", "unit_kept"),
    [
        (
            "A 12 miles per hour wind.",
            "en",
            "19.3 kilometers per hour",
            "12 kilometers per hour",
            "19.3 miles per hour",
        ),
        ("Es dauerte 48 Stunden.", "de", "2880 Minuten", "48 Minuten", "2880 Stunden"),
        ("Volvió en 3 semanas.", "es", "21 días", "3 días", "21 semanas"),
        ("Это заняло 37 минут.", "ru", "2220 секунд", "37 секунд", "2220 минут"),
        ("Elle pèse 40 grammes.", "fr", "1,4 once", "40 onces", "1,4 gramme"),
        ("持续了3天。", "zh", "72小时", "3小时", "72天"),
    ],
)
def test_units(text: str, language: str, good: str, amount_kept: str, unit_kept: str) -> None:
    segment = Segment(text, text, (), f"xx-{language}")
    for perturbation, wrong in ((AmountKept(), amount_kept), (UnitKept(), unit_kept)):
        made = perturbation.perturb(segment, language, np.random.default_rng(0), LinguisticTools())
        assert isinstance(made, Perturbed), made
        assert perturbation.problems(segment, made, language, LinguisticTools()) == []
        assert good in (made.good or "") and wrong in made.incorrect(segment)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("645 miles (1040 km) away", "en"),
        ("between 10 and 15 inches", "en"),
        ("born May 30, 2005 in Xining", "en"),
        ("В 6 часов утра", "ru"),
        ("vers 18 h 30", "fr"),
        ("In „60 Minuten“ sagte er", "de"),
        ("mit 19 Kilometern pro Stunde", "de"),
        ("10月1日に", "ja"),
    ],
)
def test_what_is_no_lone_amount_is_refused(text: str, language: str) -> None:
    made = AmountKept().perturb(Segment(text), language, np.random.default_rng(0), LinguisticTools())
    assert isinstance(made, Refused), made
