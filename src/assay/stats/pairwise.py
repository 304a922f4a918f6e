"""Do metric and people order pairs alike? Pairwise accuracy, with ties calibrated, and pooled over language pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.errors import InputError
from assay.kernels import _native
from assay.stats.correlation import pair_counts
from assay.stats.groups import Grouping, group

if TYPE_CHECKING:
    from assay.stats.groups import Floats

CalibratedVariant = Literal["acc23", "23"]


@dataclass(frozen=True)
class Calibrated:
    """A statistic at its best tie threshold: the value, the threshold, and the value with exact ties only.

    Arrays have one entry a metric, none at all for a single metric.
    """

    value: Floats
    epsilon: Floats
    value_at_zero: Floats


@dataclass(frozen=True)
class PooledAccuracy:
    """Share of system pairs that metric and people order alike, and the counts behind it, one entry a metric."""

    value: Floats
    agreeing: Floats
    pairs: int


def calibrate_ties(
    gold: Floats, metrics: Floats, by: Grouping = "item", *, variant: CalibratedVariant = "acc23"
) -> Calibrated:
    """Accuracy with ties at the threshold that fits people best (Deutsch et al. 2023, section 5; WMT23's ``acc_t``).

    Candidates are 0 and every observed absolute difference of two metric scores in a group; one threshold serves all
    groups and the smallest of equally good ones wins. Sums are compared as exact fractions. ``23`` is 2 acc23 - 1 in every
    group, so that both variants share their threshold. NaN where no group has a pair.
    """
    if variant not in ("acc23", "23"):
        raise InputError(f"variant {variant!r} cannot be calibrated: use acc23 or 23.")
    groups = group(gold, by)
    epsilons, values, at_zero = _native.tie_calibration(groups.gold, groups.rows(metrics), groups.starts)
    if variant == "23":
        values, at_zero = 2 * values - 1, 2 * at_zero - 1
    shape = groups.leading(metrics)
    return Calibrated(values.reshape(shape), epsilons.reshape(shape), at_zero.reshape(shape))


def pooled_accuracy(gold: Sequence[Floats], metrics: Sequence[Floats]) -> PooledAccuracy:
    """System pairwise accuracy (Kocmi et al. 2021), the pairs of all language pairs pooled.

    For each language pair, `gold` holds one score a system (NaN: not judged) and `metrics` one row of system scores a metric
    (or a single row). Differences agree when their signs do; a zero difference agrees only with a zero.
    """
    agreeing: Floats | None = None
    pairs = 0
    for people, scores in zip(gold, metrics, strict=True):
        groups = group(np.asarray(people))
        rows = groups.rows(np.atleast_2d(scores))
        counts = pair_counts(groups, rows).sum(axis=1)
        agree = (counts[:, 0] + counts[:, 4]).astype(np.float64)
        agreeing = agree if agreeing is None else agreeing + agree
        pairs += int(groups.pairs.sum())
    if agreeing is None or pairs == 0:
        raise InputError("pairwise accuracy needs a language pair with at least two judged systems.")
    shape = np.shape(metrics[0])[:-1]
    return PooledAccuracy((agreeing / pairs).reshape(shape), agreeing.reshape(shape), pairs)
