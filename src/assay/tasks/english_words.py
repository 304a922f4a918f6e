"""English word normaliser for the task models: lower case, no punctuation, numbers as digits, times as 17:30."""

from __future__ import annotations

import re
from collections.abc import Sequence

_JOINTS = re.compile(r"[\s\-–—/]+")
_NOISE = re.compile(r"[^\w':]+|:(?!\d)|(?<!\d):")
_NTH = re.compile(r"(\d+)(?:st|nd|rd|th)")
_NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_DECADES = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_CARDINALS = {name: number for number, name in enumerate(_NAMES + _TEENS)}
_TENS = {name: 10 * number for number, name in enumerate(_DECADES, 2)}
_ODD = {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12}
_NUMBERS = (
    _CARDINALS
    | _TENS
    | {f"{name}th": number for name, number in _CARDINALS.items()}
    | {f"{name[:-1]}ieth": number for name, number in _TENS.items()}
    | _ODD
)


def split_words(text: str) -> list[str]:
    """Return the words of running text, with hyphenated words split."""
    return [word for word in _JOINTS.split(text) if word]


def normalise_words(words: Sequence[str]) -> list[tuple[str, int]]:
    """Return normalised words, each with the position of its (first) word: "D.C." is dc, "twenty first" is 21."""
    normalised: list[tuple[str, int]] = []
    tens = 0
    for position, word in enumerate(words):
        plain = _NOISE.sub("", word.replace("’", "'").lower()).strip("'")
        if not plain:
            continue
        number = _NUMBERS.get(plain)
        if tens and number and number < 10:
            normalised[-1] = str(tens + number), normalised[-1][1]
            tens = 0
            continue
        tens = _TENS.get(plain, 0)
        nth = _NTH.fullmatch(plain)
        normalised.append((nth[1] if nth else plain if number is None else str(number), position))
    return normalised


_TIME = re.compile(r"(\d{1,2})(?:[:h.](\d\d))?(h|am|pm)?")
_LATE = frozenset(("pm", "p"))
_HOUR_WORDS = _LATE | {"am", "a", "h", "hours", "o'clock"}


def parse_time(word: str, after: Sequence[str]) -> str | None:
    """Return ``17:30`` for "17:30", "17h30", "5:30 pm", "5:30 p. m." and similar forms; None for a bare number."""
    match = _TIME.fullmatch(word)
    if match is None:
        return None
    suffix = match[3] or (after[0].lower() if after else "")
    if match[2] is None and suffix not in _HOUR_WORDS:
        return None
    hour = int(match[1]) + (12 if suffix in _LATE and int(match[1]) < 12 else 0)
    return f"{hour:02d}:{match[2] or '00'}" if hour < 24 else None
