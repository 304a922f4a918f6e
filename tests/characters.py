"""Span figures by plain Python over characters, as the definition reads: the independent side of comparisons."""

from __future__ import annotations

from collections.abc import Sequence

Span = tuple[int, int, str]


def marked(spans: Sequence[Span], place: int) -> set[str]:
    """The severities that cover one character; critical is major, neutral is none, an empty span covers one character."""
    kinds = {"minor": "minor", "major": "major", "critical": "major"}
    return {
        kinds[severity] for start, end, severity in spans if severity in kinds and start <= place < max(end, start + 1)
    }


def credit(gold: set[str], predicted: set[str]) -> float:
    """What a character earns."""
    if not gold or not predicted:
        return 0.0
    return 1.0 if gold == {"minor", "major"} or gold & predicted else 0.5


def totals(
    gold: Sequence[Sequence[Span]], predicted: Sequence[Sequence[Span]], lengths: Sequence[int]
) -> dict[str, float]:
    """Credit, located, gold and predicted characters, and those of each severity, over all translations."""
    sums = dict.fromkeys(("credit", "located", "gold", "predicted"), 0.0)
    sums |= {f"{level}_{part}": 0.0 for level in ("minor", "major") for part in ("both", "gold", "predicted")}
    for people, found, length in zip(gold, predicted, lengths, strict=True):
        for place in range(length) if people or found else ():
            a, b = marked(people, place), marked(found, place)
            sums["credit"] += credit(a, b)
            sums["located"] += bool(a) and bool(b)
            sums["gold"] += bool(a)
            sums["predicted"] += bool(b)
            for level in ("minor", "major"):
                sums[f"{level}_both"] += level in a and level in b
                sums[f"{level}_gold"] += level in a
                sums[f"{level}_predicted"] += level in b
    return sums


def f1(found: float, gold: float, predicted: float) -> float:
    """Harmonic mean of found / predicted and found / gold; 0 where there is nothing."""
    precision, recall = (found / predicted if predicted else 0.0), (found / gold if gold else 0.0)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
