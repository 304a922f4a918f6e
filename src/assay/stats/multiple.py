"""Corrections of p-values for many comparisons made at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.errors import unknown

Floats = NDArray[np.float64]


def bonferroni(p: ArrayLike) -> Floats:
    """Every p times their number: the chance of a single false alarm stays below the level."""
    values = np.asarray(p, np.float64)
    return np.minimum(values * values.size, 1.0)


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down correction: the promise of Bonferroni, never weaker."""
    values = np.asarray(p, np.float64)
    order = np.argsort(values, kind="stable")
    stepped = np.maximum.accumulate(values[order] * np.arange(values.size, 0, -1))
    return _in_place_of(order, stepped)


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Benjamini and Hochberg's step-up correction: bounds the share of false alarms among the alarms."""
    values = np.asarray(p, np.float64)
    order = np.argsort(values, kind="stable")[::-1]
    stepped = np.minimum.accumulate(values[order] * values.size / np.arange(values.size, 0, -1))
    return _in_place_of(order, stepped)


def _in_place_of(order: NDArray[np.intp], stepped: Floats) -> Floats:
    corrected = np.empty_like(stepped)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


CORRECTIONS: dict[str, Callable[[ArrayLike], Floats]] = {
    "none": lambda p: np.asarray(p, np.float64),
    "bonferroni": bonferroni,
    "holm": holm,
    "benjamini-hochberg": benjamini_hochberg,
}


def corrected(p: ArrayLike, method: str = "none") -> Floats:
    """The p-values of one family of comparisons, corrected by the named method."""
    if method not in CORRECTIONS:
        raise unknown("correction", method, CORRECTIONS)
    return CORRECTIONS[method](p)
