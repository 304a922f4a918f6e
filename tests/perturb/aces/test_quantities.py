"""Numbers, months and units in several languages; conversions against pint."""

from __future__ import annotations

import numpy as np
import pytest

from assay.core.batch import Segment
from assay.core.perturbation import Perturbed, Refused

pytest.importorskip("babel")

from assay.perturb.aces.conversions import PERMITTED, convert, find_quantities
from assay.perturb.aces.date import WrongMonth, find_months
from assay.perturb.aces.number import NumberLevel1
from assay.perturb.aces.unit import AmountKept, UnitKept
from assay.perturb.language.cldr import months, plural_form
from assay.perturb.language.numerals import numerals, written
from assay.perturb.language.tools import LinguisticTools

PINT = {
    "length-mile": "mile",
    "length-kilometer": "kilometer",
    "length-meter": "meter",
    "length-yard": "yard",
    "length-foot": "foot",
    "length-inch": "inch",
    "length-centimeter": "centimeter",
    "length-millimeter": "millimeter",
    "speed-mile-per-hour": "mile/hour",
    "speed-kilometer-per-hour": "kilometer/hour",
    "speed-kilometer-per-second": "kilometer/second",
    "speed-mile-per-second": "mile/second",
    "duration-month": "month",
    "duration-week": "week",
    "duration-day": "day",
    "duration-hour": "hour",
    "duration-minute": "minute",
    "duration-second": "second",
    "volume-barrel": "oil_barrel",
    "volume-gallon": "gallon",
    "volume-liter": "liter",
    "mass-kilogram": "kilogram",
    "mass-gram": "gram",
    "mass-pound": "pound",
    "mass-ounce": "ounce",
}


def test_conversions_agree_with_pint() -> None:
    pint = pytest.importorskip("pint")
    registry = pint.UnitRegistry()
    for unit, others in PERMITTED.items():
        for other in others:
            expected = registry.Quantity(7.5, PINT[unit]).to(PINT[other]).magnitude
            assert convert(7.5, unit, other) == pytest.approx(expected, rel=1e-9), (unit, other)


@pytest.mark.parametrize(
    ("text", "language", "values"),
    [
        ("plus de 820 000 personnes et 3,5 %", "fr", [820000, 3.5]),
        ("1.234,5 und 1.234", "de", [1234.5, 1234]),
        ("1,234.5 and 12,300,500", "en", [1234.5, 12300500]),
        ("वर्ष २०१८ में", "hi", [2018]),
        ("共有1,200人，2018年", "zh", [1200, 2018]),
        ("A320, 5G, 3-1, 10:30, 2018'de, 007, 1.234", "en", []),
    ],
)
def test_numbers_are_read_by_the_language(text: str, language: str, values: list[float]) -> None:
    assert [numeral.value for numeral in numerals(text, language)] == values


def test_numbers_are_written_as_they_were() -> None:
    (german,) = numerals("1.234,5", "de")
    assert written(98765.4, 1, german) == "98.765,4"
    (hindi,) = numerals("२०१८", "hi")
    assert written(1999, 0, hindi) == "१९९९"


@pytest.mark.parametrize(
    ("text", "language"),
    [("Он купил 3 книги.", "ru"), ("Było 25 osób.", "pl"), ("She is 21 years old.", "en"), ("على بعد 15 خنزيرًا", "ar")],
)
def test_a_wrong_number_keeps_the_plural_form(text: str, language: str) -> None:
    old = numerals(text, language)[0].value
    for seed in range(40):
        segment = Segment(text)
        made = NumberLevel1().perturb(segment, language, np.random.default_rng(seed), LinguisticTools())
        assert isinstance(made, Perturbed)
        (new,) = numerals(made.incorrect(segment), language)
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


def test_months_do_not_leak_between_languages() -> None:
    """Babel's Locale hands French the stand-alone names of the language asked for before."""
    months("zh")
    assert "stand-alone-wide" not in months("fr") and months("fr")["format-wide"][1] == "janvier"


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


def test_an_oblique_case_is_not_taken_for_a_nominative() -> None:
    assert find_quantities("около 4 часов", "ru") == [] and len(find_quantities("4 часа", "ru")) == 1
