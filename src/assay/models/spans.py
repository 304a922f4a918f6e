"""From the tagger's probabilities to error spans (Guerreiro et al. 2023, section 4.2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.spans import SEVERITIES, ErrorSpan
from assay.core.spans import mqm as mqm

if TYPE_CHECKING:
    from numpy.typing import NDArray

Decoder = Literal["paper", "exact"]
Offsets = Sequence[tuple[int, int]]


def decode(
    text: str,
    probabilities: NDArray[np.float32],
    offsets: Offsets,
    labels: Sequence[str],
    *,
    decoder: Decoder = "paper",
    threshold: float | None = None,
) -> tuple[ErrorSpan, ...]:
    """Error spans of one translation.

    `probabilities` has one row a token of the translation, special tokens included, and one column a label, "no error" first.
    With a `threshold` a token is an error when its error labels together exceed it; otherwise the likeliest label decides.
    """
    count = min(len(offsets), len(probabilities))
    probabilities = probabilities[:count]
    tags = probabilities.argmax(axis=1)
    if threshold is not None:
        worst = 1 + probabilities[:, 1:].argmax(axis=1)
        tags = np.where(probabilities[:, 1:].sum(axis=1) > threshold, worst, 0)
    chosen = probabilities[np.arange(count), tags]
    if not tags.any():
        return ()
    read = _exact if decoder == "exact" else _paper
    return tuple(read(text, tags.tolist(), chosen, offsets, labels))


def _exact(
    text: str, tags: list[int], chosen: NDArray[np.float32], offsets: Offsets, labels: Sequence[str]
) -> Iterable[ErrorSpan]:
    """What unbabel-comet 2.2.7 gives: neighbours join under the first one's severity, special tokens count as text at 0,
    and a span that is still open at the last token is dropped."""
    start: int | None = None
    for i, tag in enumerate(tags):
        if tag and start is None:
            start = i
        elif not tag and start is not None:
            confidence = float(chosen[start:i].mean())
            first, last = offsets[start][0], offsets[i - 1][1]
            yield ErrorSpan.of(text, first, last, labels[tags[start]], confidence=confidence)
            start = None


def _paper(
    text: str, tags: list[int], chosen: NDArray[np.float32], offsets: Offsets, labels: Sequence[str]
) -> Iterable[ErrorSpan]:
    """The paper's rule: neighbouring error tokens form a span, the worst severity in it counts, nothing is dropped.

    Tokens without text (special ones) are passed over. The space that a word's first token brings along is not marked.
    """
    group: list[int] = []
    places = [i for i in range(len(tags)) if offsets[i][1] > offsets[i][0]]
    for i in [*places, -1]:
        if i >= 0 and tags[i]:
            group.append(i)
        elif group:
            first, last = offsets[group[0]][0], offsets[group[-1]][1]
            inner = text[first:last]
            if inner.strip():
                first, last = first + len(inner) - len(inner.lstrip()), last - (len(inner) - len(inner.rstrip()))
            severity = max((labels[tags[j]] for j in group), key=SEVERITIES.index)
            yield ErrorSpan.of(text, first, last, severity, confidence=float(chosen[group].mean()))
            group = []
