"""What assay-mini's numbers are read by: constants that go with the weights, measured once on known translations."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.core.metric import Floats
    from assay.metrics.mini.model import Opinion

HEADS = {"da": 3, "esa": 4, "qe": 5, "teacher": 6}
"""The heads that were trained on something, by what it was: direct assessments, ESA, quality estimation, other metrics."""
LOG_MU = 0
WIDTH = 7
"""Values that the model gives: log mu, and six heads."""
WORST_MQM = 25.0
"""What a translation that is none costs in MQM."""
_RANKING = ((LOG_MU, -1.0, 0.509, 0.844), (HEADS["da"], 1.0, 0.261, 0.412), (HEADS["teacher"], 1.0, 0.497, 0.560))
"""Column, sign, mean and deviation over the outputs of WMT23 of what the ranking score adds up."""
THRESHOLD, MAJOR = 0.16, 0.12
"""From which probability on a piece is marked, and marked as major: the best F1 over the characters of held-out documents."""


def columns(judgements: Sequence[Opinion]) -> Floats:
    """The values of all judgements, a row each; NaN where there is none."""
    return np.array([judgement.values for judgement in judgements], np.float64).reshape(len(judgements), -1)


def ranking(values: Floats) -> Floats:
    """Minus log mu, the direct assessment and the teachers' opinion, each in deviations from its mean, added up."""
    total = np.zeros(len(values))
    for column, sign, mean, deviation in _RANKING:
        total += sign * (values[:, column] - mean) / deviation
    return total


def expected_mqm(values: Floats) -> Floats:
    """Minus the sum of MQM penalties that people are expected to give."""
    return np.array([-math.exp(value) for value in values[:, LOG_MU].tolist()])


def unit(ranked: Floats) -> Floats:
    """The share of known translations that a ranking score lies above."""
    return np.asarray(np.interp(ranked, quantiles(), np.linspace(0.0, 1.0, len(quantiles()))))


@functools.cache
def quantiles() -> Floats:
    """The ranking scores below which 0, 1, … 100% of known translations lie."""
    from assay.data import rows

    return np.array([float(row["score"]) for row in rows("mini_quantiles.csv")])


@dataclass(frozen=True, slots=True)
class Worst:
    """What a translation gets that is empty: the worst that is known."""

    ranking: float
    unit: float = 0.0
    mqm: float = -WORST_MQM


def worst() -> Worst:
    """The lowest ranking score of the table, 0, and what a translation that is none costs."""
    return Worst(float(quantiles()[0]))
