"""Numbers in a text: digits of any script, number words, Han and Roman numerals, with the values that they may represent.

A number such as ``1.250`` is ambiguous: it is 1250 or 1.25, depending on the language. A number therefore has all values that
it may represent, and two numbers agree if they share one.
"""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.data.words import nested_lists

_DIGITS = {
    point: str(unicodedata.digit(chr(point)))
    for point in range(0x80, sys.maxunicode + 1)
    if unicodedata.category(chr(point)) == "Nd"
} | {0x66B: ".", 0x66C: ",", 0xFF0C: ",", 0xFF0E: "."}
NUMBER = re.compile(r"\d{1,3}(?:[ \u00a0\u202f\u2009’']\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*")
HAN = re.compile("[〇零一二三四五六七八九十百千万萬亿億两兩廿]+")
HAN_VALUES = dict(zip("〇零一二三四五六七八九两兩", (0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 2), strict=True))
HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
HAN_LARGE = {
    "万": 10_000,
    "萬": 10_000,
    "亿": 100_000_000,
    "億": 100_000_000,
    "兆": 10**12,
    "만": 10_000,
    "억": 10**8,
    "조": 10**12,
}
LONGEST = 30
"""Maximum length of a number in characters; longer runs of digits are codes."""
CLOCK = re.compile(
    r"(?::\d\d(?!\d))?\s?(?:[ap]\.?\s?m\b|o['’]clock|uhr\b|h\b|時|点|时|시|час|ч\b|godz)|:\d\d(?!\d)", re.I
)
ROMAN = re.compile(r"(?<![\w])[IVXLCDMХІ]{1,7}(?![\w])")
ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000, "Х": 10, "І": 1}
SUFFIXES = {"k": 1000, "m": 10**6, "bn": 10**9, "mn": 10**6, "тыс": 1000, "tys": 1000}
MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
"""Vowel signs and accents, which belong to the word although Python's patterns do not treat them as letters."""
WORD = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{MARKS}])*(?:['’ʼ][^\W\d_]+)*")
CONNECTORS = {"and", "und", "et", "y", "e", "i", "a", "og", "och", "và", "na", "و"}
COMPOUND_LANGUAGES = {"de": ("und",), "nl": ("en", "ën")}
LAKH = {"lakh": 100_000, "lakhs": 100_000, "crore": 10_000_000, "crores": 10_000_000, "dozen": 12, "dozens": 12}


@dataclass(frozen=True, slots=True)
class NumberInText:
    """A number in a text: its position, the values it may represent, and how it is written."""

    start: int
    end: int
    values: frozenset[float]
    written: str
    """digits, word, han, roman"""
    multiplied: bool = False
    """Whether a word such as million belongs to it."""
    parts: tuple[int, ...] = ()
    """The runs of digits, such as 3, 5 and 2024 of 3.5.2024."""
    clock: bool = False
    """Whether it is the hour of a time of day."""


def ascii_digits(text: str) -> str:
    """Return the text with the digits of all scripts as 0 to 9, of the same length."""
    return text if text.isascii() else text.translate(_DIGITS)


def numbers_in(text: str, language: str = "") -> list[NumberInText]:
    """Return the numbers in a text, in order of appearance."""
    plain = ascii_digits(text)
    found = list(_digits(plain, language))
    if language in _words():
        ends = {number.end for number in found if number.multiplied}
        found += [word for word in _spelled(plain, language) if not ends & {word.start, word.start - 1}]
    if not plain.isascii() and language in ("zh", "ja", "ko", ""):
        taken = {number.end - 1 for number in found}
        found += [numeral for numeral in _han(plain) if numeral.start not in taken]
    found += _roman(plain)
    return sorted(found, key=lambda number: number.start)


def digit_values(token: str) -> tuple[frozenset[float], tuple[int, ...]]:
    """Return the values of a number in digits with separators, and its runs of digits."""
    token = re.sub(r"[ \u00a0\u202f\u2009’']", "", token)
    runs = re.split("[.,]", token)
    parts = tuple(int(run) for run in runs)
    separators = re.findall("[.,]", token)
    if not separators:
        return frozenset({float(parts[0])}), parts
    joined = float("".join(runs))
    grouped = all(len(run) == 3 for run in runs[1:]) and len(runs[0]) <= 3
    if len(separators) == 1:
        decimal = float(f"{runs[0]}.{runs[1]}")
        return frozenset({decimal, joined} if grouped else {decimal}), parts
    if len(set(separators)) == 1:
        indian = len(runs[-1]) == 3 and all(len(run) == 2 for run in runs[1:-1])
        return frozenset({joined} if grouped or indian else map(float, parts)), parts
    whole = "".join(runs[:-1])
    return frozenset({float(f"{whole}.{runs[-1]}")}), parts


def _digits(text: str, language: str) -> Iterator[NumberInText]:
    large = _multipliers(language)
    for match in NUMBER.finditer(text):
        if len(match[0]) > LONGEST or (
            language == "sw" and text[max(0, match.start() - 4) : match.start()].lower() == "saa "
        ):
            continue  # hours in Swahili are counted from sunrise
        values, parts = digit_values(match[0])
        end, factor = match.end(), 1
        tail = text[end : end + 24]
        if large_sign := re.match(r" ?([万萬亿億兆만억조])", tail):
            factor, end = HAN_LARGE[large_sign[1]], end + large_sign.end()
        elif word := re.match(r"[ \u00a0\u202f-]?([^\W\d_]+)", tail):
            name = word[1].lower()
            if name in large or name in LAKH:
                factor = large.get(name) or LAKH[name]
            elif word.start(1) == 0 and name in SUFFIXES:
                factor = SUFFIXES[name]
        values = frozenset(value * factor for value in values) if factor > 1 else values
        yield NumberInText(match.start(), end, values, "digits", factor > 1, parts, bool(CLOCK.match(tail)))


@functools.cache
def _words() -> Mapping[str, Mapping[str, int]]:
    """Return the value of each number word, by language."""
    return {
        language: {word: int(value) for value, words in table.items() for word in words}
        for language, table in nested_lists("number_words").items()
    }


@functools.cache
def _multipliers(language: str) -> Mapping[str, int]:
    words = _words().get(language, {})
    return {word: value for word, value in words.items() if value >= 1000}


def _spelled(text: str, language: str) -> Iterator[NumberInText]:
    """Combine neighbouring number words: twenty-five, two hundred and ten, quatre-vingt-dix."""
    words = _words()[language]
    total, current, start, end = 0.0, 0.0, -1, -1
    for match in WORD.finditer(text):
        value = _value(match[0].lower(), language, words)
        gap = text[end : match.start()] if start >= 0 else ""
        near = start >= 0 and len(gap) <= 5 and set(WORD.findall(gap)) <= CONNECTORS and not set(gap) & set(".,;:()/")
        if value is None:
            continue
        if near and (step := _combine(total, current, value, language)) is not None:
            total, current = step
        else:
            if start >= 0:
                yield NumberInText(start, end, frozenset({total + current}), "word")
            total, current, start = (value, 0.0, match.start()) if value >= 1000 else (0.0, value, match.start())
        end = match.end()
    if start >= 0:
        yield NumberInText(start, end, frozenset({total + current}), "word")


def _combine(total: float, current: float, value: float, language: str) -> tuple[float, float] | None:
    """Return the sums after one more number word, or None if the word starts another number."""
    if value >= 1000:
        return (total + (current or 1) * value, 0.0) if current or not total else (total * value, 0.0)
    if value == 100:
        return (total, current * 100) if 0 < current < 100 else (total, 100.0) if not current and total else None
    last = current % 100
    if language == "fr" and value == 20 and last == 4:
        return total, current + 76
    if language == "fr" and 10 <= value < 20 and last in (60, 80):
        return total, current + value
    if language in ("vi",) and value == 10 and 1 < last < 10:
        return total, current - last + last * 10
    if language in ("sw", "tr", "vi") and value < 10 and last == 10:
        return total, current + value
    if current >= 100 and not last and value < 100:
        return total, current + value
    if last >= 20 and last % 10 == 0 and value < 10:
        return total, current + value
    return (total, value) if total and not current else None


def _value(word: str, language: str, words: Mapping[str, int]) -> float | None:
    if word in words:
        return words[word]
    if language in COMPOUND_LANGUAGES:
        return _compound(word, language)
    if language == "it" and len(word) > 5:
        return _italian(word, words)
    return None


@functools.lru_cache(maxsize=4096)
def _compound(word: str, language: str) -> float | None:
    """Return the value of a German or Dutch compound: fünfundzwanzig, zweihundert."""
    words = _words()[language]
    if not any(mark in word for mark in ("und", "en", "ën", "hundert", "honderd", "tausend", "duizend")):
        return None
    for unit, factor in (("tausend", 1000), ("duizend", 1000), ("hundert", 100), ("honderd", 100)):
        if unit in word:
            before, _, after = word.partition(unit)
            high = 1.0 if not before else _simple(before, language, words)
            low = 0.0 if not after else _simple(after.removeprefix("und"), language, words)
            return None if high is None or low is None else high * factor + low
    return _simple(word, language, words)


def _simple(word: str, language: str, words: Mapping[str, int]) -> float | None:
    if word in ("ein", "een"):
        return 1.0
    if word in words:
        return words[word]
    if "hundert" in word or "honderd" in word:
        return _compound(word, language)
    for mark in COMPOUND_LANGUAGES[language]:
        unit, _, ten = word.partition(mark)
        value = 1 if unit in ("ein", "een") else words.get(unit)
        if ten and value is not None and value < 10 and (tens := words.get(ten)) and 20 <= tens < 100:
            return value + tens
    return None


ITALIAN_TENS = ("venti", "trenta", "quaranta", "cinquanta", "sessanta", "settanta", "ottanta", "novanta")


def _italian(word: str, words: Mapping[str, int]) -> float | None:
    """Return the value of an Italian compound: venticinque, trentuno."""
    for tens, stem in enumerate(ITALIAN_TENS, 2):
        for form in (stem, stem[:-1]):
            if word.startswith(form):
                rest = word.removeprefix(form).replace("é", "e")
                unit = 1 if rest == "uno" else words.get(rest, 0)
                if 0 < unit < 10:
                    return 10.0 * tens + unit
    return None


def _han(text: str) -> Iterator[NumberInText]:
    for match in HAN.finditer(text):
        value = han_value(match[0]) if len(match[0]) <= LONGEST else None
        if value is not None:
            yield NumberInText(match.start(), match.end(), frozenset({value}), "han")


def han_value(numeral: str) -> float | None:
    """Return the value of a Han numeral, positional (二〇二四) or with units (三百五十)."""
    if not any(c in HAN_UNITS or c in HAN_LARGE for c in numeral):
        digits = [HAN_VALUES.get(c) for c in numeral]
        return None if None in digits else float("".join(map(str, digits)))
    total = section = 0.0
    digit: float | None = None
    for c in numeral:
        if c in HAN_VALUES:
            digit = HAN_VALUES[c]
        elif c in HAN_UNITS:
            section += (1.0 if digit is None else digit) * HAN_UNITS[c]
            digit = None
        elif c in HAN_LARGE:
            total += (section + (digit or 0.0) or 1.0) * HAN_LARGE[c]
            section, digit = 0.0, None
        else:
            return None
    return total + section + (digit or 0.0)


def _roman(text: str) -> Iterator[NumberInText]:
    for match in ROMAN.finditer(text):
        values = [ROMAN_VALUES[c] for c in match[0]]
        total = sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))
        yield NumberInText(match.start(), match.end(), frozenset({float(total)}), "roman")
