"""Unit conversions permitted in ACES (Appendix A.2), and the spellings of these units in every CLDR language."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from assay.data import rows
from assay.perturb.language.cldr import number_signs, plural_form, unit_patterns
from assay.perturb.language.numerals import SPACES, Numeral, find_numerals, format_number
from assay.perturb.language.texts import base_language

UNITS = {row["unit"]: row for row in rows("words/units.tsv")}
SIZES = {unit: (row["quantity"], float(row["size"])) for unit, row in UNITS.items()}
"""Quantity and size of each unit, in metres, metres per second, seconds, litres and grams."""
PERMITTED = {unit: tuple(row["converts_to"].split()) for unit, row in UNITS.items() if row["converts_to"]}
"""Target units for each unit, as listed in Appendix A.2."""


def _spellings() -> dict[tuple[str, str], dict[str, list[str]]]:
    spellings: dict[tuple[str, str], dict[str, list[str]]] = {}
    for row in rows("words/unit_spellings.tsv"):
        spellings.setdefault((row["language"], row["unit"]), {}).setdefault(row["form"], []).append(row["spelling"])
    return spellings


_SPELLINGS = _spellings()
"""Spellings by language and unit: either by plural form, replacing CLDR's, or ``further`` ones that are only recognised."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount with its unit, its position in the text, and the length of the unit's spelling."""

    start: int
    end: int
    amount: Numeral
    unit: str
    length: str


def find_quantities(text: str, language: str) -> list[Quantity]:
    """Return amounts in digits with one of the permitted units, in the spellings of CLDR and British English."""
    amounts = {(numeral.start, numeral.end): numeral for numeral in find_numerals(text, language)}
    quantities = []
    for unit, length, pattern in _patterns(base_language(language)):
        for match in pattern.finditer(text):
            numeral = amounts.get(match.span("amount"))
            if numeral is not None and numeral.value > 0 and _has_plural_form(match, numeral, unit, length, language):
                quantities.append(Quantity(match.start(), match.end(), numeral, unit, length))
    best: dict[int, Quantity] = {}
    for quantity in sorted(quantities, key=lambda quantity: (quantity.start - quantity.end, quantity.length)):
        best.setdefault(quantity.amount.start, quantity)
    return sorted(best.values(), key=lambda quantity: quantity.start)


def _has_plural_form(match: re.Match[str], numeral: Numeral, unit: str, length: str, language: str) -> bool:
    """Return whether the noun has the plural form that this number needs; always true in languages with fewer than three forms."""
    forms = _forms(base_language(language), unit)[length]
    if len(set(forms.values())) < 3:
        return True
    expected = forms.get(plural_form(language, numeral.value, numeral.decimals), "")
    return re.sub(r"[\d.,\s]", "", match[0]) == re.sub(r"\{0\}|\s", "", expected)


def convert(value: float, unit: str, other: str) -> float:
    """Return the amount in another unit for the same quantity."""
    return value * SIZES[unit][1] / SIZES[other][1]


def round_converted(value: float) -> tuple[float, int]:
    """Round a converted value as people do: one decimal if it is below 100 and not whole, none otherwise. Return both."""
    if value >= 100:
        return float(round(value)), 0
    one = round(value, 1)
    return (float(round(one)), 0) if one == round(one) else (one, 1)


def format_quantity(
    value: float, decimals: int, unit: str, length: str, like: Numeral, language: str, british: bool
) -> str | None:
    """Return amount and unit with CLDR's plural form, decimal sign and order for the language."""
    forms = _forms(base_language(language), unit).get(length)
    if not forms:
        return None
    pattern = forms.get(plural_form(language, value, decimals)) or forms.get("other")
    if pattern is None:
        return None
    if british:
        pattern = _to_british(pattern)
    signs = number_signs(language)
    group = like.group or (signs.group if value >= 10000 and signs.group not in SPACES else "")
    group = group or ("\u00a0" if value >= 10000 else "")
    model = Numeral(like.start, like.end, like.text, like.value, like.decimals, group, signs.decimal)
    return pattern.replace("{0}", format_number(value, decimals, model))


def _to_british(pattern: str) -> str:
    return re.sub(r"met(er)(s?)\b", r"metre\2", re.sub(r"lit(er)(s?)\b", r"litre\2", pattern))


@functools.lru_cache(maxsize=64)
def _forms(language: str, unit: str) -> dict[str, dict[str, str]]:
    """Return a unit's patterns by length; short patterns replace missing long ones (Chinese)."""
    patterns = unit_patterns(language, unit)
    overrides = {form: texts[0] for form, texts in _SPELLINGS.get((language, unit), {}).items() if form != "further"}
    if overrides:
        patterns = {"long": overrides}
    aliased = "long" in patterns or language in ("zh", "ja", "ko")  # an empty table means that the short one applies
    long = patterns.get("long") or (patterns.get("short") if aliased else None)
    by_length = {"long": long} if long else {}
    short = patterns.get("short") or patterns.get("narrow")
    if unit.startswith("duration") or (unit == "length-inch" and language == "en"):
        short = None  # "18 h" is a time of day, "in" is a preposition
    if short and re.search(r"[A-Za-z]", next(iter(short.values())).replace("{0}", "")):
        by_length["short"] = short
    return {
        length: {form: re.sub(f"[{SPACES}]", " ", text) for form, text in forms.items()}
        for length, forms in by_length.items()
    }


@functools.lru_cache(maxsize=64)
def _patterns(language: str) -> list[tuple[str, str, re.Pattern[str]]]:
    """Return regular expressions that match amount and unit, by unit and length."""
    patterns = []
    for unit in PERMITTED:
        for length, forms in _forms(language, unit).items():
            spellings = set(forms.values())
            if language == "en":
                spellings |= {_to_british(text) for text in spellings}
            if length == "long":
                spellings |= set(_SPELLINGS.get((language, unit), {}).get("further", ()))
            if language == "de":
                spellings |= {f"{text}n" for text in spellings if re.search(r"(?:er|e)$", text)}
            for text in sorted(spellings):
                before, _, after = (re.escape(part) for part in text.partition("{0}"))
                space = rf"[{SPACES}]?"
                before, after = before.replace(r"\ ", space), after.replace(r"\ ", space)
                edge = "(?![年目鐘])" if language in ("zh", "ja", "ko", "th") else r"(?![\w/²³\u064b-\u065f])"
                start = r"(?<!\w)" if before and language not in ("zh", "ja", "ko", "th") else ""
                amount = rf"(?P<amount>\d+(?:[.,{SPACES}]\d+)*)"
                patterns.append((unit, length, re.compile(f"{start}{before}{amount}{after}{edge}")))
    return patterns
