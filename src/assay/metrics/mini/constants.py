"""Constants of assay-mini's scores that belong to its weights, measured once on known translations."""

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
"""Heads by training data: direct assessments, ESA, quality estimation, other metrics."""
LOG_MU = 0
WIDTH = 7
"""Number of values of the model: log mu, and six heads."""
WORST_MQM = 25.0
"""MQM penalty of a text that is not a translation."""
RANKED = ((LOG_MU, -1.0), (HEADS["da"], 1.0), (HEADS["teacher"], 1.0))
"""Columns and signs of the ranking score's terms."""
_SPREADS = (
    ((0.509, 0.844), (0.261, 0.412), (0.497, 0.560)),
    ((0.558, 0.768), (0.205, 0.287), (0.487, 0.388)),
    ((0.602, 0.870), (0.195, 0.423), (0.500, 0.670)),
)
"""Means and deviations of the terms on outputs of WMT23, compared with both texts, the source alone (63,673 outputs) and the
reference alone (4,084). Without a reference the heads vary less, and would count less with the deviations of others.
"""
THRESHOLD, MAJOR = 0.16, 0.12
"""Probabilities from which on a subword is marked, and marked as major, which maximise F1 over characters of held-out
documents.
"""


def columns(outputs: Sequence[ModelOutput]) -> Floats:
    """Return the values of all outputs, one row each."""
    return np.array([output.values for output in outputs], np.float64).reshape(len(outputs), -1)


def compared_texts(triples: Sequence[Triple]) -> NDArray[np.int64]:
    """Return the texts that triples compare with: 0 for both, 1 for the source alone, 2 for the reference alone."""
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
    """Return the share of known translations below a ranking score."""
    return np.asarray(np.interp(ranked, quantiles(), np.linspace(0.0, 1.0, len(quantiles()))))


@functools.cache
def quantiles() -> Floats:
    """Return the ranking scores below which 0, 1, … 100% of known translations are."""
    return np.array([float(row["score"]) for row in rows("mini_quantiles.csv")])


@dataclass(frozen=True, slots=True)
class Worst:
    """Scores of an empty translation, the worst known ones."""

    ranking: float
    unit: float = 0.0
    mqm: float = -WORST_MQM


def worst() -> Worst:
    """Return the lowest ranking score of the table, 0, and the penalty of a text that is not a translation."""
    return Worst(float(quantiles()[0]))
