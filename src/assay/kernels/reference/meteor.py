"""Reference implementation of the METEOR kernels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def word_ids(columns: Sequence[Sequence[str | None]]) -> tuple[list[str], list[list[int]]]:
    """Return distinct words in order of appearance, and the ids of each text's words; a missing text has the single id -1."""
    numbers: dict[str, int] = {}
    ids = [
        [-1] if text is None else [numbers.setdefault(word, len(numbers)) for word in text.split()]
        for column in columns
        for text in column
    ]
    return list(numbers), ids


def meteor(
    hypothesis: Sequence[str],
    reference: Sequence[str],
    stems: Mapping[str, str],
    synonyms: Mapping[str, Sequence[str]],
    alpha: float,
    beta: float,
    gamma: float,
) -> float:
    """Return METEOR of lower-case words; each stage matches the words that earlier stages left unmatched."""
    matches: dict[int, int] = {}
    for same in (
        lambda h, r: h == r,
        lambda h, r: stems[h] == stems[r],
        lambda h, r: stems[r] in synonyms.get(stems[h], ()),
    ):
        for i in reversed(range(len(hypothesis))):
            if i in matches:
                continue
            free = [j for j in range(len(reference)) if j not in matches.values() and same(hypothesis[i], reference[j])]
            if free:
                matches[i] = free[-1]
    if not matches:
        return 0.0
    chunks = sum(matches.get(i - 1, -2) + 1 != j for i, j in matches.items())
    precision, recall = len(matches) / len(hypothesis), len(matches) / len(reference)
    mean = precision * recall / (alpha * precision + (1 - alpha) * recall)
    return (1 - gamma * math.pow(chunks / len(matches), beta)) * mean
