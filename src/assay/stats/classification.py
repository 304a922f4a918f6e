"""Scores as classifiers of good and bad translations: macro-F1, Matthews correlation, thresholds and ROC area.

Everything is computed from confusion counts, so a bootstrap draws counts and copies no data. The positive class is *good*
(no breakdown), as in Moghe et al. 2023, Section 3.1. A false positive is a breakdown that was accepted, a false negative a
good translation that was held back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.core.memory import refuse_beyond_memory

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Integers = NDArray[np.int64]

BINS = 10


class Confusion(NamedTuple):
    """Confusion counts: single numbers or arrays of the same shape."""

    true_positive: Integers
    false_positive: Integers
    false_negative: Integers
    true_negative: Integers


class Threshold(NamedTuple):
    """A chosen threshold, its macro-F1 on the data used to choose it, and all candidates.

    A score at the threshold counts as good.
    """

    value: float
    f1: float
    candidates: Floats
    f1s: Floats


def confusion(good: Bools, predicted: Bools) -> Confusion:
    """Return the confusion counts for true and predicted goodness over the last axis."""
    good, predicted = np.asarray(good, bool), np.asarray(predicted, bool)
    cells = (good & predicted, ~good & predicted, good & ~predicted, ~good & ~predicted)
    return Confusion(*(np.count_nonzero(cell, axis=-1) for cell in cells))


def macro_f1(counts: Confusion) -> Floats:
    """Return the mean F1 of the classes, as scikit-learn computes it.

    A class that neither occurs nor is predicted is left out of the mean. If there are no examples, the result is NaN.
    """
    tp, fp, fn, tn = (np.asarray(count, np.float64) for count in counts)
    total, classes = np.zeros(tp.shape), np.zeros(tp.shape)
    for hits in (tp, tn):
        size = 2 * hits + fp + fn
        total += np.divide(2 * hits, size, out=np.zeros(tp.shape), where=size > 0)
        classes += size > 0
    return np.asarray(np.divide(total, classes, out=np.full(tp.shape, np.nan), where=classes > 0))


def matthews(counts: Confusion) -> Floats:
    """Return the Matthews correlation coefficient; 0 if the true or the predicted labels contain only one class, as in
    scikit-learn.
    """
    tp, fp, fn, tn = (np.asarray(count, np.float64) for count in counts)
    spread = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    root = np.sqrt(spread)
    return np.asarray(np.divide(tp * tn - fp * fn, root, out=np.zeros(tp.shape), where=root > 0))


def bin_threshold(scores: Floats, good: Bools, bins: int = BINS) -> Threshold:
    """Choose a threshold from development scores (higher is better), as in Moghe et al. 2023, Sections 3.1 and 4.3.

    The range from the lowest to the highest score is divided into ten bins of equal width. Each bin is a candidate: it and
    every higher bin count as good, so its lower edge is the threshold, and a score on the edge is good. The bin with the
    highest macro-F1 wins. Ties go to the lowest bin, because it rejects the fewest translations. The paper does not specify on
    which side of the edge a score counts, or how ties are resolved.
    """
    scores, good = np.asarray(scores, np.float64), np.asarray(good, bool)
    if len(scores) == 0 or not np.isfinite(scores).all():
        raise InputError("a threshold needs at least one score, and all scores must be finite.")
    low, high = scores.min(), scores.max()
    # Computed so that rounding cannot lift the lowest edge above the lowest score.
    edges = low + (high - low) * np.arange(bins) / bins
    order = np.sort(scores[good]), np.sort(scores[~good])
    below_good, below_bad = (np.searchsorted(part, edges, "left") for part in order)
    counts = Confusion(len(order[0]) - below_good, len(order[1]) - below_bad, below_good, below_bad)
    f1s = macro_f1(counts)
    best = int(np.argmax(f1s >= f1s.max() - 1e-12))
    return Threshold(float(edges[best]), float(f1s[best]), edges, f1s)


def random_baseline(n_good: int, n_bad: int, rng: np.random.Generator, samples: int = 1000) -> tuple[Floats, Floats]:
    """Draw macro-F1 and Matthews correlation of the random baseline, which calls half of all examples good."""
    passed, missed = rng.binomial(n_good, 0.5, samples), rng.binomial(n_bad, 0.5, samples)
    counts = Confusion(passed, missed, n_good - passed, n_bad - missed)
    return macro_f1(counts), matthews(counts)


def majority(votes: Sequence[Bools]) -> Bools:
    """Return True for examples that more than half of the votes call good."""
    if not len(votes):
        raise InputError("a majority needs at least one vote.")
    return np.asarray(2 * np.count_nonzero(np.asarray(votes, bool), axis=0) > len(votes))


def resample_counts(counts: Confusion, rng: np.random.Generator, samples: int) -> Confusion:
    """Bootstrap confusion counts: resampling examples is a multinomial draw of the four cells."""
    cells = np.array([int(count) for count in counts])
    resampled = rng.multinomial(cells.sum(), cells / cells.sum(), samples)
    return Confusion(*resampled.T)


def resample_paired_counts(
    good: Bools, first: Bools, second: Bools, rng: np.random.Generator, samples: int
) -> tuple[Confusion, Confusion]:
    """Bootstrap the counts of two classifiers on the same examples: a multinomial draw over their eight joint cells."""
    code = 4 * np.asarray(good, bool) + 2 * np.asarray(first, bool) + np.asarray(second, bool)
    cells = np.bincount(code, minlength=8)
    resampled = rng.multinomial(len(code), cells / len(code), samples).T
    by = {(g, a, b): resampled[4 * g + 2 * a + b] for g in (0, 1) for a in (0, 1) for b in (0, 1)}

    def counts(which: int) -> Confusion:
        def cell(g: int, called: int) -> Integers:
            pairs = [(called, other) if which == 0 else (other, called) for other in (0, 1)]
            return np.asarray(sum(by[g, a, b] for a, b in pairs))

        return Confusion(cell(1, 1), cell(0, 1), cell(1, 0), cell(0, 0))

    return counts(0), counts(1)


def auroc(scores: Floats, labels: Bools) -> float:
    """Return the area under the ROC curve, with ties counting half; NaN if there are no positives or no negatives."""
    positives, negatives = scores[labels], np.sort(scores[~labels])
    if not len(positives) or not len(negatives):
        return float("nan")
    below = np.searchsorted(negatives, positives, "left")
    not_above = np.searchsorted(negatives, positives, "right")
    return float((below + not_above).sum() / (2.0 * len(positives) * len(negatives)))


def precision_at_recall(scores: Floats, labels: Bools, recall: float = 0.9) -> float:
    """Return the precision at the threshold that keeps a share `recall` of the positives; NaN if there are no positives.

    The threshold is the (1 - recall) quantile of the positives' scores with linear interpolation, as in stopes (Dale et al.
    2023). Scores equal to it are included.
    """
    positives = scores[labels]
    if not len(positives):
        return float("nan")
    threshold = np.quantile(positives, 1.0 - recall)
    return float(np.count_nonzero(positives >= threshold) / np.count_nonzero(scores >= threshold))


class Resamples(NamedTuple):
    """Bootstrap resamples of positives and negatives, drawn separately and shared by all metrics so that draws are paired."""

    positives: NDArray[np.int64]
    """[sample, draw]: index of the positive that was drawn."""
    negatives: NDArray[np.int32]
    """[sample, negative]: how often this negative was drawn."""


def resamples(n_positive: int, n_negative: int, generator: np.random.Generator, samples: int) -> Resamples:
    """Draw resamples that keep the number of positives and of negatives."""
    refuse_beyond_memory("--samples", samples, 8 * (n_positive + 3 * n_negative))
    positives = generator.integers(0, n_positive, (samples, n_positive))
    indices = generator.integers(0, n_negative, (samples, n_negative)) + n_negative * np.arange(samples)[:, None]
    negatives = np.bincount(indices.ravel(), minlength=samples * n_negative).reshape(samples, n_negative)
    return Resamples(positives, negatives.astype(np.int32))


def detection_draws(scores: Floats, labels: Bools, resampled: Resamples, recall: float = 0.9) -> tuple[Floats, Floats]:
    """Return bootstrap draws of `auroc` and of `precision_at_recall`."""
    positives, negatives = scores[labels], scores[~labels]
    order = np.argsort(negatives, kind="stable")
    ordered = negatives[order]
    below = np.zeros((len(resampled.negatives), len(ordered) + 1), np.int32)
    np.cumsum(resampled.negatives[:, order], axis=1, out=below[:, 1:])
    left, right = np.searchsorted(ordered, positives, "left"), np.searchsorted(ordered, positives, "right")
    beaten = np.take_along_axis(below[:, left] + below[:, right], resampled.positives, axis=1).sum(axis=1)
    area = beaten / (2.0 * len(positives) * len(negatives))

    values = positives[resampled.positives]
    thresholds = np.quantile(values, 1.0 - recall, axis=1)
    hits = np.count_nonzero(values >= thresholds[:, None], axis=1)
    first_alarm = np.searchsorted(ordered, thresholds, "left")
    alarms = len(negatives) - below[np.arange(len(below)), first_alarm]
    return area, hits / (hits + alarms)
