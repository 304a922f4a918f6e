"""Reference implementation of the ROUGE kernel."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence


def rouge_tokens(text: str) -> list[str]:
    """Return runs of Latin letters and digits in lower case."""
    return re.findall("[a-z0-9]+", text.lower())


def unsupported_script(text: str) -> bool:
    """Return whether the tokenizer skips more of the text's letters and digits than it reads."""
    read = sum(map(len, rouge_tokens(text)))
    passed_over = sum(c.isalnum() and not rouge_tokens(c) for c in text)
    return passed_over > read


def longest_common_subsequence(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence of tokens."""
    row = [0] * (len(other) + 1)
    for a in one:
        before = row
        row = [0]
        for j, b in enumerate(other):
            row.append(before[j] + 1 if a == b else max(row[j], before[j + 1]))
    return row[-1]


def rouge(hypothesis: str, references: Sequence[str], order: int) -> tuple[float, float, float]:
    """Return (F1, precision, recall) for the first reference with the best F1; order 0 is ROUGE-L."""
    best: tuple[float, float, float] | None = None
    for reference in references:
        sides = [rouge_tokens(hypothesis), rouge_tokens(reference)]
        if order == 0:
            common, sizes = longest_common_subsequence(*sides), [len(side) for side in sides]
        else:
            grams = [Counter(zip(*(side[i:] for i in range(order)), strict=False)) for side in sides]
            common, sizes = (grams[0] & grams[1]).total(), [gram.total() for gram in grams]
        precision, recall = (common / max(size, 1) for size in sizes)
        f1 = 2 * precision * recall / (precision + recall) if common else 0.0
        if best is None or f1 > best[0]:
            best = f1, precision, recall
    assert best is not None
    return best
