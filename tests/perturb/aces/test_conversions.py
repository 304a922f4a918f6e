from __future__ import annotations

import pytest

from assay.perturb.aces.conversions import PERMITTED, convert, find_quantities

pytest.importorskip("babel")


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


def test_an_oblique_case_is_not_taken_for_a_nominative() -> None:
    assert find_quantities("около 4 часов", "ru") == [] and len(find_quantities("4 часа", "ru")) == 1
