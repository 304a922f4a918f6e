"""Results of a rule at every other threshold, for the slider in `assay view`.

The guarantee at a threshold is that of a rule learned for it (`assay.decide.conformal`, inverted). With n breakdowns, k of
which score above the threshold, (k + 1) / (n + 1) of new ones are used on average. Losses over all translations work likewise.
For the share of bad translations among those used, it is the largest share that the exact tests of all twenty thresholds
together do not rule out. The guarantee holds for a goal that is fixed in advance. Choosing a threshold because of its observed
figures voids the guarantee.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.core.screens import RISKS, CalibrationBin, Figures, Numbers, Risk, Sweep
from assay.decide.calibration import Curve
from assay.decide.conformal import STEPS, binomial_p, bounded_p, is_binary
from assay.decide.goals import Catch, Clean, Goal, Lose
from assay.stats.proportions import wilson

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

LIMITS = 100
"""Positions of a slider: about one per hundredth of the translations."""
BINS = 10
FEWEST_IN_BIN = 5


@dataclass(frozen=True)
class SweepSample:
    """Translations to count: their qualities (NaN: not scored) and, if known, their grades (1: a success)."""

    quality: Floats
    grades: Floats | None = None


@dataclass(frozen=True)
class SweepLabel:
    """Description of a sweep: the metric, its column, its direction, and the rows that are counted."""

    metric: str
    column: str
    sign: float
    decimals: int
    where: str = ""
    counted: str = ""
    task: str = ""
    language: str = ""


def sweep(
    label: SweepLabel,
    rows: SweepSample,
    curve: Curve,
    *,
    above: float,
    reject_at: float,
    goal: Goal | None = None,
    training: SweepSample | None = None,
    promise: str = "",
    most: int = LIMITS,
) -> Sweep:
    """Compute the figures of `rows` at every threshold, from using all to using nothing.

    `above` is the rule's own threshold, in quality. `training`, the training examples, yields the guarantees of a goal.
    """
    finite = np.isfinite(rows.quality)
    quality = rows.quality[finite]
    limits = _limits(quality, training, goal, above, label, most)
    chance = curve.at(quality)
    rejectable = quality[chance >= reject_at]
    reject = float(rejectable.max()) if len(rejectable) else -math.inf
    used = np.array([(quality > limit).sum() for limit in limits], np.int64)
    rejected = np.array([((quality <= limit) & (quality <= reject)).sum() for limit in limits], np.int64)
    grades = None if rows.grades is None else rows.grades[finite]
    sign = label.sign
    return Sweep(
        label.metric, label.column, sign > 0, label.decimals, label.where, label.counted,
        tuple((sign * limits).tolist()), tuple(used.tolist()), tuple((len(rows.quality) - used - rejected).tolist()),
        tuple(rejected.tolist()),
        {name: _figures(name, quality, 1 - chance, grades, limits) for name in RISKS},
        int((~finite).sum()), label.task, label.language,
        sign * above if math.isfinite(above) else None,
        sign * reject if math.isfinite(reject) else None,
        promise,
        _promised(goal, training, limits),
        risk_of(goal),
        () if grades is None else calibration(chance, grades),
    )  # fmt: skip


def risk_of(goal: Goal | None) -> Risk:
    """Return the figure to which a goal refers."""
    return "caught" if isinstance(goal, Catch) else "lost" if isinstance(goal, Lose) else "bad_used"


def _limits(
    quality: Floats, training: SweepSample | None, goal: Goal | None, above: float, label: SweepLabel, most: int
) -> Floats:
    """Return thresholds from lenient to strict, including the rule's own.

    They are rounded quantiles of the counted qualities; for `clean`, the twenty thresholds of its tests.
    """
    if isinstance(goal, Clean) and training is not None:
        order = np.sort(training.quality[np.isfinite(training.quality)])[::-1]
        ranks = [round(len(order) * step / STEPS) for step in range(1, STEPS)]
        limits = order[[rank for rank in ranks if 0 < rank < len(order)]]
    elif len(quality):
        limits = np.quantile(quality, np.linspace(0, 1, most + 1)).round(label.decimals + 2)
        limits = np.append(limits, [math.floor(quality.min()) - 1, quality.max()])
    else:
        limits = np.zeros(0)
    return np.unique(np.append(limits, [above] if math.isfinite(above) else []))


def _figures(name: str, quality: Floats, expected: Floats, grades: Floats | None, limits: Floats) -> Figures:
    """Compute a figure from the calibration (`expected` grades) and from the outcomes."""
    predicted: list[float | None] = []
    observed: list[float | None] = []
    lows: list[float | None] = []
    highs: list[float | None] = []
    for limit in limits.tolist():
        used = quality > limit
        predicted.append(_share(name, used, 1 - expected)[0])
        value, bad, n = (None, 0.0, 0) if grades is None else _share(name, used, 1 - grades)
        observed.append(value)
        low, high = wilson(round(bad), n) if grades is not None and n and is_binary(grades) else (None, None)
        lows.append(low)
        highs.append(high)
    return Figures(*(_rounded(column) for column in (predicted, observed, lows, highs)))


def _share(name: str, used: Bools, losses: Floats) -> tuple[float | None, float, int]:
    """Return the figure, with the count and the total of which it is the share."""
    if name == "caught":
        total = float(losses.sum())
        caught = float(losses[~used].sum())
        return (caught / total if total else None), caught, round(total)
    if name == "bad_used":
        n = int(used.sum())
        bad = float(losses[used].sum())
        return (bad / n if n else None), bad, n
    bad = float(losses[used].sum())
    return (bad / len(losses) if len(losses) else None), bad, len(losses)


def _promised(goal: Goal | None, training: SweepSample | None, limits: Floats) -> Numbers:
    if training is None or training.grades is None or not isinstance(goal, Catch | Clean | Lose):
        return ()
    finite = np.isfinite(training.quality)
    quality, losses = training.quality[finite], 1 - training.grades[finite]
    return _rounded([_promise(goal, quality > limit, losses) for limit in limits.tolist()])


def _promise(goal: Catch | Clean | Lose, used: Bools, losses: Floats) -> float | None:
    if isinstance(goal, Catch):
        return max(0.0, 1 - (float(losses[used].sum()) + 1) / (float(losses.sum()) + 1))
    if isinstance(goal, Lose):
        return min(1.0, (float(losses[used].sum()) + 1) / (len(losses) + 1))
    n = int(used.sum())
    return largest_share(float(losses[used].sum()), n, goal.confidence, binary=is_binary(1 - losses)) if n else None


def largest_share(bad: float, n: int, confidence: float, *, binary: bool = True) -> float:
    """Return the lowest share that n translations with `bad` bad ones rule out, at the level of each of twenty tests."""
    level, test = (1 - confidence) / STEPS, binomial_p if binary else bounded_p
    low, high = bad / n, 1.0
    if high - low <= 0:
        return 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if test(bad, n, middle) <= level else (middle, high)
    return high


def calibration(chance: Floats, grades: Floats) -> tuple[CalibrationBin, ...]:
    """Return tenths of the translations by breakdown probability: expected and observed (with Wilson's 95% interval)."""
    if len(chance) < BINS * FEWEST_IN_BIN:
        return ()
    order = np.argsort(chance, kind="stable")
    binary, bins = is_binary(grades), []
    for part in np.array_split(order, BINS):
        losses = 1 - grades[part]
        low, high = wilson(round(float(losses.sum())), len(part)) if binary else (None, None)
        bins.append(
            CalibrationBin(round(float(chance[part].mean()), 6), round(float(losses.mean()), 6), low, high, len(part))
        )
    return tuple(bins)


def _rounded(values: Sequence[float | None]) -> Numbers:
    return tuple(None if value is None else round(value, 6) for value in values)
