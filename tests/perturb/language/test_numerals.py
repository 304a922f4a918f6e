from __future__ import annotations

import pytest

from assay.perturb.language.numerals import find_numerals, format_number

pytest.importorskip("babel")


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
    assert [numeral.value for numeral in find_numerals(text, language)] == values


def test_numbers_are_written_as_they_were() -> None:
    (german,) = find_numerals("1.234,5", "de")
    assert format_number(98765.4, 1, german) == "98.765,4"
    (hindi,) = find_numerals("२०१८", "hi")
    assert format_number(1999, 0, hindi) == "१९९९"
