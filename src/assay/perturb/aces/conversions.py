"""The unit conversions that ACES permits (Appendix A.2), and how every CLDR language writes those units."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from assay.perturb.language.cldr import number_signs, plural_form, unit_patterns
from assay.perturb.language.numerals import SPACES, Numeral, numerals, written
from assay.perturb.language.texts import base_language

SIZES = {
    "length-mile": ("length", 1609.344),
    "length-kilometer": ("length", 1000.0),
    "length-meter": ("length", 1.0),
    "length-yard": ("length", 0.9144),
    "length-foot": ("length", 0.3048),
    "length-inch": ("length", 0.0254),
    "length-centimeter": ("length", 0.01),
    "length-millimeter": ("length", 0.001),
    "speed-mile-per-hour": ("speed", 0.44704),
    "speed-kilometer-per-hour": ("speed", 1000 / 3600),
    "speed-kilometer-per-second": ("speed", 1000.0),
    "speed-mile-per-second": ("speed", 1609.344),
    "duration-month": ("time", 365.25 / 12 * 86400),
    "duration-week": ("time", 604800.0),
    "duration-day": ("time", 86400.0),
    "duration-hour": ("time", 3600.0),
    "duration-minute": ("time", 60.0),
    "duration-second": ("time", 1.0),
    "volume-barrel": ("volume", 158.987294928),
    "volume-gallon": ("volume", 3.785411784),
    "volume-liter": ("volume", 1.0),
    "mass-kilogram": ("mass", 1000.0),
    "mass-gram": ("mass", 1.0),
    "mass-pound": ("mass", 453.59237),
    "mass-ounce": ("mass", 28.349523125),
}
"""Quantity and size of each unit in metres, metres a second, seconds, litres and grams."""

PERMITTED: dict[str, tuple[str, ...]] = {
    "length-mile": ("length-meter",),
    "length-kilometer": ("length-mile", "length-meter"),
    "length-meter": ("length-foot", "length-yard"),
    "length-foot": ("length-meter", "length-yard"),
    "length-centimeter": ("length-inch", "length-millimeter"),
    "length-inch": ("length-centimeter", "length-millimeter"),
    "length-millimeter": ("length-centimeter", "length-inch"),
    "speed-mile-per-hour": ("speed-kilometer-per-hour",),
    "speed-kilometer-per-hour": ("speed-mile-per-hour",),
    "speed-kilometer-per-second": ("speed-mile-per-second",),
    "speed-mile-per-second": ("speed-kilometer-per-second",),
    "duration-hour": ("duration-minute",),
    "duration-minute": ("duration-second",),
    "duration-second": ("duration-minute",),
    "duration-day": ("duration-hour",),
    "duration-month": ("duration-week",),
    "duration-week": ("duration-day",),
    "volume-barrel": ("volume-gallon", "volume-liter"),
    "volume-gallon": ("volume-barrel", "volume-liter"),
    "mass-kilogram": ("mass-gram", "mass-pound"),
    "mass-gram": ("mass-ounce",),
    "mass-ounce": ("mass-gram",),
}
"""From a unit to the units it may be converted to, as Appendix A.2 lists them."""

_ENGLISH = {
    "speed-kilometer-per-second": {"one": "{0} kilometer per second", "other": "{0} kilometers per second"},
    "speed-mile-per-second": {"one": "{0} mile per second", "other": "{0} miles per second"},
}
"""Units without an entry in CLDR."""

_OWN = {
    ("ja", "duration-day"): {"other": "{0}日間"},
    ("ko", "duration-day"): {"other": "{0}일간"},
    ("ko", "duration-minute"): {"other": "{0}분간"},
    ("ko", "duration-second"): {"other": "{0}초간"},
    ("zh", "duration-hour"): {"other": "{0}小时"},
}
"""Spellings that name a length of time and never a date or hour of the clock."""

_EXTRA_SPELLINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "de": {"speed-kilometer-per-hour": ("{0} km/h", "{0} Stundenkilometer"), "length-foot": ("{0} Fuß",)},
    "en": {"speed-mile-per-hour": ("{0} mph", "{0}mph"), "speed-kilometer-per-hour": ("{0} km/h", "{0}km/h")},
    "zh": {"length-kilometer": ("{0}千米",), "duration-hour": ("{0}个小时",), "duration-month": ("{0}个月",)},
    "ja": {
        "length-kilometer": ("{0}キロメートル",),
        "duration-month": ("{0}か月", "{0}ヶ月"),
        "length-meter": ("{0}メートル",),
    },
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount with its unit, where it stands and which spelling of the unit was used."""

    start: int
    end: int
    amount: Numeral
    unit: str
    length: str


def find_quantities(text: str, language: str) -> list[Quantity]:
    """Amounts in digits with one of the permitted units, in the spellings of CLDR and British English."""
    amounts = {(numeral.start, numeral.end): numeral for numeral in numerals(text, language)}
    found = []
    for unit, length, pattern in _patterns(base_language(language)):
        for match in pattern.finditer(text):
            numeral = amounts.get(match.span("amount"))
            if numeral is not None and numeral.value > 0 and _form_fits(match, numeral, unit, length, language):
                found.append(Quantity(match.start(), match.end(), numeral, unit, length))
    best: dict[int, Quantity] = {}
    for quantity in sorted(found, key=lambda quantity: (quantity.start - quantity.end, quantity.length)):
        best.setdefault(quantity.amount.start, quantity)
    return sorted(best.values(), key=lambda quantity: quantity.start)


def _form_fits(match: re.Match[str], numeral: Numeral, unit: str, length: str, language: str) -> bool:
    """Where a language has more than two plural forms, the noun stands in the one for this number: no oblique case."""
    forms = _forms(base_language(language), unit)[length]
    if len(set(forms.values())) < 3:
        return True
    wanted = forms.get(plural_form(language, numeral.value, numeral.decimals), "")
    return re.sub(r"[\d.,\s]", "", match[0]) == re.sub(r"\{0\}|\s", "", wanted)


def convert(value: float, unit: str, other: str) -> float:
    """The amount in the other unit of the same quantity."""
    return value * SIZES[unit][1] / SIZES[other][1]


def rounded(value: float) -> tuple[float, int]:
    """A value as people write a conversion, with its decimals: one below a hundred where it is not whole, none above."""
    if value >= 100:
        return float(round(value)), 0
    one = round(value, 1)
    return (float(round(one)), 0) if one == round(one) else (one, 1)


def phrase(
    value: float, decimals: int, unit: str, length: str, like: Numeral, language: str, british: bool
) -> str | None:
    """Amount and unit as the language writes them: plural form, decimal sign and order are CLDR's."""
    forms = _forms(base_language(language), unit).get(length)
    if not forms:
        return None
    pattern = forms.get(plural_form(language, value, decimals)) or forms.get("other")
    if pattern is None:
        return None
    if british:
        pattern = _british(pattern)
    signs = number_signs(language)
    group = like.group or (signs.group if value >= 10000 and signs.group not in SPACES else "")
    group = group or ("\u00a0" if value >= 10000 else "")
    model = Numeral(like.start, like.end, like.text, like.value, like.decimals, group, signs.decimal)
    return pattern.replace("{0}", written(value, decimals, model))


def _british(pattern: str) -> str:
    return re.sub(r"met(er)(s?)\b", r"metre\2", re.sub(r"lit(er)(s?)\b", r"litre\2", pattern))


@functools.lru_cache(maxsize=64)
def _forms(language: str, unit: str) -> dict[str, dict[str, str]]:
    """Patterns of a unit by length; short ones stand in where a language has no long ones (Chinese)."""
    found = unit_patterns(language, unit)
    if language == "en" and unit in _ENGLISH:
        found = {"long": _ENGLISH[unit]}
    if (language, unit) in _OWN:
        found = {"long": _OWN[language, unit]}
    aliased = "long" in found or language in ("zh", "ja", "ko")  # an empty table stands for the short one
    long = found.get("long") or (found.get("short") if aliased else None)
    kept = {"long": long} if long else {}
    short = found.get("short") or found.get("narrow")
    if unit.startswith("duration") or (unit == "length-inch" and language == "en"):
        short = None  # "18 h" is an hour of the clock, "in" a preposition
    if short and re.search(r"[A-Za-z]", next(iter(short.values())).replace("{0}", "")):
        kept["short"] = short
    return {
        length: {form: re.sub(f"[{SPACES}]", " ", text) for form, text in forms.items()}
        for length, forms in kept.items()
    }


@functools.lru_cache(maxsize=64)
def _patterns(language: str) -> list[tuple[str, str, re.Pattern[str]]]:
    """Regular expressions that find amount and unit, by unit and length."""
    found = []
    for unit in PERMITTED:
        for length, forms in _forms(language, unit).items():
            spellings = set(forms.values())
            if language == "en":
                spellings |= {_british(text) for text in spellings}
            if length == "long":
                spellings |= set(_EXTRA_SPELLINGS.get(language, {}).get(unit, ()))
            if language == "de":
                spellings |= {f"{text}n" for text in spellings if re.search(r"(?:er|e)$", text)}
            for text in sorted(spellings):
                before, _, after = (re.escape(part) for part in text.partition("{0}"))
                space = rf"[{SPACES}]?"
                before, after = before.replace(r"\ ", space), after.replace(r"\ ", space)
                edge = "(?![年目鐘])" if language in ("zh", "ja", "ko", "th") else r"(?![\w/²³\u064b-\u065f])"
                start = r"(?<!\w)" if before and language not in ("zh", "ja", "ko", "th") else ""
                amount = rf"(?P<amount>\d+(?:[.,{SPACES}]\d+)*)"
                found.append((unit, length, re.compile(f"{start}{before}{amount}{after}{edge}")))
    return found
