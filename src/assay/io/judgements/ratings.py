"""Parser for the rating in a language model's answer: a number, stars or a class name.

GEMBA's formats are read as its authors read them. In addition, decimals, ``85 out of 100`` and a number after the word score
are accepted. If several numbers are possible, none is taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.io.judgements.answers import MOST_ANSWER

_NUMBER = r"(?<![\w.,–-])-?\d+(?:\.\d+)?(?![\w]|[.,]\d|\s?[–-]\s?\d)"
_SAID = re.compile(rf"\b(?:score|rating|stars?)\b[\s*_:=\"'`(]*({_NUMBER})", re.IGNORECASE)
_STARS = ("one", "two", "three", "four", "five")


def read_number(answer: str, low: float, high: float) -> float | None:
    """Return the only number between `low` and `high` in an answer; None if there is no such number, or several."""
    text = re.sub(rf"\(?\b{low:g}\s*(?:-|–|to)\s*{high:g}\b\)?", "", answer[:MOST_ANSWER]).strip()  # the scale itself
    candidates = [_only_number(text, high), *(_only_number(match, high) for match in _SAID.findall(text))]
    values = {value for value in candidates if value is not None}
    if len(values) != 1:
        return None
    value = values.pop()
    return value if low <= value <= high else None


def _only_number(text: str, high: float) -> float | None:
    """Return the number in a text that contains exactly one, without the scale after it (``/100``, ``out of 100``, ``%``)."""
    scale = re.compile(rf"(?<=\d)\s*(?:/|out of|of)\s*{high:g}\b(?:\.0+)?", re.IGNORECASE)
    numbers = re.findall(_NUMBER, scale.sub("", text))
    return float(numbers[0]) if len(numbers) == 1 else None


def read_stars(answer: str, low: float, high: float) -> float | None:
    """Return the number of stars, given as symbols, words or digits; None if these disagree."""
    text = answer[:MOST_ANSWER].lower()
    bare = re.sub(r"\*\*([^*]+)\*\*", r"\1", text)  # bold, not two stars
    counts = {float(bare.count(mark)) for mark in "*★⭐" if mark in bare}
    words = " " + re.sub(r"[^\w]+", " ", bare) + " "
    counts |= {
        float(value) for value, word in enumerate(_STARS, 1) if f" {word} " in words or f" {value} star" in words
    }
    if (value := read_number(bare, low, high)) is not None:
        counts.add(value)
    if len(counts) != 1:
        return None
    value = counts.pop()
    return value if low <= value <= high else None


def read_class(answer: str, classes: Sequence[str]) -> float | None:
    """Return the index of the only class named in an answer; a class whose name contains another one takes precedence."""
    text = answer[:MOST_ANSWER].lower()
    named = [index for index, name in enumerate(classes) if name.lower() in text]
    whole = [
        index
        for index in named
        if not any(index != other and classes[index].lower() in classes[other].lower() for other in named)
    ]
    return float(whole[0]) if len(whole) == 1 else None
