"""What a rule would do at every other limit: the slider of `assay view`.

The promise at a limit is that of a rule learned for it (`assay.decide.conformal`, read backwards): with n known breakdowns of which
k score better than the limit, (k + 1) / (n + 1) of new ones are used on average; of losses over all translations likewise; of bad
ones among what is used, the largest share that the exact tests of all twenty limits together do not rule out. It is a promise for a
goal that is named before one looks; to choose a limit by what was observed here is to look.
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
"""Stops of a slider: about one for every hundredth of the translations."""
BINS = 10
FEWEST_IN_BIN = 5


@dataclass(frozen=True)
class SweepSample:
    """Translations to count: their qualities (NaN: not scored) and, where it is known, what they were worth (1: a success)."""

    quality: Floats
    worth: Floats | None = None


@dataclass(frozen=True)
class SweepLabel:
    """How a sweep is shown: the metric, its column, its direction, and which rows are counted."""

    metric: str
    column: str
    sign: float
    decimals: int
    where: str = ""
    counted: str = ""
    task: str = ""
    language: str = ""


def sweep(
    named: SweepLabel,
    rows: SweepSample,
    curve: Curve,
    *,
    above: float,
    reject_at: float,
    goal: Goal | None = None,
    taught: SweepSample | None = None,
    promise: str = "",
    most: int = LIMITS,
) -> Sweep:
    """The figures of `rows` at every limit, from using all to using nothing. `above` is the rule's own limit, in quality; what was
    `taught` gives the promises of a goal."""
    known = np.isfinite(rows.quality)
    quality = rows.quality[known]
    limits = _limits(quality, taught, goal, above, named, most)
    chance = curve.at(quality)
    doomed = quality[chance >= reject_at]
    reject = float(doomed.max()) if len(doomed) else -math.inf
    used = np.array([(quality > limit).sum() for limit in limits], np.int64)
    rejected = np.array([((quality <= limit) & (quality <= reject)).sum() for limit in limits], np.int64)
    worth = None if rows.worth is None else rows.worth[known]
    sign = named.sign
    return Sweep(
        named.metric, named.column, sign > 0, named.decimals, named.where, named.counted,
        tuple((sign * limits).tolist()), tuple(used.tolist()), tuple((len(rows.quality) - used - rejected).tolist()),
        tuple(rejected.tolist()),
        {name: _figures(name, quality, 1 - chance, worth, limits) for name in RISKS},
        int((~known).sum()), named.task, named.language,
        sign * above if math.isfinite(above) else None,
        sign * reject if math.isfinite(reject) else None,
        promise,
        _promised(goal, taught, limits),
        risk_of(goal),
        () if worth is None else calibration(chance, worth),
    )  # fmt: skip


def risk_of(goal: Goal | None) -> Risk:
    """The figure that a goal is about."""
    return "caught" if isinstance(goal, Catch) else "lost" if isinstance(goal, Lose) else "bad_used"


def _limits(
    quality: Floats, taught: SweepSample | None, goal: Goal | None, above: float, named: SweepLabel, most: int
) -> Floats:
    """Limits from lenient to strict, with the rule's own among them: quantiles of what is counted, written short; for `clean` the
    twenty limits that its tests are made for."""
    if isinstance(goal, Clean) and taught is not None:
        order = np.sort(taught.quality[np.isfinite(taught.quality)])[::-1]
        places = [round(len(order) * step / STEPS) for step in range(1, STEPS)]
        found = order[[place for place in places if 0 < place < len(order)]]
    elif len(quality):
        found = np.quantile(quality, np.linspace(0, 1, most + 1)).round(named.decimals + 2)
        found = np.append(found, [math.floor(quality.min()) - 1, quality.max()])
    else:
        found = np.zeros(0)
    return np.unique(np.append(found, [above] if math.isfinite(above) else []))


def _figures(name: str, quality: Floats, expected: Floats, worth: Floats | None, limits: Floats) -> Figures:
    """A figure by the calibration (`expected` worth) and by what came."""
    foretold: list[float | None] = []
    came: list[float | None] = []
    lows: list[float | None] = []
    highs: list[float | None] = []
    for limit in limits.tolist():
        used = quality > limit
        foretold.append(_share(name, used, 1 - expected)[0])
        value, bad, n = (None, 0.0, 0) if worth is None else _share(name, used, 1 - worth)
        came.append(value)
        low, high = wilson(round(bad), n) if worth is not None and n and is_binary(worth) else (None, None)
        lows.append(low)
        highs.append(high)
    return Figures(*(_rounded(column) for column in (foretold, came, lows, highs)))


def _share(name: str, used: Bools, lost: Floats) -> tuple[float | None, float, int]:
    """The figure, and the count and the total that it is the share of."""
    if name == "caught":
        total = float(lost.sum())
        held = float(lost[~used].sum())
        return (held / total if total else None), held, round(total)
    if name == "bad_used":
        n = int(used.sum())
        bad = float(lost[used].sum())
        return (bad / n if n else None), bad, n
    bad = float(lost[used].sum())
    return (bad / len(lost) if len(lost) else None), bad, len(lost)


def _promised(goal: Goal | None, taught: SweepSample | None, limits: Floats) -> Numbers:
    if taught is None or taught.worth is None or not isinstance(goal, Catch | Clean | Lose):
        return ()
    known = np.isfinite(taught.quality)
    quality, lost = taught.quality[known], 1 - taught.worth[known]
    return _rounded([_promise(goal, quality > limit, lost) for limit in limits.tolist()])


def _promise(goal: Catch | Clean | Lose, used: Bools, lost: Floats) -> float | None:
    if isinstance(goal, Catch):
        return max(0.0, 1 - (float(lost[used].sum()) + 1) / (float(lost.sum()) + 1))
    if isinstance(goal, Lose):
        return min(1.0, (float(lost[used].sum()) + 1) / (len(lost) + 1))
    n = int(used.sum())
    return largest_share(float(lost[used].sum()), n, goal.confidence, binary=is_binary(1 - lost)) if n else None


def largest_share(bad: float, n: int, confidence: float, *, binary: bool = True) -> float:
    """The least share that n translations with `bad` bad ones rule out, at the level that twenty tests leave to each."""
    level, test = (1 - confidence) / STEPS, binomial_p if binary else bounded_p
    low, high = bad / n, 1.0
    if high - low <= 0:
        return 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if test(bad, n, middle) <= level else (middle, high)
    return high


def calibration(chance: Floats, worth: Floats) -> tuple[CalibrationBin, ...]:
    """Tenths of the translations by breakdown probability: what was expected, and what came (Wilson's 95% interval)."""
    if len(chance) < BINS * FEWEST_IN_BIN:
        return ()
    order = np.argsort(chance, kind="stable")
    binary, made = is_binary(worth), []
    for part in np.array_split(order, BINS):
        lost = 1 - worth[part]
        low, high = wilson(round(float(lost.sum())), len(part)) if binary else (None, None)
        made.append(
            CalibrationBin(round(float(chance[part].mean()), 6), round(float(lost.mean()), 6), low, high, len(part))
        )
    return tuple(made)


def _rounded(values: Sequence[float | None]) -> Numbers:
    return tuple(None if value is None else round(value, 6) for value in values)
