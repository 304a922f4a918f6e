"""Reliability of annotators' scores: Krippendorff's alpha for any number of annotators, with missing judgements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def alpha_parts(scores: Floats) -> Floats:
    """Return the terms that each unit contributes to alpha, one row per unit.

    `scores` is annotators by units, NaN if an annotator did not judge the unit. The terms are (judgements, sum, sum of
    squares, weighted squares within). A unit with one judgement has nothing to compare, so its terms are zero.
    """
    judged = ~np.isnan(scores)
    n = judged.sum(axis=0).astype(np.float64)
    filled = np.where(judged, scores, 0.0)
    total, squares = filled.sum(axis=0), (filled**2).sum(axis=0)
    # Pairs of one unit differ by 2 (n * squares - total^2) in all, each pair counted from both ends, and weigh 1 / (n - 1).
    within = np.divide(2 * (n * squares - total**2), n - 1, out=np.zeros_like(total), where=n > 1)
    return np.where(n > 1, np.stack([n, total, squares, within]), 0.0).T


def alpha(parts: Floats) -> Floats:
    """Return Krippendorff's alpha with squared differences (interval scale) from summed terms, over the last axis.

    1 is full agreement and 0 is chance. The value is NaN if all judgements are the same.
    """
    n, total, squares, within = (parts[..., column] for column in range(4))
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = within / n
        expected = 2 * (n * squares - total**2) / (n * (n - 1))
        return np.asarray(np.where(expected > 0, 1 - observed / expected, np.nan))


def z_scores(raters: Sequence[str], scores: Floats) -> Floats:
    """Standardise each score by its annotator's mean and standard deviation (n - 1).

    An annotator with one score has no scale, so the result is NaN; an annotator who always gives the same score gets 0.
    """
    scores = np.asarray(scores, dtype=np.float64)
    _, which = np.unique(np.asarray(raters, dtype=str), return_inverse=True)
    n = np.bincount(which)
    means = np.bincount(which, scores) / n
    centred = scores - means[which]
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = np.sqrt(np.bincount(which, centred**2) / (n - 1))
        z = np.where(deviation[which] > 0, centred / deviation[which], 0.0)
    return np.where(n[which] > 1, z, np.nan)
