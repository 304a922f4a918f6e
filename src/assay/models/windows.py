"""Texts longer than the model reads: cut into windows of all sides at corresponding places, scored one by one, put together."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from assay.models.prediction import Prediction
from assay.models.spans import mqm

if TYPE_CHECKING:
    from assay.models.inference import Texts


class Predicts(Protocol):
    """What windows need of a predictor."""

    def predict(self, hypotheses: Sequence[str], sources: Texts | None, references: Texts | None) -> Prediction:
        """Scores of all rows."""


def cut(text: str, parts: int) -> list[tuple[int, str]]:
    """`text` in `parts` pieces of about equal length with their starts, cut behind a sentence or a word where it can be."""
    places = [0]
    for k in range(1, parts):
        aim, slack = round(len(text) * k / parts), len(text) // (4 * parts)
        low, high = max(places[-1], aim - slack), min(len(text), aim + slack)
        sentences = [low + m.end() for m in re.finditer(r"[.!?。！？]+\s*", text[low:high])]
        words = [low + m.end() for m in re.finditer(r"\s+", text[low:high])]
        places.append(min(sentences or words or [max(aim, places[-1])], key=lambda place: abs(place - aim)))
    return [(start, text[start:stop]) for start, stop in zip(places, [*places[1:], len(text)], strict=True)]


def predict_long(
    predictor: Predicts, hypotheses: Sequence[str], sources: Texts | None, references: Texts | None
) -> Prediction:
    """Scores of all rows; those that would be truncated are scored in windows.

    A windowed row's score and components are the mean over its windows, weighted by their share of the translation; spans
    are all windows' spans, and the MQM component is computed again from all of them. The `truncated` flag stays raised: it
    says that the row was longer than the model reads.
    """
    whole = predictor.predict(hypotheses, sources, references)
    for row in np.flatnonzero(whole.truncated).tolist():
        parts = _windows(
            predictor,
            hypotheses[row],
            None if sources is None else sources[row],
            None if references is None else references[row],
        )
        if parts is not None:
            _put(whole, row, hypotheses[row], *parts)
    return whole


def _windows(
    predictor: Predicts, hypothesis: str, source: str | None, reference: str | None
) -> tuple[list[tuple[int, str]], Prediction] | None:
    """The row in as few windows as are not truncated; None where even single characters are too long."""
    count = 2
    while count <= max(len(hypothesis), 2):
        pieces = cut(hypothesis, count)
        sides = [None if text is None else [piece for _, piece in cut(text, count)] for text in (source, reference)]
        found = predictor.predict([piece for _, piece in pieces], *sides)
        if not found.truncated.any():
            return pieces, found
        count = math.ceil(count * 1.5)
    return None


def _put(whole: Prediction, row: int, hypothesis: str, pieces: list[tuple[int, str]], found: Prediction) -> None:
    shares = np.array([len(piece) for _, piece in pieces], dtype=np.float64) if hypothesis else np.ones(len(pieces))
    shares /= shares.sum()
    value = float((found.values * shares).sum())
    for name, column in found.components.items():
        if name in whole.components:
            whole.components[name][row] = float((column * shares).sum())
    if whole.spans is not None and found.spans is not None:
        whole.spans[row] = tuple(
            replace(span, start=start + span.start, end=start + span.end)
            for (start, _), spans in zip(pieces, found.spans, strict=True)
            for span in spans
        )
        if "mqm" in whole.components:
            whole.components["mqm"][row] = mqm(whole.spans[row])
    whole.values[row] = value
