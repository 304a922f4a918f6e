"""Error spans against error spans: character-level F1 with partial credit, agreement between raters.

A span is (start, end, severity) in characters of the translation. An empty span marks the one character at its start, an
end beyond the text is cut to it; critical counts as major and neutral as no error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import InputError, count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]

Span = tuple[int, int, str]
Spans = Sequence[Span]
_LEVEL = {"neutral": None, "minor": "minor", "major": "major", "critical": "major"}


@dataclass(frozen=True)
class SpanScore:
    """What was found: credit earned on each side, and how much there was to find and was predicted."""

    gold_credit: float = 0.0
    predicted_credit: float = 0.0
    gold: int = 0
    predicted: int = 0

    def __add__(self, other: SpanScore) -> SpanScore:
        return SpanScore(
            self.gold_credit + other.gold_credit,
            self.predicted_credit + other.predicted_credit,
            self.gold + other.gold,
            self.predicted + other.predicted,
        )

    @property
    def recall(self) -> float:
        """Share of gold that was found; 0 where there is none."""
        return self.gold_credit / self.gold if self.gold else 0.0

    @property
    def precision(self) -> float:
        """Share of predictions that are right; 0 where there is none."""
        return self.predicted_credit / self.predicted if self.predicted else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 where both are."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def character_score(gold: Sequence[Spans], predicted: Sequence[Spans], lengths: Sequence[int]) -> SpanScore:
    """Character-level score of the WMT23 quality-estimation task, summed over segments before any division.

    A gold character earns 1 where the prediction has its severity (any, where gold marks it both minor and major), 0.5
    where it has only the other one, else 0.
    """
    total = SpanScore()
    for (gold_minor, gold_major), (minor, major) in _marked(gold, predicted, lengths):
        found = minor | major
        right = (gold_minor & gold_major & found) | (gold_minor & minor) | (gold_major & major)
        credit = float((0.5 * ((gold_minor | gold_major) & found) + 0.5 * right).sum())
        total += SpanScore(credit, credit, int((gold_minor | gold_major).sum()), int(found.sum()))
    return total


@dataclass(frozen=True)
class RaterAgreement:
    """Character-level score of every pair of raters, and the mean F1 over pairs (NaN with fewer than two raters)."""

    pairs: dict[tuple[str, str], SpanScore]

    @property
    def f1(self) -> float:
        """Mean over pairs of raters."""
        return float(np.mean([score.f1 for score in self.pairs.values()])) if self.pairs else float("nan")


def rater_agreement(ratings: Mapping[str, Sequence[Spans]], lengths: Sequence[int]) -> RaterAgreement:
    """Agreement of raters who all marked the same segments; which of a pair is called gold makes no difference to F1."""
    pairs = combinations(ratings, 2)
    return RaterAgreement({(a, b): character_score(ratings[a], ratings[b], lengths) for a, b in pairs})


def marks(spans: Spans, length: int) -> tuple[Bools, Bools]:
    """Which characters of a text are marked minor, and which major."""
    minor, major = np.zeros(length, bool), np.zeros(length, bool)
    for start, end, severity in spans:
        if severity not in _LEVEL:
            raise InputError(f"severity {severity!r} is none of {', '.join(_LEVEL)}.")
        if not 0 <= start <= end or start > length:
            raise InputError(f"span {start}:{end} lies outside its text of {length} characters.")
        level = _LEVEL[severity]
        if level is not None:
            (minor if level == "minor" else major)[start : max(end, start + 1)] = True
    return minor, major


def _aligned(
    gold: Sequence[Spans], predicted: Sequence[Spans], lengths: Sequence[int]
) -> list[tuple[Spans, Spans, int]]:
    if not len(gold) == len(predicted) == len(lengths):
        people, texts = count(len(gold), "gold segment"), count(len(lengths), "text")
        raise InputError(f"{people}, {len(predicted):,} predicted and {texts} must match.")
    return list(zip(gold, predicted, lengths, strict=True))


def _marked(
    gold: Sequence[Spans], predicted: Sequence[Spans], lengths: Sequence[int]
) -> list[tuple[tuple[Bools, Bools], tuple[Bools, Bools]]]:
    rows = [row for row in _aligned(gold, predicted, lengths) if row[0] or row[1]]
    return [(marks(people, length), marks(found, length)) for people, found, length in rows]
