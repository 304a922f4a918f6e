"""Reference implementation of assay-mini's text processing: unigram tokenization, and the coverage of one text by another."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

BLANK = "\u2581"
UNKNOWN = 3
"""Largest id of a special token (start, padding, end, unknown); text that looks like one is split into other tokens."""


class Pieces(NamedTuple):
    """A tokenized text: token ids, character ranges, and the number of unknown, all and untrained characters.

    Characters are counted after normalization and without whitespace. Untrained characters are in tokens that did not occur in
    training.
    """

    ids: list[int]
    ranges: list[tuple[int, int]]
    unknown: int
    characters: int
    foreign: int


class Vocabulary:
    """Tokens with log probabilities, and the normalization of characters."""

    def __init__(self, tensors: Mapping[str, NDArray[Any]]) -> None:
        bounds = tensors["starts"].tolist()
        raw = tensors["text"].tobytes()
        self.texts = [raw[start:end].decode("utf-8") for start, end in itertools.pairwise(bounds)]
        self.scores = tensors["scores"].tolist()
        self.trained = tensors["trained"].astype(bool)
        self.unknown_score = float(tensors["unk_score"][0])
        self.ids = {text: i for i, text in enumerate(self.texts) if i > UNKNOWN}
        self.longest = max(map(len, self.ids))
        ends = tensors["norm_starts"].tolist()
        points = ["".join(map(chr, tensors["norm_to"][a:b].tolist())) for a, b in itertools.pairwise(ends)]
        self.normal = dict(zip(map(chr, tensors["norm_from"].tolist()), points, strict=True))

    def cut(self, text: str) -> Pieces:
        """Tokenize a text along the path with the highest sum of scores; ties go to the earlier start."""
        normal, places = self._normalised(text)
        best, back = [0.0] + [-math.inf] * len(normal), [(0, UNKNOWN)] * (len(normal) + 1)
        for i in range(len(normal)):
            alone = False
            for j in range(i + 1, min(len(normal), i + self.longest) + 1):
                piece = self.ids.get(normal[i:j])
                if piece is None:
                    continue
                alone = alone or j == i + 1
                if best[i] + self.scores[piece] > best[j]:
                    best[j], back[j] = best[i] + self.scores[piece], (i, piece)
            if not alone and best[i] + self.unknown_score > best[i + 1]:
                best[i + 1], back[i + 1] = best[i] + self.unknown_score, (i, UNKNOWN)
        return self._counted(text, normal, places, self._path(back))

    def _normalised(self, text: str) -> tuple[str, list[int]]:
        """Return the normalized text with the offset of each character; whitespace becomes one mark, and one mark comes first."""
        characters: list[str] = []
        places: list[int] = []
        for i, character in enumerate(text):
            for other in self.normal.get(character, character):
                if other != " " or characters[-1:] != [" "]:
                    characters.append(other)
                    places.append(i)
        normal = "".join(characters).replace(" ", BLANK)
        if normal and not normal.startswith(BLANK):
            return BLANK + normal, [0, *places]
        return normal, places

    def _path(self, back: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
        """Return token, start and end along the best path; adjacent unknown characters are one token."""
        path: list[tuple[int, int, int]] = []
        end = len(back) - 1
        while end:
            start, piece = back[end]
            if piece == UNKNOWN and path and path[-1][0] == UNKNOWN:
                path[-1] = (UNKNOWN, start, path[-1][2])
            else:
                path.append((piece, start, end))
            end = start
        return path[::-1]

    def _counted(self, text: str, normal: str, places: list[int], path: list[tuple[int, int, int]]) -> Pieces:
        ranges, unknown, characters, foreign = [], 0, 0, 0
        for piece, i, j in path:
            start, end = places[i], places[j - 1] + 1
            while start < end and text[start].isspace():
                start += 1
            ranges.append((start, end))
            here = sum(character != BLANK for character in normal[i:j])
            characters += here
            unknown += here * (piece == UNKNOWN)
            foreign += here * (piece == UNKNOWN or not self.trained[piece])
        return Pieces([piece for piece, _, _ in path], ranges, unknown, characters, foreign)


class Letters(NamedTuple):
    """Return the characters of a text without whitespace, the token of each, and numbers with their first and last token."""

    text: str
    pieces: list[int]
    numbers: list[tuple[str, int, int]]


def letters(ids: Sequence[int], texts: Sequence[str]) -> Letters:
    """Return characters and numbers; a comma or full stop between digits is part of the number and is ignored."""
    whole = [(character, at) for at, piece in enumerate(ids) if piece > UNKNOWN for character in texts[piece]]

    def digit(k: int) -> bool:
        return k < len(whole) and "0" <= whole[k][0] <= "9"

    numbers, i = [], 0
    while i < len(whole):
        j = i
        while digit(j) or (i < j < len(whole) and whole[j][0] in ",." and digit(j + 1)):
            j += 1
        if j > i:
            digits = "".join(character for character, _ in whole[i:j] if character not in ",.")
            numbers.append((digits, whole[i][1], whole[j - 1][1]))
        i = max(j, i + 1)
    kept = [(character, at) for character, at in whole if character != BLANK]
    return Letters("".join(character for character, _ in kept), [at for _, at in kept], numbers)


class Cover(NamedTuple):
    """Coverage of one text by another: four numbers from 0 to 255 per token, and numbers for the whole text."""

    pieces: NDArray[np.int64]
    ngrams: list[float]
    one: float
    two: float
    numbers: float


def cover(a: Sequence[int], b: Sequence[int], texts: Sequence[str], order: int) -> Cover:
    """Return the coverage of `a` by `b`: tokens, token bigrams, character n-grams up to `order`, and numbers."""
    here, there = letters(a, texts), letters(b, texts)
    reached, shares = [0] * len(here.text), [0.0] * 6
    for n in range(1, order + 1):
        grams, others = ([side.text[i : i + n] for i in range(len(side.text) - n + 1)] for side in (here, there))
        known_grams = set(others)
        for i, gram in enumerate(grams):
            if gram in known_grams:
                reached[i : i + n] = [n] * n
        shares[n - 1] = _clipped(grams, others)
    out = np.zeros((len(a), 4), np.int64)
    pairs, other_pairs = list(itertools.pairwise(a)), list(itertools.pairwise(b))
    for i, piece in enumerate(a):
        sides = (i > 0 and pairs[i - 1] in other_pairs) + (i + 1 < len(a) and pairs[i] in other_pairs)
        covered = [reach for reach, at in zip(reached, here.pieces, strict=True) if at == i]
        out[i, :3] = 255 * (piece in b), 127 * sides, 255 * sum(covered) // max(order * len(covered), 1)
    known = {digits for digits, _, _ in there.numbers}
    for digits, first, last in here.numbers:
        out[first : last + 1, 3] = 255 if digits in known else 128
    found = sum(digits in known for digits, _, _ in here.numbers)
    numbers = found / len(here.numbers) if here.numbers else 1.0
    return Cover(out, shares, _clipped(a, b), _clipped(pairs, other_pairs), numbers)


def _clipped(a: Sequence[Any], b: Sequence[Any]) -> float:
    """Return the share of `a` that is in `b`, using each element of `b` at most once."""
    return (Counter(a) & Counter(b)).total() / len(a) if a else 0.0
