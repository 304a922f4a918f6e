"""Reference implementation of the TER kernel: Snover et al. 2006 with the beam, limits and ranking of sacrebleu and Tercom."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

MAX_SHIFT_SIZE = 10
MAX_SHIFT_DISTANCE = 50
MAX_CANDIDATES = 1000
BEAM_WIDTH = 25
MAX_WORDS = 2000

Words = Sequence[str]


class Alignment(NamedTuple):
    """An edit distance and its alignment."""

    distance: int
    hyp_wrong: list[bool]
    ref_wrong: list[bool]
    place: list[int]
    """place[j]: the number of hypothesis words up to and including the one aligned to reference word j - 1."""


class Shift(NamedTuple):
    """A shift of `length` hypothesis words from `start` to before word `target`."""

    start: int
    length: int
    target: int

    def apply(self, words: Words) -> list[str]:
        """Return the words in their new order. A target inside the run moves the run by its offset within it."""
        start, length, target = self
        run, rest = [*words[start : start + length]], [*words[:start], *words[start + length :]]
        at = target - length if target > start + length else target
        return rest[:at] + run + rest[at:]


def align(hyp: Words, ref: Words) -> Alignment:
    """Return the Levenshtein alignment within the beam, preferring replacements to deletions to insertions."""
    n, m = len(hyp), len(ref)
    ratio = m / n if n else 1.0
    width = math.ceil(ratio / 2 + BEAM_WIDTH) if ratio / 2 > BEAM_WIDTH else BEAM_WIDTH
    best: dict[tuple[int, int], tuple[float, str]] = {(0, j): (j, "insert") for j in range(m + 1)}
    nowhere = (math.inf, "")
    for i in range(1, n + 1):
        diagonal = math.floor(i * ratio)
        end = m + 1 if i == n else min(m + 1, diagonal + width)
        for j in range(max(0, diagonal - width), end):
            equal = j > 0 and hyp[i - 1] == ref[j - 1]
            ways = (
                (best.get((i - 1, j - 1), nowhere)[0] + (not equal), "keep" if equal else "replace"),
                (best.get((i - 1, j), nowhere)[0] + 1, "delete"),
                (best.get((i, j - 1), nowhere)[0] + 1, "insert"),
            )
            best[i, j] = min(ways, key=lambda way: way[0])
    return _trace(best, n, m)


def _trace(best: dict[tuple[int, int], tuple[float, str]], n: int, m: int) -> Alignment:
    hyp_wrong, ref_wrong, place = [True] * n, [True] * m, [0] * (m + 1)
    i, j = n, m
    while (i, j) != (0, 0):
        way = best[i, j][1]
        if way != "delete":
            place[j] = i
        if way == "keep":
            hyp_wrong[i - 1] = ref_wrong[j - 1] = False
        i, j = i - (way != "insert"), j - (way != "delete")
    return Alignment(int(best[n, m][0]), hyp_wrong, ref_wrong, place)


def shifts(hyp: Words, ref: Words, now: Alignment) -> Iterator[Shift]:
    """Yield shifts of every common run that is misaligned on both sides to the positions of its reference words."""
    for start in range(len(hyp)):
        for at in range(max(0, start - MAX_SHIFT_DISTANCE), min(len(ref), start + MAX_SHIFT_DISTANCE + 1)):
            for length in range(1, MAX_SHIFT_SIZE + 1):
                end_h, end_r = start + length, at + length
                if end_h > len(hyp) or end_r > len(ref) or hyp[end_h - 1] != ref[end_r - 1]:
                    break
                inside = start < now.place[at + 1] <= end_h
                if any(now.hyp_wrong[start:end_h]) and any(now.ref_wrong[at:end_r]) and not inside:
                    for target in dict.fromkeys(now.place[at : end_r + 1]):
                        yield Shift(start, length, target)


def ter_edits(hyp: Words, ref: Words) -> int:
    """Return the number of shifts plus remaining edits; the best shift is applied as long as it helps.

    Ties go to the longest shift, then the earliest, then the one to the earliest position. The search ends
    when 1000 candidates have been found in all. Beyond 2000 words on either side no shift is searched.
    """
    if not ref:
        return len(hyp)
    made = checked = 0
    now = align(hyp, ref)
    while max(len(hyp), len(ref)) <= MAX_WORDS:
        candidates = list(shifts(hyp, ref, now))
        checked += len(candidates)
        if not candidates or checked >= MAX_CANDIDATES:
            break
        distances = {shift: align(shift.apply(hyp), ref).distance for shift in set(candidates)}
        best = min(candidates, key=lambda s: (distances[s], -s.length, s.start, s.target))
        if distances[best] >= now.distance:
            break
        made, hyp = made + 1, best.apply(hyp)
        now = align(hyp, ref)
    return made + now.distance


def ter_statistics(hypothesis: Words, references: Sequence[Words]) -> tuple[int, float]:
    """Return (fewest edits over the references, mean length of the references)."""
    edits = min(ter_edits(hypothesis, reference) for reference in references)
    return edits, sum(map(len, references)) / len(references)
