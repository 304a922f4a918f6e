"""Checks of numbers, dates, weekdays and months, which must agree between source and translation.

A finding needs evidence on both sides: a number of the translation that is not in the source, and one of the source that is not in
the translation. A number that is only missing, or only added, is too often right (a dozen, twice, last year).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from assay.linting.calendar import Date, Named, dates, named
from assay.linting.finding import Description, Finding, Texts
from assay.linting.number_reading import NumberInText, numbers_in

NUMBERS = Description("numbers", "a number differs from the source", "Accuracy/Mistranslation")
DATES = Description("dates", "a date, weekday or month differs from the source", "Accuracy/Mistranslation")
MOST_PAIRS = 200_000
"""Maximum number of pairs; larger tables of numbers are not compared."""
LEAST_SPELLED = 3
"""Smaller number words (one, two, both, first) have too many other uses."""
SPELLED_LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "pl", "cs", "ru", "uk", "hi")
"""Languages whose number words are certain enough for a finding; in others they only show that a number is right."""
UNITS = re.compile(
    r"(?:\s?(?:to|or|and|-|–)\s?\d[\d.,]*)?\s?-?(?:(?:square |cubic )?(?:miles?|mi|feet|foot|ft|inch(?:es)?|yards?|yd|pounds?|lbs?|"
    r"ounces?|oz|gallons?|acres?|mph|degrees?|fahrenheit|stones?|pints?)(?!\w)|°\s?F\b|['\"′″](?!\w))",
    re.I,
)
CONVERSIONS = (1.609, 25.4, 2.54, 3.281, 30.48, 12.0, 2.205, 28.35, 3.785, 2.471, 1.094, 6.35, 14.0, 2.113, 10.764, 1.2)
"""Ratios of imperial to metric units; 1.2 is a foot in the last digit of rounded miles."""
TOLERANCE = 0.12


def check_numbers(texts: Texts) -> Iterator[Finding]:
    """Find numbers in the translation that replace a different number in the source."""
    if not _has_number(texts.translation):
        return
    ours, theirs = numbers_in(texts.translation, texts.target_language), numbers_in(texts.source, texts.source_language)
    if not ours or not theirs or len(ours) * len(theirs) > MOST_PAIRS or _same_digits(ours, theirs):
        return
    wrong, lost, least = _without_counterpart(texts, ours, theirs)
    wrong = [q for q in wrong if _certain(q, texts.target_language, least)]
    lost = [q for q in lost if _certain(q, texts.source_language, least)]
    if any(_converted(one, other, texts) for one in wrong for other in lost):
        return
    for ours_q, theirs_q in zip(wrong, lost, strict=False):
        ours_text = texts.translation[ours_q.start : ours_q.end]
        theirs_text = texts.source[theirs_q.start : theirs_q.end]
        yield Finding(
            "numbers", ours_q.start, ours_q.end, f"{theirs_text} in the source, {ours_text} in the translation",
            NUMBERS.category, "major", theirs_q.start, theirs_q.end,
        )  # fmt: skip


def _without_counterpart(
    texts: Texts, ours: Sequence[NumberInText], theirs: Sequence[NumberInText]
) -> tuple[list[NumberInText], list[NumberInText], int]:
    """Return the numbers of both sides that the other side lacks, and the least number word that counts."""
    our_months, their_months = (
        _months(texts.translation, texts.target_language),
        _months(texts.source, texts.source_language),
    )
    wrong = [q for q in ours if not q.values & (their_months - our_months) and not any(agree(q, t) for t in theirs)]
    lost = [q for q in theirs if not q.values & (our_months - their_months) and not any(agree(q, o) for o in ours)]
    if len(ours) == len(theirs):
        # As many numbers on both sides: each may be the counterpart of one other only.
        if not wrong and not lost:
            wrong, lost = _one_to_one(ours, theirs)
            return (wrong, lost, 2) if len(wrong) == len(lost) == 1 else ([], [], 2)
        if len(wrong) == len(lost) == 1:
            return wrong, lost, 2
    return wrong, lost, LEAST_SPELLED


def _months(text: str, language: str) -> set[float]:
    return {float(name.key[1:]) for name in named(text, language) if name.key.startswith("m")}


def _one_to_one(
    ours: Sequence[NumberInText], theirs: Sequence[NumberInText]
) -> tuple[list[NumberInText], list[NumberInText]]:
    left = list(theirs)
    wrong = []
    for number in ours:
        partner = next((other for other in left if number.values & other.values), None) or next(
            (other for other in left if agree(number, other)), None
        )
        if partner is None:
            wrong.append(number)
        else:
            left.remove(partner)
    return wrong, left


def _has_number(text: str) -> bool:
    return not text.isascii() or any(c.isdigit() for c in text) or len(text) > 2


def agree(one: NumberInText, other: NumberInText) -> bool:
    """Return whether two numbers may represent the same value."""
    if one.values & other.values:
        return True
    if set(one.parts) & set(other.parts) and (len(one.parts) > 1 or len(other.parts) > 1) and not _decimal(one, other):
        return True
    for a in one.values:
        for b in other.values:
            low, high = min(a, b), max(a, b)
            if low < 100 <= 1000 < high < 2100 and high % 100 == low:  # 1990s and 90s
                return True
            if high - low == 12 and high <= 24 and (one.clock or other.clock):  # 3 p.m. and 15 h
                return True
            if (
                one.multiplied != other.multiplied
                and low
                and high / low in (1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e12)
            ):
                return True
    return False


def _power_of_ten(ratio: float) -> bool:
    """Return whether a ratio may come from a word such as million that only one side has in a list."""
    exponent = math.log10(ratio)
    return exponent >= 2 and abs(exponent - round(exponent)) < 1e-9


def _decimal(one: NumberInText, other: NumberInText) -> bool:
    """Return whether both are single numbers with a decimal part, whose parts mean nothing alone."""
    return len(one.parts) == len(other.parts) or max(one.values) > 999


def _certain(number: NumberInText, language: str, least: int) -> bool:
    """Return whether a number without counterpart is a mistake: a plain number, no round word."""
    value = min(number.values)
    if number.written == "word":
        return language in SPELLED_LANGUAGES and value >= least and value not in (100, 1000, 10**6, 10**9)
    if number.written in ("han", "roman"):
        return least == 2 and value >= 2 and number.end - number.start > (number.written == "roman")
    return True


def _converted(ours: NumberInText, theirs: NumberInText, texts: Texts) -> bool:
    """Return whether one number may be the other in another unit of measurement."""
    tails = (texts.translation[ours.end : ours.end + 24], texts.source[theirs.end : theirs.end + 24])
    if not any(UNITS.match(tail) for tail in tails):
        return False
    for a in ours.values:
        for b in theirs.values:
            ratio = max(a, b) / max(min(a, b), 1e-9)
            if any(abs(ratio / known - 1) < TOLERANCE for known in CONVERSIONS) or _degrees(a, b) or _degrees(b, a):
                return True
    return False


def _degrees(fahrenheit: float, celsius: float) -> bool:
    return abs((fahrenheit - 32) / 1.8 - celsius) < 3


def _same_digits(ours: Sequence[NumberInText], theirs: Sequence[NumberInText]) -> bool:
    """Return whether both sides have the same digits in the same order, only grouped into other numbers (555 1234)."""
    sides = [[str(part) for number in side for part in number.parts] for side in (ours, theirs)]
    counts = [sum(bool(number.parts) for number in side) for side in (ours, theirs)]
    return counts[0] != counts[1] and "".join(sides[0]) == "".join(sides[1])


def check_dates(texts: Texts) -> Iterator[Finding]:
    """Find weekdays, months and dates that replace a different one in the source."""
    ours, theirs = named(texts.translation, texts.target_language), named(texts.source, texts.source_language)
    for kind, what in (("d", "weekday"), ("m", "month")):
        yield from _replaced(
            [n for n in ours if n.key[0] == kind], [n for n in theirs if n.key[0] == kind], texts, what
        )
    our_dates, their_dates = dates(texts.translation, texts.target_language), dates(texts.source, texts.source_language)
    wrong = [d for d in our_dates if (d.day, d.month) not in {(t.day, t.month) for t in their_dates}]
    lost = [d for d in their_dates if (d.day, d.month) not in {(o.day, o.month) for o in our_dates}]
    for ours_d, theirs_d in zip(wrong, lost, strict=False):
        # A wrong month alone was reported above, a wrong day is a wrong number.
        if (ours_d.day, ours_d.month) == (theirs_d.month, theirs_d.day):
            yield _date_finding(ours_d, theirs_d, texts)


def _replaced(ours: Sequence[Named], theirs: Sequence[Named], texts: Texts, what: str) -> Iterator[Finding]:
    wrong = [n for n in ours if n.key not in {t.key for t in theirs}]
    lost = [n for n in theirs if n.key not in {o.key for o in ours}]
    for ours_n, theirs_n in zip(wrong, lost, strict=False):
        yield Finding(
            "dates", ours_n.start, ours_n.end,
            f"another {what}: {texts.source[theirs_n.start : theirs_n.end]} in the source, "
            f"{texts.translation[ours_n.start : ours_n.end]} in the translation",
            DATES.category, "major", theirs_n.start, theirs_n.end,
        )  # fmt: skip


def _date_finding(ours: Date, theirs: Date, texts: Texts) -> Finding:
    return Finding(
        "dates", ours.start, ours.end,
        f"day and month are exchanged: {texts.source[theirs.start : theirs.end]} in the source, "
        f"{texts.translation[ours.start : ours.end]} in the translation",
        DATES.category, "major", theirs.start, theirs.end,
    )  # fmt: skip
