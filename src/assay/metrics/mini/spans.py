"""From the tags of a translation's pieces to error spans."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from assay.core.spans import ErrorSpan
from assay.metrics.mini.model import Opinion

WITHOUT_BLANKS = re.compile(
    "[\u0e00-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aad\u2e80-\u31ff\u3400-\u4dbf\u4e00-\ua4cf\uaa60-\uaadf\uf900-\ufaff"
    "\uff66-\uff9f\U00016fe0-\U0003ffff]"
)
"""Letters of scripts that put no blanks between words: Thai, Lao, Tibetan, Burmese, Khmer, Tai, kana, Han, Yi."""


def spans(text: str, judgement: Opinion, threshold: float, major: float) -> tuple[ErrorSpan, ...]:
    """Words that are probably part of an error, neighbours joined: as bad and as sure as the worst of them.

    A word is as probably wrong as its pieces on average; where words have no blanks between them, a piece stands for itself.
    Neighbours stand together or have one character between them.
    """
    ranges: Sequence[tuple[int, int]] = judgement.ranges.tolist()
    found: list[list[float]] = []
    last = behind = 0
    for at in (judgement.tags[:, 0] > threshold).nonzero()[0].tolist():
        if at < behind:
            continue
        first, behind = _word(text, ranges, at)
        sure, bad = (sum(column) / len(column) for column in zip(*judgement.tags[first:behind].tolist(), strict=True))
        if sure <= threshold:
            continue
        start, end = ranges[first][0], ranges[behind - 1][1]
        if found and last == first and start - found[-1][1] <= 1:
            known = found[-1]
            found[-1] = [known[0], max(known[1], end), max(known[2], sure), max(known[3], bad)]
        else:
            found.append([start, end, sure, bad])
        last = behind
    return tuple(
        ErrorSpan.of(text, int(start), int(end), "major" if bad > major else "minor", confidence=sure)
        for start, end, sure, bad in found
        if text[int(start) : int(end)].strip()
    )


def _word(text: str, ranges: Sequence[tuple[int, int]], at: int) -> tuple[int, int]:
    """The word of a piece: its first piece, and the first behind it."""
    first, behind = at, at + 1
    while first > 0 and _within_word(text, ranges[first - 1][1], ranges[first][0]):
        first -= 1
    while behind < len(ranges) and _within_word(text, ranges[behind - 1][1], ranges[behind][0]):
        behind += 1
    return first, behind


def _within_word(text: str, end: int, start: int) -> bool:
    """Whether a piece that ends and one that starts here are of one word; an apostrophe between letters is part of it."""
    before, after = text[max(end - 2, 0) : end], text[start : start + 2]
    if end != start or not before or not after:
        return False
    if before[-1] in "'’":
        before = before[:-1]
    elif after[0] in "'’":
        after = after[1:]
    return bool(before and after) and _spelled(before[-1]) and _spelled(after[0])


def _spelled(char: str) -> bool:
    """Whether words are spelled with this character, and have blanks between them."""
    return (char.isalnum() or unicodedata.category(char)[0] == "M") and not WITHOUT_BLANKS.match(char)
