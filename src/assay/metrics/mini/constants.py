"""Calibration constants for assay-mini's scores, measured once with its weights."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.data import rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.core.metric import Floats
    from assay.metrics.mini.model import ModelOutput, Triple

HEADS = {"da": 3, "esa": 4, "qe": 5, "teacher": 6}
"""Output heads by training data: direct assessments, ESA, quality estimation, other metrics."""
LOG_MU = 0
WIDTH = 7
"""Number of output values: log mu and six heads."""
WORST_MQM = 25.0
"""MQM penalty of a text that is not a translation."""
RANKED = ((LOG_MU, -1.0), (HEADS["da"], 1.0), (HEADS["teacher"], 1.0))
"""Columns and signs of the terms in the ranking score."""
_SPREADS = (
    ((0.509, 0.844), (0.261, 0.412), (0.497, 0.560)),
    ((0.558, 0.768), (0.205, 0.287), (0.487, 0.388)),
    ((0.602, 0.870), (0.195, 0.423), (0.500, 0.670)),
)
"""Means and deviations of the terms on WMT23 outputs, for comparison with both texts, the source alone (63,673 outputs) and the
reference alone (4,084). If the reference is missing, the heads vary less; with the deviations of the other cases they would
count too little.
"""
THRESHOLD, MAJOR = 0.16, 0.12
"""Minimum probabilities for marking a subword as an error or a major error; they maximise character F1 on held-out documents."""


def columns(outputs: Sequence[ModelOutput]) -> Floats:
    """Return the values of all outputs, one row each."""
    return np.array([output.values for output in outputs], np.float64).reshape(len(outputs), -1)


def compared_texts(triples: Sequence[Triple]) -> NDArray[np.int64]:
    """Return which texts each triple is compared with: 0 for both, 1 for the source alone, 2 for the reference alone."""
    return np.array([1 if not triple.reference else 2 * (not triple.source) for triple in triples], np.int64)


def ranking(values: Floats, held: NDArray[np.int64]) -> Floats:
    """Return the sum of minus log mu, direct assessment and teachers, each standardised for the texts in `held`."""
    spreads = np.array(_SPREADS)[held]
    total = np.zeros(len(values))
    for i, (column, sign) in enumerate(RANKED):
        total += sign * (values[:, column] - spreads[:, i, 0]) / spreads[:, i, 1]
    return total


def expected_mqm(values: Floats) -> Floats:
    """Return minus the expected sum of MQM penalties."""
    return np.array([-math.exp(value) for value in values[:, LOG_MU].tolist()])


def unit(ranked: Floats) -> Floats:
    """Return the share of the calibration translations (see docs/mini.md) that have a lower ranking score."""
    return np.asarray(np.interp(ranked, quantiles(), np.linspace(0.0, 1.0, len(quantiles()))))


@functools.cache
def quantiles() -> Floats:
    """Return the percentiles (0 to 100) of the calibration translations' ranking scores."""
    return np.array([float(row["score"]) for row in rows("mini_quantiles.csv")])


@dataclass(frozen=True, slots=True)
class Worst:
    """Scores of an empty translation: the lowest on each scale."""

    ranking: float
    unit: float = 0.0
    mqm: float = -WORST_MQM


def worst() -> Worst:
    """Return the table's lowest ranking score, 0, and the penalty for a text that is not a translation."""
    return Worst(float(quantiles()[0]))
