"""Display width, wrapping and escaping of text on a terminal."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from assay.core.columns import plain

_SOFT = "-_/:,;."
"""Characters after which an overlong word is best broken."""
_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters (C0, DEL, C1), line and paragraph separators, and overrides of the writing direction."""


def visible(text: str) -> str:
    """Return third-party text for one line of a terminal, with control characters as escapes such as ``\\x1b``.

    Marks that writing systems need (joiners, left-to-right marks) are kept.
    """
    return _STEERING.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def display_width(text: str) -> int:
    """Return the number of terminal cells that a text takes: two for wide East Asian characters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(map(_cells, text))


def _cells(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrap(text: str, width: int, indent: int = 0) -> list[str]:
    """Return the text in lines of at most `width` cells, broken at spaces, after punctuation, or else anywhere.

    Lines after the first begin with `indent` spaces, which count.
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
    """Yield the word if it fits on a line, otherwise its parts, none wider than `width`."""
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


def cell_text(name: str, value: Any) -> str:
    """Return a value as a cell: missing values are empty, flags comma-separated, other lists and objects JSON."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if name == "flags" and isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (bool, list, tuple, dict)):
        return json.dumps(plain(value), ensure_ascii=False)
    return str(value)
