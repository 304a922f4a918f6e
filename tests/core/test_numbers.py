from __future__ import annotations

import math
from decimal import Decimal

import pytest

from assay.core.numbers import to_number, to_whole


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        ("-0.5", -0.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("+1e-3", 0.001),
        ("2E2", 200.0),
        (" 1 ", 1.0),
        ("1e999", math.inf),
    ],
)
def test_ascii_decimal_notation_is_a_number(text: str, value: float) -> None:
    assert to_number(text) == value


@pytest.mark.parametrize("text", ["1_000", "１２", "٣", "1,5", "0x10", "", "one", "--1", "1e", "½"])
def test_anything_else_is_none(text: str) -> None:
    assert to_number(text) is None


def test_values_of_json_and_of_frames() -> None:
    assert (to_number(3), to_number(2.5), to_number(Decimal("0.25"))) == (3.0, 2.5, 0.25)
    assert math.isnan(to_number("nan") or 0.0)
    assert [to_number(value) for value in (True, None, [1], {}, 10**400)] == [None] * 5


def test_whole_numbers() -> None:
    assert [to_whole(value) for value in (7, "7", " -7 ", 7.0)] == [7, 7, -7, 7]
    assert [to_whole(value) for value in (7.5, "7.5", "７", "1_0", "", True, None, math.inf, "9" * 400)] == [None] * 9
