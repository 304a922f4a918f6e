"""How well does a score find the positives? ROC area, precision at a given recall, and their bootstrap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.core.memory import refuse_beyond_memory

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def auroc(scores: Floats, labels: Bools) -> float:
    """Chance that a positive scores above a negative, ties counting half. NaN without positives or negatives."""
    positives, negatives = scores[labels], np.sort(scores[~labels])
    if not len(positives) or not len(negatives):
        return float("nan")
    below = np.searchsorted(negatives, positives, "left")
    not_above = np.searchsorted(negatives, positives, "right")
    return float((below + not_above).sum() / (2.0 * len(positives) * len(negatives)))


def precision_at_recall(scores: Floats, labels: Bools, recall: float = 0.9) -> float:
    """Share of positives among what lies at or above the threshold that keeps `recall` of the positives.

    The threshold is the (1 - recall) quantile of the positives' scores, with linear interpolation, as in stopes
    (Dale et al. 2023); scores equal to it are included. NaN without positives.
    """
    positives = scores[labels]
    if not len(positives):
        return float("nan")
    threshold = np.quantile(positives, 1.0 - recall)
    return float(np.count_nonzero(positives >= threshold) / np.count_nonzero(scores >= threshold))


class Resamples(NamedTuple):
    """Bootstrap resamples of positives and negatives apart, the same for every metric so that draws are paired."""

    positives: NDArray[np.int64]
    """[sample, draw]: which positive was drawn."""
    negatives: NDArray[np.int32]
    """[sample, negative]: how often this negative was drawn."""


def resamples(n_positive: int, n_negative: int, generator: np.random.Generator, samples: int) -> Resamples:
    """Draw resamples that keep the number of positives and of negatives."""
    refuse_beyond_memory("--samples", samples, 8 * (n_positive + 3 * n_negative))
    positives = generator.integers(0, n_positive, (samples, n_positive))
    drawn = generator.integers(0, n_negative, (samples, n_negative)) + n_negative * np.arange(samples)[:, None]
    negatives = np.bincount(drawn.ravel(), minlength=samples * n_negative).reshape(samples, n_negative)
    return Resamples(positives, negatives.astype(np.int32))


def detection_draws(scores: Floats, labels: Bools, drawn: Resamples, recall: float = 0.9) -> tuple[Floats, Floats]:
    """Bootstrap draws of `auroc` and of `precision_at_recall`."""
    positives, negatives = scores[labels], scores[~labels]
    order = np.argsort(negatives, kind="stable")
    ordered = negatives[order]
    below = np.zeros((len(drawn.negatives), len(ordered) + 1), np.int32)
    np.cumsum(drawn.negatives[:, order], axis=1, out=below[:, 1:])
    left, right = np.searchsorted(ordered, positives, "left"), np.searchsorted(ordered, positives, "right")
    beaten = np.take_along_axis(below[:, left] + below[:, right], drawn.positives, axis=1).sum(axis=1)
    area = beaten / (2.0 * len(positives) * len(negatives))

    values = positives[drawn.positives]
    thresholds = np.quantile(values, 1.0 - recall, axis=1)
    found = np.count_nonzero(values >= thresholds[:, None], axis=1)
    reached = np.searchsorted(ordered, thresholds, "left")
    alarms = len(negatives) - below[np.arange(len(below)), reached]
    return area, found / (found + alarms)
