"""Lexical features: overlap between two texts, for many pairs at once.

Each subword has four features from 0 to 255: whether it occurs in the other text, whether it occurs there with its neighbours,
and the length of the character n-grams that cover it there. The fourth feature is for numbers: whether the other text contains
the number (255) or not (128). Each pair has eighteen features: character n-gram precisions (six orders in each direction),
precisions of single and of adjacent subwords, and the share of numbers that match. N-grams are compared by 64-bit hashes that
include the number of the pair. One sort then handles a whole chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
CELLS = 4
"""Number of features of a subword compared with one other text."""
NUMBERS = 18
"""Number of features of a pair of texts."""
PLACES = 6
"""Length of the longest character n-gram compared with a reference."""
SOURCE_ORDER = 3
"""Length of the longest character n-gram compared with a source, which rarely shares more than names and numbers."""
FOUND, MISSED = 255, 128
_MARK = 0x2581
_COMMA, _STOP = ord(","), ord(".")


@dataclass(frozen=True)
class Spelling:
    """Characters of every subword in a vocabulary, joined; the four special subwords have none."""

    characters: Ints
    starts: Ints

    @classmethod
    def of(cls, subwords: Sequence[str]) -> Spelling:
        """Return the spelling of these subwords."""
        texts = ["" if number < 4 else subword for number, subword in enumerate(subwords)]
        points = np.frombuffer("".join(texts).encode("utf-32-le"), "<u4").astype(np.int64)
        return cls(points, np.cumsum([0, *map(len, texts)]))


@dataclass(frozen=True)
class SubwordTexts:
    """Texts as subwords, end to end; text i has the subwords ``starts[i]`` to ``starts[i + 1]``."""

    subwords: Ints
    starts: Ints

    @classmethod
    def of(cls, texts: Sequence[NDArray[np.int64] | Sequence[int]]) -> SubwordTexts:
        """Join these texts."""
        lengths = [len(text) for text in texts]
        joined = np.concatenate([np.asarray(text, np.int64) for text in texts]) if texts else np.zeros(0, np.int64)
        return cls(joined, np.cumsum([0, *lengths]))

    @property
    def owners(self) -> Ints:
        """Number of the text that each subword belongs to."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


@dataclass(frozen=True)
class _Characters:
    """Characters end to end, with the numbers of their subwords and texts."""

    points: Ints
    subwords: Ints
    owners: Ints

    @classmethod
    def of(cls, texts: SubwordTexts, spelling: Spelling) -> _Characters:
        lengths = np.diff(spelling.starts)[texts.subwords]
        subwords = np.repeat(np.arange(len(texts.subwords)), lengths)
        inside = np.arange(len(subwords)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        points = spelling.characters[spelling.starts[texts.subwords][subwords] + inside]
        return cls(points, subwords, texts.owners[subwords])

    def without_marks(self) -> _Characters:
        is_letter = self.points != _MARK
        return _Characters(self.points[is_letter], self.subwords[is_letter], self.owners[is_letter])


def pair_features(
    hypotheses: SubwordTexts, others: SubwordTexts, spelling: Spelling, order: int
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.float32]]:
    """Return the features of the hypotheses' subwords, of the others' subwords, and of each pair (text i with text i)."""
    texts = (hypotheses, others)
    cells = tuple(np.zeros((len(text.subwords), CELLS), np.uint8) for text in texts)
    numbers = np.zeros((len(hypotheses.starts) - 1, NUMBERS), np.float32)
    full = tuple(_Characters.of(text, spelling) for text in texts)
    _character_grams((full[0].without_marks(), full[1].without_marks()), texts, order, cells, numbers)
    _piece_grams(texts, cells, numbers)
    _numerals((full[0], full[1]), cells, numbers)
    return cells[0], cells[1], numbers


def _character_grams(
    sides: tuple[_Characters, _Characters],
    texts: tuple[SubwordTexts, SubwordTexts],
    order: int,
    cells: tuple[NDArray[np.uint8], ...],
    numbers: NDArray[np.float32],
) -> None:
    pairs = len(numbers)
    lengths = [np.bincount(side.owners, minlength=pairs) for side in sides]
    ends = [np.cumsum(length)[side.owners] for length, side in zip(lengths, sides, strict=True)]
    cover = [np.zeros(len(side.points), np.int64) for side in sides]
    hashes = [_mixed(side.owners.astype(np.uint64)) for side in sides]
    for n in range(1, order + 1):
        positions = []
        for i, side in enumerate(sides):
            positions.append(np.flatnonzero(np.arange(len(side.points)) + n <= ends[i]))
            following = side.points[positions[i] + n - 1].astype(np.uint64)
            hashes[i][positions[i]] = _mixed(hashes[i][positions[i]] * np.uint64(31) + following)
        owners = [side.owners[position] for side, position in zip(sides, positions, strict=True)]
        is_shared, common = _shared([hashes[i][positions[i]] for i in (0, 1)], owners, pairs)
        for i in (0, 1):
            hit = positions[i][is_shared[i]]
            for step in range(n):
                cover[i][hit + step] = n
            grams = lengths[i] - n + 1
            numbers[:, PLACES * i + n - 1] = np.where(grams > 0, common / np.maximum(grams, 1), 0)
    for i, side in enumerate(sides):
        size = len(texts[i].subwords)
        covered = np.bincount(side.subwords, cover[i], size).astype(np.int64)
        cells[i][:, 2] = 255 * covered // np.maximum(order * np.bincount(side.subwords, minlength=size), 1)


def _piece_grams(
    texts: tuple[SubwordTexts, SubwordTexts], cells: tuple[NDArray[np.uint8], ...], numbers: NDArray[np.float32]
) -> None:
    pairs = len(numbers)
    for size, column in ((1, 12), (2, 13)):
        positions, owners, keys = [], [], []
        for text in texts:
            owner = text.owners
            position = (
                np.flatnonzero(owner[: len(owner) - size + 1] == owner[size - 1 :]) if len(owner) >= size else owner[:0]
            )
            key = _mixed(owner[position].astype(np.uint64))
            for step in range(size):
                key = _mixed(key * np.uint64(31) + text.subwords[position + step].astype(np.uint64))
            positions.append(position)
            owners.append(owner[position])
            keys.append(key)
        is_shared, common = _shared(keys, owners, pairs)
        for i, text in enumerate(texts):
            grams = np.diff(text.starts) - size + 1
            numbers[:, column + 2 * i] = np.where(grams > 0, common / np.maximum(grams, 1), 0)
            hit = positions[i][is_shared[i]]
            if size == 1:
                cells[i][hit, 0] = 255
            else:
                cells[i][hit, 1] += 127
                cells[i][hit + 1, 1] += 127


def _numerals(
    sides: tuple[_Characters, _Characters], cells: tuple[NDArray[np.uint8], ...], numbers: NDArray[np.float32]
) -> None:
    """Compare numbers (digits, with points and commas between digits) by their digits only."""
    pairs = len(numbers)
    runs = [_runs(side) for side in sides]
    for i in (0, 1):
        first, last, owners, keys = runs[i]
        hit = np.isin(keys, runs[1 - i][3])
        count = np.bincount(owners, minlength=pairs)
        numbers[:, 16 + i] = np.where(count > 0, np.bincount(owners, hit, pairs) / np.maximum(count, 1), 1)
        lengths = last - first + 1
        inside = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        cells[i][np.repeat(first, lengths) + inside, 3] = np.repeat(np.where(hit, FOUND, MISSED), lengths)


def _runs(side: _Characters) -> tuple[Ints, Ints, Ints, Hashes]:
    """Return first subword, last subword, text, and hash (of text and digits) of every number."""
    points, owners = side.points, side.owners
    digit = (points >= ord("0")) & (points <= ord("9"))
    before, after = np.zeros_like(digit), np.zeros_like(digit)
    same = owners[1:] == owners[:-1]
    before[1:], after[:-1] = digit[:-1] & same, digit[1:] & same
    inside = digit | (((points == _COMMA) | (points == _STOP)) & before & after)
    begins = inside.copy()
    begins[1:] &= ~(inside[:-1] & same)
    ends = inside.copy()
    ends[:-1] &= ~(inside[1:] & same)
    starts, stops = np.flatnonzero(begins), np.flatnonzero(ends)
    number = np.cumsum(begins) - 1
    at = np.flatnonzero(digit)
    ranks = np.cumsum(digit) - 1
    rank = ranks[at] - ranks[starts][number[at]]
    digit_hashes = _mixed(points[at].astype(np.uint64) * np.uint64(1 << 32) + rank.astype(np.uint64))
    keys = _mixed(owners[starts].astype(np.uint64))
    np.add.at(keys, number[at], digit_hashes)
    return side.subwords[starts], side.subwords[stops], owners[starts], keys


def _shared(
    keys: Sequence[Hashes], owners: Sequence[Ints], pairs: int
) -> tuple[list[NDArray[np.bool_]], NDArray[np.float64]]:
    """Return which n-grams on each side occur on the other side, and how many each pair has in common (clipped counts)."""
    size = len(keys[0])
    unique, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    own = np.bincount(inverse[:size], minlength=len(unique))
    other = np.bincount(inverse[size:], minlength=len(unique))
    owner = np.zeros(len(unique), np.int64)
    owner[inverse] = np.concatenate(owners)
    common = np.bincount(owner, np.minimum(own, other), pairs).astype(np.float64)
    return [other[inverse[:size]] > 0, own[inverse[size:]] > 0], common


def _mixed(values: Hashes) -> Hashes:
    """Hash numbers with the finaliser of MurmurHash3, which separates neighbouring values."""
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return values ^ (values >> np.uint64(33))
