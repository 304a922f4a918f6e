"""Thresholds with a promise for finite samples, whatever the distribution of scores.

`catch`: conformal risk control (Angelopoulos et al. 2024, Theorem 1). The loss of a breakdown is 1 where it is used and falls
as the threshold rises; the lowest threshold with (n R + 1) / (n + 1) <= alpha keeps the expected share of used breakdowns at
alpha or below, if new breakdowns are exchangeable with the n old ones.

`clean`: the share of bad ones among what is used is no mean of losses that fall, so that it is tested instead, as in Learn
then Test (Angelopoulos et al. 2021): of twenty thresholds, fixed by the share they let through, those count whose exact
binomial test rejects "more than alpha are bad"; by Bonferroni all of them keep the promise with the wanted probability.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.stats.distributions import binomial_tail

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

STEPS = 20
"""Candidates of `clean`: thresholds that let 5%, 10%, …, 100% of the fitted translations through."""


class Limit(NamedTuple):
    """Translations with a quality *above* `above` are used; `used` of `n` fitted ones were, `bad` of them breakdowns."""

    above: float
    used: int
    bad: int
    n: int


def fewest_breakdowns(share: float) -> int:
    """How many breakdowns `catch` needs before it can promise anything: (0 + 1) / (n + 1) <= 1 - share."""
    return math.ceil(1 / (1 - share) - 1 - 1e-9)


def catch(quality: Floats, good: Bools, share: float) -> Limit | None:
    """The lowest limit that catches `share` of the breakdowns in expectation; None with too few breakdowns."""
    bad = np.sort(quality[~good])[::-1]
    allowed = math.floor((1 - share) * (len(bad) + 1) + 1e-9) - 1
    if allowed < 0:
        return None
    above = float(bad[allowed]) if allowed < len(bad) else -math.inf
    return _limit(above, quality, good)


def clean(quality: Floats, good: Bools, share: float, confidence: float) -> Limit | None:
    """The lowest limit above which at most `share` are bad, with probability `confidence`; None where none can be shown."""
    n = len(quality)
    order = np.sort(quality)[::-1]
    level, best = (1 - confidence) / STEPS, None
    for step in range(1, STEPS + 1):
        let_through = round(n * step / STEPS)
        if let_through < 1:
            continue
        limit = _limit(float(order[let_through]) if let_through < n else -math.inf, quality, good)
        # P(X <= bad) of a binomial with `used` trials, each bad with probability `share`.
        if limit.used and 1 - binomial_tail(limit.bad + 1, limit.used, share) <= level:
            best = limit
    return best


def _limit(above: float, quality: Floats, good: Bools) -> Limit:
    used = quality > above
    return Limit(above, int(used.sum()), int((used & ~good).sum()), len(quality))
