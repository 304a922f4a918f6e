"""From the tags of a translation's pieces to error spans."""

from __future__ import annotations

from collections.abc import Sequence

from assay.core.spans import ErrorSpan
from assay.metrics.mini.model import Opinion


def spans(text: str, judgement: Opinion, threshold: float, major: float) -> tuple[ErrorSpan, ...]:
    """Pieces that are probably part of an error, neighbours joined: as bad and as sure as the worst of them.

    Neighbours stand together or have one character between them.
    """
    rows: Sequence[tuple[int, int]] = judgement.ranges.tolist()
    found: list[list[float]] = []
    last = -2
    for at in (judgement.tags[:, 0] > threshold).nonzero()[0].tolist():
        (start, end), (sure, bad) = rows[at], judgement.tags[at].tolist()
        if found and last == at - 1 and start - found[-1][1] <= 1:
            known = found[-1]
            found[-1] = [known[0], max(known[1], end), max(known[2], sure), max(known[3], bad)]
        else:
            found.append([start, end, sure, bad])
        last = at
    return tuple(
        ErrorSpan.of(text, int(start), int(end), "major" if bad > major else "minor", confidence=sure)
        for start, end, sure, bad in found
        if text[int(start) : int(end)].strip()
    )
