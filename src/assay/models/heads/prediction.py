"""A model's predictions: scores, components and error spans as columns, combined from passes and from windows on long texts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.spans import SEVERITIES, ErrorSpan
from assay.core.spans import mqm as mqm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.spans import ErrorSpan
    from assay.models.heads.inference import Texts

RELEASED, PAPER = (0.12, 0.33, 0.33, 0.22), (1 / 9, 1 / 3, 1 / 3, 2 / 9)
"""Weights for src, ref, src+ref and MQM in xCOMET's score: as in unbabel-comet, and as in the paper (equation 7)."""
PASSES = ("src", "ref", "unified")


@dataclass(frozen=True, slots=True)
class Prediction:
    """Columns over the rows: the score, its components, spans if the model has a tagger, and whether a text was truncated."""

    values: NDArray[np.float64]
    truncated: NDArray[np.bool_]
    components: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    spans: list[tuple[ErrorSpan, ...]] | None = None


def mean(columns: dict[str, NDArray[np.float32]]) -> NDArray[np.float64]:
    """Return the mean over the passes that exist for a row."""
    stacked = np.stack(list(columns.values()))
    count = (~np.isnan(stacked)).sum(axis=0)
    return np.asarray(np.nansum(stacked, axis=0) / count.astype(np.float32), dtype=np.float64)


def combine(
    columns: dict[str, NDArray[np.float32]], errors: NDArray[np.float32], weights: Sequence[float]
) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float32]]]:
    """Return scores and components according to xCOMET's equation 7.

    If a row has one pass only, that pass gets the weight of all three, as in the released package. Its component is then
    capped at 1, like the score.
    """
    shares = np.array(weights, dtype=np.float32)
    passes = np.stack([columns.get(name, np.full(len(errors), np.nan, np.float32)) for name in PASSES])
    whole = ~np.isnan(passes).any(axis=0)
    capped = np.minimum(passes, np.float32(1.0))
    single = np.nanmax(np.where(np.isnan(capped), -np.inf, capped), axis=0) * np.float32(sum(weights[:3]))
    three = (capped * shares[:3, None]).sum(axis=0)
    values = np.where(whole, three, single) + errors * shares[3]
    shown_columns = {
        name: np.where(whole, column, np.minimum(column, np.float32(1.0))) for name, column in columns.items()
    }
    return np.asarray(values, dtype=np.float64), shown_columns


def components(columns: dict[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float64]]:
    """Return the passes' scores in double precision."""
    return {name: column.astype(np.float64) for name, column in columns.items()}


def take(whole: Prediction, rows: NDArray[np.int64]) -> Prediction:
    """Return the given rows, in the given order."""
    return Prediction(
        whole.values[rows],
        whole.truncated[rows],
        {name: column[rows] for name, column in whole.components.items()},
        None if whole.spans is None else [whole.spans[i] for i in rows],
    )


def join(parts: Sequence[Prediction]) -> Prediction:
    """Join consecutive predictions. A component that is missing from one of them is NaN there."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Prediction(np.empty(0), np.empty(0, dtype=bool))
    names = dict.fromkeys(name for part in parts for name in part.components)
    columns = {
        name: np.concatenate([part.components.get(name, np.full(len(part.values), np.nan)) for part in parts])
        for name in names
    }
    tagged = parts[0].spans is not None
    return Prediction(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.truncated for part in parts]),
        columns,
        [spans for part in parts for spans in part.spans or ()] if tagged else None,
    )


Decoder = Literal["paper", "exact"]
Offsets = Sequence[tuple[int, int]]
Predict = Callable[..., "Prediction"]
"""A function from hypotheses, sources and references to a prediction."""


def decode(
    text: str,
    probabilities: NDArray[np.float32],
    offsets: Offsets,
    labels: Sequence[str],
    *,
    decoder: Decoder = "paper",
    threshold: float | None = None,
) -> tuple[ErrorSpan, ...]:
    """Return the error spans of one translation.

    `probabilities` has one row per token of the translation, special tokens included, and one column per label, "no error"
    first. With a `threshold`, a token is an error if the sum of its error-label probabilities exceeds it. Otherwise the most
    probable label decides.
    """
    count = min(len(offsets), len(probabilities))
    probabilities = probabilities[:count]
    tags = probabilities.argmax(axis=1)
    if threshold is not None:
        worst = 1 + probabilities[:, 1:].argmax(axis=1)
        tags = np.where(probabilities[:, 1:].sum(axis=1) > threshold, worst, 0)
    confidences = probabilities[np.arange(count), tags]
    if not tags.any():
        return ()
    read = _exact if decoder == "exact" else _paper
    return tuple(read(text, tags.tolist(), confidences, offsets, labels))


def _exact(
    text: str, tags: list[int], confidences: NDArray[np.float32], offsets: Offsets, labels: Sequence[str]
) -> Iterable[ErrorSpan]:
    """Decode in the same way as unbabel-comet 2.2.7.

    Neighbours join under the severity of the first one, and special tokens count as text at 0. A span that is open at the
    last token is dropped.
    """
    start: int | None = None
    for i, tag in enumerate(tags):
        if tag and start is None:
            start = i
        elif not tag and start is not None:
            confidence = float(confidences[start:i].mean())
            first, last = offsets[start][0], offsets[i - 1][1]
            yield ErrorSpan.of(text, first, last, labels[tags[start]], confidence=confidence)
            start = None


def _paper(
    text: str, tags: list[int], confidences: NDArray[np.float32], offsets: Offsets, labels: Sequence[str]
) -> Iterable[ErrorSpan]:
    """Decode with the paper's rule: neighbouring error tokens form a span with the worst severity among them.

    Tokens without text (special ones) are skipped. The space at the start of a word's first token is not marked.
    """
    group: list[int] = []
    with_text = [i for i in range(len(tags)) if offsets[i][1] > offsets[i][0]]
    for i in [*with_text, -1]:
        if i >= 0 and tags[i]:
            group.append(i)
        elif group:
            first, last = offsets[group[0]][0], offsets[group[-1]][1]
            inner = text[first:last]
            if inner.strip():
                first, last = first + len(inner) - len(inner.lstrip()), last - (len(inner) - len(inner.rstrip()))
            severity = max((labels[tags[j]] for j in group), key=SEVERITIES.index)
            yield ErrorSpan.of(text, first, last, severity, confidence=float(confidences[group].mean()))
            group = []


def cut(text: str, parts: int) -> list[tuple[int, str]]:
    """Split `text` into `parts` of similar length, with their starts, preferably at the end of a sentence or word."""
    starts = [0]
    for k in range(1, parts):
        aim, slack = round(len(text) * k / parts), len(text) // (4 * parts)
        low, high = max(starts[-1], aim - slack), min(len(text), aim + slack)
        sentences = [low + m.end() for m in re.finditer(r"[.!?。！？]+\s*", text[low:high])]
        words = [low + m.end() for m in re.finditer(r"\s+", text[low:high])]
        starts.append(min(sentences or words or [max(aim, starts[-1])], key=lambda place: abs(place - aim)))
    return [(start, text[start:stop]) for start, stop in zip(starts, [*starts[1:], len(text)], strict=True)]


def predict_long(
    predict: Predict, hypotheses: Sequence[str], sources: Texts | None, references: Texts | None
) -> Prediction:
    """Return the scores of all rows. Rows that would be truncated are scored in windows.

    The score and components of such a row are means over its windows, weighted by their share of the translation. Its spans
    come from all windows, and the MQM component is computed from all of them. The `truncated` flag stays set, since it means
    that the row exceeded the model's maximum length.
    """
    whole = predict(hypotheses, sources, references)
    for row in np.flatnonzero(whole.truncated).tolist():
        parts = _windows(
            predict,
            hypotheses[row],
            None if sources is None else sources[row],
            None if references is None else references[row],
        )
        if parts is not None:
            _put(whole, row, hypotheses[row], *parts)
    return whole


def _windows(
    predict: Predict, hypothesis: str, source: str | None, reference: str | None
) -> tuple[list[tuple[int, str]], Prediction] | None:
    """Score a row in as few windows as possible. Return None if even windows of single characters are truncated."""
    count = 2
    while count <= max(len(hypothesis), 2):
        windows = cut(hypothesis, count)
        sides = [None if text is None else [part for _, part in cut(text, count)] for text in (source, reference)]
        prediction = predict([part for _, part in windows], *sides)
        if not prediction.truncated.any():
            return windows, prediction
        count = math.ceil(count * 1.5)
    return None


def _put(whole: Prediction, row: int, hypothesis: str, windows: list[tuple[int, str]], prediction: Prediction) -> None:
    shares = np.array([len(part) for _, part in windows], dtype=np.float64) if hypothesis else np.ones(len(windows))
    shares /= shares.sum()
    value = float((prediction.values * shares).sum())
    for name, column in prediction.components.items():
        if name in whole.components:
            whole.components[name][row] = float((column * shares).sum())
    if whole.spans is not None and prediction.spans is not None:
        whole.spans[row] = tuple(
            replace(span, start=start + span.start, end=start + span.end)
            for (start, _), spans in zip(windows, prediction.spans, strict=True)
            for span in spans
        )
        if "mqm" in whole.components:
            whole.components["mqm"][row] = mqm(whole.spans[row])
    whole.values[row] = value
