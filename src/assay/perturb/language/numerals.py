"""Reading and writing of numbers in digits, in any language."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from assay.perturb.language.cldr import NumberSigns, number_signs
from assay.perturb.language.texts import is_mark

SPACES = " \u00a0\u202f"
"""Normal, no-break and narrow no-break space; all of them group digits."""

_SEPARATOR = rf"[.,'’{SPACES}]"
_NUMERAL = re.compile(rf"\d+(?:[.,'’]\d+|[{SPACES}]\d{{3}}(?!\d))*")
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿豈-﫿가-힯฀-๿ｦ-ﾟ]")
"""Letters of scripts without a space between a number and the next word."""
_BOUND = "-–—−/:~〜"
"""Characters that join a number to its neighbour in scores, ranges, dates and times."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in a text: its position, value and format."""

    start: int
    end: int
    text: str
    value: float
    decimals: int
    group: str
    decimal: str

    @property
    def digits(self) -> str:
        """The digits only, as ASCII."""
        return "".join(str(unicodedata.digit(char)) for char in self.text if char.isdigit())

    @property
    def is_year(self) -> bool:
        """Whether it has four digits without a group separator and is between 1000 and 2100."""
        return not self.decimals and not self.group and len(self.text) == 4 and 1000 <= self.value <= 2100


def find_numerals(text: str, language: str) -> list[Numeral]:
    """Return every number that is separate from other text and has a single unambiguous reading.

    Numbers inside words (``A320``), in ranges, scores, times and dates (``3-1``, ``10:30``, ``1/5``) are left out. So are
    numbers with an inflected ending (``2018'de``) or an ambiguous sign (``1.234`` in a language with group commas).
    """
    signs = number_signs(language)
    numbers = []
    for match in _NUMERAL.finditer(text):
        if _has_one_script(match[0]) and _stands_alone(text, *match.span()):
            numeral = _parse_numeral(match, signs)
            if numeral is not None:
                numbers.append(numeral)
    return numbers


def format_number(value: float, decimals: int, like: Numeral) -> str:
    """Return the number in the format of `like`: the same digits (Devanagari …) and group separator."""
    integer, _, fraction = f"{value:.{decimals}f}".partition(".")
    if like.group and len(integer) > 3:
        integer = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", like.group, integer)
    text = integer + (like.decimal + fraction if fraction else "")
    zero = ord(_first_digit(like.text)) - unicodedata.digit(_first_digit(like.text))
    return "".join(chr(zero + int(char)) if char in "0123456789" else char for char in text)


def _first_digit(text: str) -> str:
    return next(char for char in text if char.isdigit())


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, after = text[:start], text[end:]
    if before and (_is_letter(before[-1]) or before[-1] in "_#@&.,"):
        return False
    if after and (_is_letter(after[0]) or after[0] in "_'’"):
        return False
    if re.match(r"[.,:]\w", after) or re.search(r"\w:$", before):
        return False
    if re.search(rf"[\w%][{_BOUND}]\s?$", before) or re.search(rf"\d\s?[{_BOUND}]\s?$", before):
        return False
    return not re.match(rf"\s?[{_BOUND}]\s?\$?\d", after) and not re.match(r"[-–/]\w", after)


def _is_letter(char: str) -> bool:
    return (char.isalpha() or is_mark(char)) and not _UNSPACED.match(char)


def _has_one_script(text: str) -> bool:
    """Return whether all digits are of one script, except Shan, which old Burmese fonts use for a tone mark (U+1094)."""
    digits = [char for char in text if char.isdigit()]
    zeros = {ord(char) - unicodedata.digit(char) for char in digits}
    return len(zeros) == 1 and 0x1090 not in zeros


def _parse_numeral(match: re.Match[str], signs: NumberSigns) -> Numeral | None:
    text = match[0]
    parts = re.split(rf"({_SEPARATOR})", text)
    numbers, separators = parts[::2], parts[1::2]
    decimals, decimal, group = 0, signs.decimal, ""
    if separators and separators[-1] == signs.decimal:
        if len(separators) > 1 and separators[-2] == signs.decimal:
            return None
        decimals, separators = len(numbers[-1]), separators[:-1]
        if decimals == 3 and not separators and numbers[0] != "0":
            return None
    grouped = numbers[1 : 1 + len(separators)]
    if separators:
        if len(set(separators)) > 1 or any(len(part) != 3 for part in grouped) or not 1 <= len(numbers[0]) <= 3:
            return None
        group = separators[0]
        if group != signs.group and group not in SPACES and group not in "'’":
            return None
    if len(numbers[0]) > 1 and unicodedata.digit(numbers[0][0]) == 0:
        return None
    plain = "".join(str(unicodedata.digit(char)) for char in text if char.isdigit())
    value = int(plain) / 10**decimals
    return Numeral(match.start(), match.end(), text, value, decimals, group, decimal)
