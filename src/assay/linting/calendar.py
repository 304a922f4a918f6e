"""Names of weekdays and months in a text, and dates made of a day and a month."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass

from assay.data.words import nested_lists
from assay.linting.number_reading import ascii_digits

UNSPACED = ("zh", "ja", "ko", "th")
FEWEST_LETTERS = 4
"""Minimum length of a name; shorter ones, such as Mo, so or Mar, are also other words."""
SHORT_MONTHS = {
    "en": ("may",),
    "de": ("mai",),
    "fr": ("mai",),
    "nl": ("mei",),
    "pl": ("maj",),
    "ru": ("мая", "май"),
    "tr": ("ekim",),
}
CJK_DATE = re.compile(r"(?:(\d{2,4})\s?[年년]\s?)?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日号號일]")
PREFIXES = {"he": "ובלהמכש", "ar": "وبلك"}


@dataclass(frozen=True, slots=True)
class Named:
    """A weekday or month in a text: ``d1`` is Monday, ``m1`` January."""

    start: int
    end: int
    key: str


@dataclass(frozen=True, slots=True)
class Date:
    """A day and a month in a text."""

    start: int
    end: int
    day: int
    month: int


@functools.cache
def _names(language: str) -> tuple[re.Pattern[str] | None, Mapping[str, str]]:
    keys: dict[str, str] = {}
    for key, words in nested_lists("calendar").get(language, {}).items():
        for word in words:
            long = len(word) >= FEWEST_LETTERS or language in UNSPACED or word in SHORT_MONTHS.get(language, ())
            if long and not any(c.isdigit() for c in word) and "." not in word and "׳" not in word:
                keys[word] = key
    if not keys:
        return None, keys
    either = "|".join(sorted(map(re.escape, keys), key=len, reverse=True))
    if language in UNSPACED:
        return re.compile(either), keys
    before = f"(?<![^\\W{PREFIXES[language]}])" if language in PREFIXES else r"(?<!\w)"
    return re.compile(f"{before}(?:{either})(?!\\w)", re.I), keys


def named(text: str, language: str) -> list[Named]:
    """Return the weekdays and months named in a text."""
    pattern, keys = _names(language)
    if pattern is None:
        return []
    found = []
    for match in pattern.finditer(text):
        key = keys[match[0].lower()] if match[0].lower() in keys else keys[match[0]]
        if match[0] == "may" and language == "en":
            continue
        found.append(Named(match.start(), match.end(), key))
    return found


def dates(text: str, language: str) -> list[Date]:
    """Return the dates in which a day is next to the name or the symbol of a month."""
    plain = ascii_digits(text)
    found = [
        Date(match.start(2), match.end(), int(match[3]), int(match[2]))
        for match in CJK_DATE.finditer(plain)
        if 1 <= int(match[2]) <= 12
    ]
    for name in named(text, language):
        if not name.key.startswith("m"):
            continue
        month = int(name.key[1:])
        before = re.search(
            r"(?<![\d.,])(\d{1,2})(?:st|nd|rd|th|er|º|ª|\.|-го|-е)?\s?(?:de |of |d['’]|) ?$",
            plain[max(0, name.start - 12) : name.start],
        )
        after = re.match(r"\.?\s(\d{1,2})(?:st|nd|rd|th)?(?![\d.,:]*\d)", plain[name.end : name.end + 8])
        if before and 1 <= int(before[1]) <= 31:
            found.append(Date(max(0, name.start - 12) + before.start(1), name.end, int(before[1]), month))
        elif after and 1 <= int(after[1]) <= 31:
            found.append(Date(name.start, name.end + after.end(1), int(after[1]), month))
    return found
