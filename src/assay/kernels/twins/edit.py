"""What the edit-distance kernel computes."""

from __future__ import annotations

from collections.abc import Sequence


def levenshtein(hypothesis: Sequence[object], reference: Sequence[object]) -> int:
    """The fewest insertions, deletions and replacements that turn one sequence into the other."""
    row = list(range(len(reference) + 1))
    for i, symbol in enumerate(hypothesis, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(reference, 1):
            diagonal, row[j] = row[j], min(diagonal + (symbol != other), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def error_rate(hypothesis: Sequence[object], references: Sequence[Sequence[object]]) -> tuple[int, int, float]:
    """(edits, reference length, rate) of the reference with the lowest rate, the first of equals.

    Against an empty reference the rate is 0 for an empty hypothesis and 1 for any other.
    """
    rated = []
    for reference in references:
        edits = levenshtein(hypothesis, reference)
        rate = edits / len(reference) if reference else float(edits > 0)
        rated.append((edits, len(reference), rate))
    return min(rated, key=lambda found: found[2])
