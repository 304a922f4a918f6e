"""Perturbations that change a number: ACES section 5.3.2 (levels 1 to 3) and SMAUG's swapped number.

Either a digit is added, removed or replaced, or the whole number is replaced with one of similar size. The plural form of the
noun (by CLDR rules) remains correct. So do the ranges of days, hours, years and percentages, English ordinal endings, and the
article.
"""

from __future__ import annotations

import re

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.perturb.aces.levels import LevelRule, level_texts
from assay.perturb.cards import variant
from assay.perturb.language.cldr import months, plural_form
from assay.perturb.language.numerals import Numeral, find_numerals, format_number
from assay.perturb.language.texts import pick, shuffle

_ORDINAL = re.compile(r"\d+(st|nd|rd|th)\b")
_HOUR = re.compile(
    r"\s?(?:Uhr|heures?|h\b|時|点|點|시\b|[ap]\.?m\b|o'clock|часов|часа|giờ|godz|hodin|နာရီ)", re.IGNORECASE
)
_HOUR_BEFORE = re.compile(
    r"(?:(?:saa|ore|às|las|kello|klo|godz\.|saat|o|at|by|um|gegen|à|в|à les|alle|lúc|til) )$", re.I
)
_PERCENT = re.compile(r"\s?(?:%|٪|percent|per cent|Prozent|pour cent|por ciento|per cento|por cento|процент|percento)")
_CENTURY = re.compile(
    r"(?:st|nd|rd|th|\.|-?е|-?го|º)?[\s-]?(?:centur|Jahrhundert|siècle|siglo|sécul|secol|век|wiek|stolet|世紀|世纪|세기|yüzyıl|vuosisa)"
)
_MONTH_NUMBER = re.compile(r"\s?(?:月(?!間)|월)")
_DAY_NUMBER = re.compile(r"\s?(?:日(?!間)|号|일(?!간)|ရက[်္])")
_MINUTE = re.compile(r"\s?မိနစ")
_AGE_BEFORE = re.compile(r"အသက[်္]\s?$")
_RANGE_AFTER = re.compile(r"\s?[^\d\s]{1,8}\s?(?:မွ|မှ)\s?\d")
_RANGE_BEFORE = re.compile(r"\d\s?[^\d\s]{0,8}\s?(?:မွ|မှ)\s?$")
"""Patterns for Burmese: minutes, ages, and number ranges."""
_AN = re.compile(r"(?:8\d*|11|18)(?!\d)|8\d\d(?!\d)")


def find_changeable_numbers(text: str, language: str) -> list[Numeral]:
    """Return the numbers that may be changed: not 0 and not the number of a month."""
    names = "|".join(sorted({re.escape(name.split()[0]) for name in _month_names(language)}, key=len, reverse=True))
    vietnamese = re.compile(r"(?:tháng|thg) $", re.IGNORECASE)
    candidates_found = []
    for numeral in [*find_numerals(text, language), *(_ordinals(text) if language == "en" else [])]:
        after, before = text[numeral.end :], text[: numeral.start]
        if numeral.value == 0 or _MONTH_NUMBER.match(after) or vietnamese.search(before):
            continue
        if language == "my" and (_RANGE_AFTER.match(after) or _RANGE_BEFORE.search(before)):
            continue
        if names and len(numeral.digits) > 2 and not numeral.is_year and re.search(rf"(?:{names})\.? $", before):
            continue
        candidates_found.append(numeral)
    return sorted(candidates_found, key=lambda numeral: numeral.start)


def find_replacement(numeral: Numeral, text: str, language: str, rng: Rng, whole: bool) -> str | None:
    """Return a wrong number to use instead of this one, or None if none fits."""
    low, high = _limits(numeral, text, language)
    values = _whole_values(numeral, low, high, rng) if whole else _digit_values(numeral, rng)
    ordinal = _ORDINAL.match(text, numeral.start) if language == "en" else None
    for value in values:
        if not low <= value <= high or value == numeral.value:
            continue
        if plural_form(language, value, numeral.decimals) != plural_form(language, numeral.value, numeral.decimals):
            continue
        new = format_number(value, numeral.decimals, numeral)
        if not ordinal and _article_clash(text, numeral, new, language):
            continue
        if ordinal:
            new = new.removesuffix(ordinal[1]) + _ordinal_ending(int(value))
        return new
    return None


class WrongNumber(LevelRule):
    """Perturbation that changes one number in the text of the level (see `levels`)."""

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Change one random number, by a digit or as a whole."""
        texts = level_texts(segment, self.level)
        if isinstance(texts, Refused):
            return texts
        base, other = texts
        changeable = find_changeable_numbers(base, language)
        if not changeable:
            return Refused("no number")
        if other is not None:
            shared = {numeral.digits for numeral in find_numerals(other, language)}
            changeable = [numeral for numeral in changeable if numeral.digits in shared]
            if not changeable:
                return Refused("no number that translation and reference share")
        for numeral in shuffle(changeable, rng):
            for replace_whole in (True,) if self.whole_only else shuffle((True, False), rng):
                new = find_replacement(numeral, base, language, rng, replace_whole)
                if new is not None:
                    end = numeral.end + (2 if language == "en" and _ORDINAL.match(base, numeral.start) else 0)
                    old = base[numeral.start : end]
                    meta = {"old": old, "new": new, "edit": "whole" if replace_whole else "digit"}
                    change = Change(numeral.start, end, new)
                    return Perturbed((change,), f"{old} -> {new}", meta, base=base if other is not None else None)
        return Refused("no plausible other number")

    def replacement_problems(self, old: str, new: str) -> list[str]:
        """Check that a number became another number."""
        before, after = ("".join(filter(str.isdigit, text)) for text in (old, new))
        problems = []
        if not before:
            problems.append("the replaced text is not a number")
        if not after or after == before:
            problems.append("the number is unchanged or was removed")
        return problems


NumberLevel1 = variant(WrongNumber, "number-level-1", level=1)
NumberLevel2 = variant(WrongNumber, "number-level-2", level=2)
NumberLevel3 = variant(WrongNumber, "number-level-3", level=3)
NumberSwapped = variant(WrongNumber, "number-swapped", whole_only=True)


def _month_names(language: str) -> set[str]:
    forms = months(language)
    return {name.removeprefix("de ").removeprefix("d’") for form in forms for name in forms[form].values()}


def _ordinals(text: str) -> list[Numeral]:
    return [
        Numeral(match.start(), match.start(1), text[match.start() : match.start(1)], float(number), 0, "", ".")
        for match in _ORDINAL.finditer(text)
        if len(number := text[match.start() : match.start(1)]) < 4
        and not (match.start() and (text[match.start() - 1].isalnum() or text[match.start() - 1] in ".,-–"))
    ]


def _ordinal_ending(value: int) -> str:
    if value % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")


def _limits(numeral: Numeral, text: str, language: str) -> tuple[float, float]:
    """Return the smallest and the largest plausible value, based on the text around the number."""
    before, after = text[: numeral.start], text[numeral.end :]
    if language == "my":
        before, after = before.removesuffix("("), after.removeprefix(")")
    if numeral.is_year:
        return max(1000, numeral.value - 90), max(numeral.value, min(2024, numeral.value + 60))
    is_integer = not numeral.decimals and numeral.value == int(numeral.value)
    if is_integer and numeral.value <= 31 and _is_day(before, after, language):
        return 1, 28
    if is_integer and numeral.value <= 24 and (_HOUR.match(after) or _HOUR_BEFORE.search(before)):
        return (1, 12) if numeral.value <= 12 else (13, 23)
    if is_integer and numeral.value < 60 and _MINUTE.match(after):
        return 1, 59
    if is_integer and numeral.value < 100 and _AGE_BEFORE.search(before):
        return 2, 95
    if is_integer and numeral.value <= 21 and _CENTURY.match(after):
        return 2, 20
    if numeral.decimals and numeral.value < 10:
        return 10.0**-numeral.decimals, 9.9
    if numeral.value <= 100 and _PERCENT.match(after):
        return 10.0**-numeral.decimals, 99
    return 10.0**-numeral.decimals, float("inf")


def _is_day(before: str, after: str, language: str) -> bool:
    if _DAY_NUMBER.match(after) or re.search(r"(?:ngày|mùng) $", before):
        return True
    names = "|".join(re.escape(name) for name in sorted(_month_names(language), key=len, reverse=True))
    near_after = re.match(rf"(?:st|nd|rd|th|\.|º|er)? ?(?:of |de |d['’]|di |do )?(?:{names})", after, re.IGNORECASE)
    return bool(near_after or re.search(rf"(?:{names})\.?,? (?:the )?$", before, re.IGNORECASE))


def _article_clash(text: str, numeral: Numeral, new: str, language: str) -> bool:
    """Return whether the preceding word depends on the sound of the number: *an 18-year-old*, *l'11 maggio*."""
    before = text[: numeral.start]
    if language == "en" and (article := re.search(r"\b(an?) $", before, re.IGNORECASE)):
        return (article[1].lower() == "an") != bool(_AN.match(new))
    return before[-1:] in ("'", "’") or (language == "it" and bool(re.search(r"\b(?:il|al|del|dal|nel|sul) $", before)))


def _whole_values(numeral: Numeral, low: float, high: float, rng: Rng) -> list[float]:
    """Return twenty numbers between half and double the value (close to it for years), with the same trailing zeros."""
    if numeral.is_year:
        return [numeral.value + float(shift) for shift in rng.integers(-40, 41, 20)]
    bottom, top = max(low, numeral.value * 0.4), min(high, max(numeral.value * 2.2, 9))
    zeros = len(numeral.digits) - len(numeral.digits.rstrip("0")) if not numeral.decimals else -numeral.decimals
    return [round(float(value) / 10**zeros) * 10.0**zeros for value in rng.uniform(bottom, top, 20)]


def _digit_values(numeral: Numeral, rng: Rng) -> list[float]:
    """Return values with one digit replaced; for numbers of three or more digits, also with one added or removed."""
    digits = numeral.digits
    options: set[str] = set()
    for at in range(len(digits)):
        options.update(digits[:at] + new + digits[at + 1 :] for new in "0123456789")
        if len(digits) >= 3 and not numeral.is_year and not numeral.decimals:
            options.add(digits[:at] + digits[at + 1 :])
            options.update(digits[:at] + new + digits[at:] for new in "123456789")
    options.discard(digits)
    valid = sorted(text for text in options if text and text[0] != "0")
    return [int(text) / 10**numeral.decimals for text in (pick(valid, rng) for _ in range(12) if valid)]
