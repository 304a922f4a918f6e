"""What assay-mini's numbers are read by: constants that go with the weights, measured once on known translations."""

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
    from assay.metrics.mini.model import Opinion, Triple

HEADS = {"da": 3, "esa": 4, "qe": 5, "teacher": 6}
"""The heads that were trained on something, by what it was: direct assessments, ESA, quality estimation, other metrics."""
LOG_MU = 0
WIDTH = 7
"""Values that the model gives: log mu, and six heads."""
WORST_MQM = 25.0
"""What a translation that is none costs in MQM."""
RANKED = ((LOG_MU, -1.0), (HEADS["da"], 1.0), (HEADS["teacher"], 1.0))
"""Column and sign of what the ranking score adds up."""
_SPREADS = (
    ((0.509, 0.844), (0.261, 0.412), (0.497, 0.560)),
    ((0.558, 0.768), (0.205, 0.287), (0.487, 0.388)),
    ((0.602, 0.870), (0.195, 0.423), (0.500, 0.670)),
)
"""Their means and deviations over the outputs of WMT23 held against both, the source alone (63,673 outputs) and the
reference alone (4,084): without a reference the heads spread less, and measured by the others' spread they would count less."""
THRESHOLD, MAJOR = 0.16, 0.12
"""From which probability on a piece is marked, and marked as major: the best F1 over the characters of held-out documents."""


def columns(judgements: Sequence[Opinion]) -> Floats:
    """The values of all judgements, a row each; NaN where there is none."""
    return np.array([judgement.values for judgement in judgements], np.float64).reshape(len(judgements), -1)


def held_against(triples: Sequence[Triple]) -> NDArray[np.int64]:
    """0 for both, 1 for the source alone, 2 for the reference alone."""
    return np.array([1 if not triple.reference else 2 * (not triple.source) for triple in triples], np.int64)


def ranking(values: Floats, held: NDArray[np.int64]) -> Floats:
    """Minus log mu, the direct assessment and the teachers' opinion, each in deviations from its mean, added up; `held` says what
    each was held against."""
    spreads = np.array(_SPREADS)[held]
    total = np.zeros(len(values))
    for i, (column, sign) in enumerate(RANKED):
        total += sign * (values[:, column] - spreads[:, i, 0]) / spreads[:, i, 1]
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
