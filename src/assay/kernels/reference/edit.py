"""Reference implementation of the edit-distance kernel."""

from __future__ import annotations

from collections.abc import Sequence


def levenshtein(hypothesis: Sequence[object], reference: Sequence[object]) -> int:
    """Return the smallest number of insertions, deletions and replacements that turn one sequence into the other."""
    row = list(range(len(reference) + 1))
    for i, symbol in enumerate(hypothesis, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(reference, 1):
            diagonal, row[j] = row[j], min(diagonal + (symbol != other), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def error_rate(hypothesis: Sequence[object], references: Sequence[Sequence[object]]) -> tuple[int, int, float]:
    """Return (edits, reference length, rate) for the first reference with the lowest rate.

    For an empty reference, the rate is 0 if the hypothesis is empty and 1 otherwise.
    """
    rated = []
    for reference in references:
        edits = levenshtein(hypothesis, reference)
        rate = edits / len(reference) if reference else float(edits > 0)
        rated.append((edits, len(reference), rate))
    return min(rated, key=lambda found: found[2])
