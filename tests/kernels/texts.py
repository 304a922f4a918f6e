"""Random texts made of what breaks string code: scripts, marks, white space of all kinds, runs, repetitions, nothing at all."""

from __future__ import annotations

import random
from typing import NamedTuple

ALPHABETS = (
    "abcde ",
    " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2028\u2029\u202f\u205f\u3000\ufeff\u200b",
    ".,-0123456789",
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    "\x00\x01\x7f\x80\xff",
    "éèüßſıİÅΣσςΆ\u212a",
    "e\u0301\u0300\u0327\u20d0",
    "שלום مرحبا\u202e\u200f\u200d",
    "日本語。、「」漢字かな",
    "한국어 각",
    "👩\u200d👧🏽\ufe0f🇩🇪",
    "\ud800\udfff\udc00\udbff",
    "\U0010ffff\U000e0001\uffff\ufffe",
    "αβγδ АБВГ",
    "ก็่ำ नमस्ते",
)
PIECES = (
    *("<skipped>", "&quot;", "&amp;lt;", "&amp;amp;", "&", "-\n", "1,000", "1.5", "..", ",,3", "3..4", "a-b", "3-4"),
    *("U.S.", "don't", "'s", "\n", "\r\n", " ", "  ", "", "\x00", "İ", "ΑΣ", "ΑΣ.", "ß", "ﬁ", "e\u0301", "(a)", "a."),
)


class Batch(NamedTuple):
    """Hypotheses and columns of references; a row may share its references with the one before."""

    hypotheses: list[str]
    references: list[list[str | None]]

    def row(self, i: int) -> tuple[str, list[str]]:
        """The hypothesis of a row and those references that it has."""
        return self.hypotheses[i], [text for column in self.references if (text := column[i]) is not None]


def text(rng: random.Random, most: int = 24) -> str:
    """One text: words over few letters, one script, pieces that tokenizers know, mixed words, or a run of one character."""
    size = rng.choice((0, 1, 1, 2, 3, 4, 6, 8, 12, most))
    kind = rng.random()
    if kind < 0.25:
        return " ".join(rng.choices("abcdef"[: rng.randrange(1, 7)], k=size))
    if kind < 0.5:
        return "".join(rng.choices(rng.choice(ALPHABETS), k=size)) + rng.choice((" ", "")) + "ab"[: size % 3]
    if kind < 0.75:
        return "".join(
            rng.choice(PIECES) if rng.random() < 0.5 else rng.choice(rng.choice(ALPHABETS)) for _ in range(size)
        )
    if kind < 0.9:
        return " ".join("".join(rng.choices(rng.choice(ALPHABETS), k=rng.randrange(1, 4))) for _ in range(size))
    return rng.choice(rng.choice(ALPHABETS)) * size * rng.choice((1, 1, 8, 70))


def changed(rng: random.Random, original: str) -> str:
    """The text with words dropped, added, moved or replaced, as a translation differs from its reference."""
    words = original.split(" ")
    for _ in range(rng.randrange(4)):
        at, other = rng.randrange(len(words)), rng.randrange(len(words))
        match rng.randrange(5):
            case 0 if len(words) > 1:
                words.pop(at)
            case 1:
                words.insert(at, text(rng, 3))
            case 2:
                words[at], words[other] = words[other], words[at]
            case 3:
                words = words[at:] + words[:at]
            case _:
                words[at] = words[at].upper() if rng.random() < 0.5 else words[at][::-1]
    return " ".join(words)


def long_text(rng: random.Random, words: int) -> str:
    """A long line: one huge token, one word repeated, few words, or many."""
    match rng.randrange(5):
        case 0:
            return rng.choice(rng.choice(ALPHABETS)) * words
        case 1:
            return "w " * words
        case 2:
            return " ".join(rng.choices("abcde", k=words))
        case 3:
            return " ".join(f"w{int(rng.paretovariate(1))}" for _ in range(words))
        case _:
            return "".join(rng.choices([*"".join(ALPHABETS), *map(chr, range(0x4E00, 0x4F80))], k=words))


def batch(rng: random.Random, rows: int, long: int = 0) -> Batch:
    """Rows with one to three references, some shared, some missing (the first never); `long` rows of up to 400 words."""
    columns = rng.choice((1, 1, 1, 2, 3))
    hypotheses: list[str] = []
    references: list[list[str | None]] = [[] for _ in range(columns)]
    for i in range(rows):
        if i and rng.random() < 0.3:
            first = references[0][-1] or ""
            row = [column[-1] for column in references]
        else:
            first = long_text(rng, rng.randrange(60, 400)) if i < long else text(rng)
            row = [first, *(None if rng.random() < 0.1 else changed(rng, first) for _ in range(columns - 1))]
        hypotheses.append(changed(rng, first) if rng.random() < 0.7 else text(rng))
        for column, reference in zip(references, row, strict=True):
            column.append(reference)
    return Batch(hypotheses, references)
