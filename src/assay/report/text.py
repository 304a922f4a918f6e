"""Text as the eye sees it: measured and broken by the cells it takes, with nothing in it that would steer a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_SOFT = "-_/:,;."
"""A word too long for its line is best broken behind one of these."""
_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters (C0, DEL, C1), line and paragraph separators, and what overrides the direction of writing."""


def visible(text: str) -> str:
    """Foreign text for one line of a terminal: what would move the cursor, change colours or turn text round is shown as an
    escape such as ``\\x1b`` or ``\\n``. Marks that scripts need (joiners, left-to-right marks) stay."""
    return _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def display_width(text: str) -> int:
    """Terminal cells that a text takes: two for wide East Asian characters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(map(_cells, text))


def _cells(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrap(text: str, width: int, indent: int = 0) -> list[str]:
    """The text in lines of at most `width` cells, broken at blanks, behind punctuation, or else anywhere.

    Lines after the first begin with `indent` blanks, which count.
    """
    if display_width(text) <= width:
        return [text]
    lines = [""]
    for word in text.split():
        for i, piece in enumerate(_pieces(word, width - indent)):
            gap = " " if lines[-1].strip() and i == 0 else ""
            if lines[-1].strip() and display_width(lines[-1] + gap + piece) > width:
                lines.append(" " * indent + piece)
            else:
                lines[-1] += gap + piece
    return lines


def _pieces(word: str, width: int) -> Iterator[str]:
    """The word whole where it fits a line; otherwise its parts, none wider than `width`."""
    if display_width(word) <= width:
        yield word
        return
    for part in re.findall(rf"[^{re.escape(_SOFT)}]*[{re.escape(_SOFT)}]*", word):
        piece = ""
        for char in part:
            if piece and display_width(piece) + _cells(char) > width:
                yield piece
                piece = ""
            piece += char
        if piece:
            yield piece
