"""assay-mini's scores: a ranking score, the same score from 0 to 1, and expected MQM penalties, all from one pass."""

from __future__ import annotations

import re
import unicodedata
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.metric import Metric, Needs, Scores, Signature
from assay.core.spans import ErrorSpan
from assay.metrics.common import best
from assay.metrics.mini import constants
from assay.metrics.mini.cards import MINI, MQM, UNIT
from assay.metrics.mini.model import (
    Model,
    ModelOutput,
    Triple,
    coverage_flags,
    model_of,
    need_weights,
    triples,
    weights_of,
)

if TYPE_CHECKING:
    from assay.core.metric import Floats

SLICE = 8192
"""Number of rows whose outputs are in memory at a time."""
NO_OUTPUT = ModelOutput(np.full(7, np.nan, np.float32), np.empty((0, 2), np.float32), np.empty((0, 2), np.int32))
"""Output for a row that the model does not read."""
_COMPONENTS = {"log_mu": constants.LOG_MU, **constants.HEADS}
_NEEDS: dict[str, Needs] = {"both": "either", "src": "source", "ref": "reference"}


class MiniScore(Metric):
    """Base class of the three scores, which share one model and its outputs.

    `precision`: int8 is fast; int16 is within 0.002 of the same weights in fp32, at half the speed. `inputs` selects the texts
    to compare the translation with: both, the source alone, or references alone. `threshold` is the minimum probability of a
    marked error. `long` determines whether texts of more than 400 subwords are scored in windows or truncated. `path` is a
    folder with other weights.
    """

    def __init__(
        self,
        *,
        precision: Literal["int8", "int16"] = "int8",
        inputs: Literal["both", "src", "ref"] = "both",
        threshold: float = constants.THRESHOLD,
        long: Literal["window", "truncate"] = "window",
        path: str | None = None,
    ) -> None:
        if not 0.0 <= threshold <= 1.0:
            raise InputError(f"{self.card.name} needs a threshold from 0 to 1, not {threshold:g}.")
        need_weights(self.card.name, path)
        self.precision, self.inputs, self.threshold, self.long, self.path = precision, inputs, threshold, long, path
        self.card = replace(type(self).card, needs=_NEEDS[inputs])
        self.reader = ""
        """Name under which outputs are requested from the model, if it is not this metric's own."""

    @cached_property
    def reads(self) -> AssayMini | None:
        """The ranking score, from whose components the other two are computed."""
        if isinstance(self, AssayMini):
            return None
        ranking = AssayMini(
            precision=self.precision, inputs=self.inputs, threshold=self.threshold, long=self.long, path=self.path
        )
        ranking.reader = str(self.signature)
        return ranking

    def reading(self, scores: Scores) -> Scores:
        """Return this metric's scores from the components of the ranking score."""
        values = np.full((len(scores), constants.WIDTH), np.nan)
        for name, column in _COMPONENTS.items():
            values[:, column] = scores.components[name]
        values_shown, nothing = self.read(values, scores.values), np.zeros(len(scores), bool)
        empty = scores.flags.get("empty_hypothesis", nothing) & ~scores.flags.get("nothing_to_compare", nothing)
        values_shown[empty] = self.worst()
        return replace(scores, values=values_shown)

    @property
    def signature(self) -> Signature:
        plain = Signature.of(self.card.label, 3, inputs=self.inputs, threshold=self.threshold, long=self.long)
        return replace(plain, weights=weights_of(self.path).identity, precision=self.precision)

    @abstractmethod
    def read(self, values: Floats, ranked: Floats) -> Floats:
        """Return the score from log mu and the heads, or from the ranking score."""

    @abstractmethod
    def worst(self) -> float:
        """Return the score of an empty translation."""

    def score(self, batch: Batch) -> Scores:
        """Return scores, components and spans, with flags on rows that are empty, long, or unfamiliar to the model."""
        parts = [self._score(batch.slice(at, at + SLICE)) for at in range(0, max(len(batch), 1), SLICE)]
        return Scores.concat(parts)

    def _score(self, batch: Batch) -> Scores:
        rows, compared = triples(batch, self.card, self.inputs)
        if not compared:
            return Scores(np.empty(0))
        model = model_of(self.path, self.precision == "int16")
        flags = coverage_flags(model, compared, batch.langpairs and [batch.langpairs[row] for row in rows])
        outputs = self._judge(model, compared, flags["empty_hypothesis"] | flags["nothing_to_compare"])
        values = constants.columns(outputs)
        ranked = constants.ranking(values, constants.compared_texts(compared))
        shown_values = self.read(values, ranked)
        shown_values[flags["empty_hypothesis"] & ~flags["nothing_to_compare"]] = self.worst()
        flags["truncated"] = np.array([output.long for output in outputs], bool)
        best_rows = best(ranked.tolist(), rows, len(batch))
        return Scores(
            shown_values[best_rows],
            components={name: values[best_rows, column] for name, column in _COMPONENTS.items()},
            spans=[
                spans(compared[at].hypothesis, outputs[at], self.threshold, constants.MAJOR)
                for at in best_rows.tolist()
            ],
            flags={name: column[best_rows] for name, column in flags.items() if column[best_rows].any()},
        )

    def _judge(self, model: Model, compared: list[Triple], without: np.ndarray) -> list[ModelOutput]:
        """Return the model's output for every triple except those in `without`."""
        outputs = [NO_OUTPUT] * len(compared)
        indices = np.flatnonzero(~without).tolist()
        requested = [compared[at] for at in indices]
        judged = model.judge(requested, self.long == "window", self.reader or str(self.signature))
        for at, output in zip(indices, judged, strict=True):
            outputs[at] = output
        return outputs


class AssayMini(MiniScore):
    """Ranking score for comparing translations."""

    card = MINI

    def read(self, values: Floats, ranked: Floats) -> Floats:
        return ranked.copy()

    def worst(self) -> float:
        return constants.worst().ranking


class AssayMiniUnit(MiniScore):
    """Ranking score as the share of calibration translations that score lower."""

    card = UNIT

    def read(self, values: Floats, ranked: Floats) -> Floats:
        return constants.unit(ranked)

    def worst(self) -> float:
        return constants.worst().unit


class AssayMiniMqm(MiniScore):
    """Minus the expected MQM penalties."""

    card = MQM

    def read(self, values: Floats, ranked: Floats) -> Floats:
        return constants.expected_mqm(values)

    def worst(self) -> float:
        return constants.worst().mqm


WITHOUT_BLANKS = re.compile(
    "[\u0e00-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aad\u2e80-\u31ff\u3400-\u4dbf\u4e00-\ua4cf\uaa60-\uaadf\uf900-\ufaff"
    "\uff66-\uff9f\U00016fe0-\U0003ffff]"
)
"""Letters of scripts written without spaces: Thai, Lao, Tibetan, Burmese, Khmer, Tai, kana, Han, Yi."""


def spans(text: str, output: ModelOutput, threshold: float, major: float) -> tuple[ErrorSpan, ...]:
    """Return the words that are probably part of an error; neighbours are joined, with the worst severity and highest confidence.

    The probability of a word is the mean over its subwords. In languages written without spaces, each subword counts
    separately. Two words are neighbours if at most one character is between them.
    """
    ranges: Sequence[tuple[int, int]] = output.ranges.tolist()
    merged: list[list[float]] = []
    last = behind = 0
    for at in (output.tags[:, 0] > threshold).nonzero()[0].tolist():
        if at < behind:
            continue
        first, behind = _word(text, ranges, at)
        sure, bad = (sum(column) / len(column) for column in zip(*output.tags[first:behind].tolist(), strict=True))
        if sure <= threshold:
            continue
        start, end = ranges[first][0], ranges[behind - 1][1]
        if merged and last == first and start - merged[-1][1] <= 1:
            previous = merged[-1]
            merged[-1] = [previous[0], max(previous[1], end), max(previous[2], sure), max(previous[3], bad)]
        else:
            merged.append([start, end, sure, bad])
        last = behind
    return tuple(
        ErrorSpan.of(text, int(start), int(end), "major" if bad > major else "minor", confidence=sure)
        for start, end, sure, bad in merged
        if text[int(start) : int(end)].strip()
    )


def _word(text: str, ranges: Sequence[tuple[int, int]], at: int) -> tuple[int, int]:
    """Return the indices of a word's first subword and of the first one after the word."""
    first, behind = at, at + 1
    while first > 0 and _within_word(text, ranges[first - 1][1], ranges[first][0]):
        first -= 1
    while behind < len(ranges) and _within_word(text, ranges[behind - 1][1], ranges[behind][0]):
        behind += 1
    return first, behind


def _within_word(text: str, end: int, start: int) -> bool:
    """Return whether two neighbouring subwords belong to one word, which may contain an apostrophe between letters."""
    before, after = text[max(end - 2, 0) : end], text[start : start + 2]
    if end != start or not before or not after:
        return False
    if before[-1] in "'’":
        before = before[:-1]
    elif after[0] in "'’":
        after = after[1:]
    return bool(before and after) and _spelled(before[-1]) and _spelled(after[0])


def _spelled(char: str) -> bool:
    """Return whether a character is part of words that are separated by spaces."""
    return (char.isalnum() or unicodedata.category(char)[0] == "M") and not WITHOUT_BLANKS.match(char)
