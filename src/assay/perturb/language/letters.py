"""Letters as scripts have them: in Hindi, Thai, Arabic and others the marks above, below and beside a letter are part of a word,
which the ``\\w`` of Python's regular expressions does not know."""

from __future__ import annotations

import functools
import re
import sys
import unicodedata


@functools.cache
def marks() -> str:
    """Every combining mark, as ranges for the inside of a character class."""
    ranges: list[list[int]] = []
    for code in range(0x300, min(sys.maxunicode, 0x1FFFF)):
        if unicodedata.category(chr(code)).startswith("M"):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


@functools.cache
def pattern(template: str) -> re.Pattern[str]:
    """A regular expression in which ``L`` in angle brackets is a letter and ``W`` a letter or digit, marks included.

    >>> pattern("<L>+").findall("हिन्दी abc1")
    ['हिन्दी', 'abc']
    """
    letter, word = rf"(?:[^\W\d_][{marks()}\u200c\u200d]*)", rf"(?:[^\W_][{marks()}\u200c\u200d]*)"
    return re.compile(template.replace("<L>", letter).replace("<W>", word))


def is_mark(character: str) -> bool:
    """True for a combining mark."""
    return unicodedata.category(character).startswith("M")
