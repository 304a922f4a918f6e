"""Numbers in digits, words and numerals, by hand."""

from __future__ import annotations

import time

import pytest

from assay.linting.number_reading import digit_values, han_value, numbers_in


def values(text: str, language: str) -> list[tuple[str, list[float]]]:
    return [(text[q.start : q.end], sorted(q.values)) for q in numbers_in(text, language)]


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("1979", {1979}),
        ("1,250.50", {1250.5}),
        ("1.250,50", {1250.5}),
        ("1,250", {1.25, 1250}),
        ("12,5", {12.5}),
        ("1 250 000", {1250000}),
        ("12,34,567", {1234567}),
        ("3.5.2024", {3, 5, 2024}),
        ("1.234.567", {1234567}),
    ],
)
def test_a_number_in_digits_has_all_values_that_it_may_stand_for(token: str, expected: set[float]) -> None:
    assert digit_values(token)[0] == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "twenty-five", 25),
        ("en", "two hundred and ten", 210),
        ("en", "five million two hundred", 5000200),
        ("de", "fünfundzwanzig", 25),
        ("de", "dreitausendfünfhundert", 3500),
        ("nl", "vijfentwintig", 25),
        ("fr", "quatre-vingt-dix-sept", 97),
        ("fr", "soixante et onze", 71),
        ("it", "trentuno", 31),
        ("es", "dos mil quinientos treinta y cinco", 2535),
        ("pt", "vinte e cinco", 25),
        ("ru", "двадцать пять тысяч", 25000),
        ("pl", "dwadzieścia pięć", 25),
        ("hi", "तीन", 3),
        ("vi", "hai mươi lăm", 25),
        ("zh", "三百五十", 350),
        ("zh", "二〇二四", 2024),
    ],
)
def test_number_words(language: str, text: str, expected: float) -> None:
    assert values(text, language) == [(text, [expected])]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "3.5 million", 3_500_000),
        ("de", "1,5 Mio. Euro", 1_500_000),
        ("zh", "3.5万", 35_000),
        ("zh", "38 万", 380_000),
        ("ja", "１２万軒", 120_000),
        ("ar", "٢٥", 25),
        ("en", "the XIX century", 19),
    ],
)
def test_multipliers_and_other_digits(language: str, text: str, expected: float) -> None:
    assert [number.values for number in numbers_in(text, language)] == [frozenset({expected})]


def test_han_numerals_that_are_no_number() -> None:
    assert han_value("十万") == 100_000
    assert han_value("两百零三") == 203


def test_endless_digits_take_no_time() -> None:
    start = time.process_time()
    assert numbers_in("1" * 1_000_000, "en") == []
    numbers_in("1,"[:2] * 200_000 + "三" * 100_000, "zh")
    assert time.process_time() - start < 5
