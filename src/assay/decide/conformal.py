"""Thresholds with a promise for finite samples, whatever the distribution of scores.

`catch`: conformal risk control (Angelopoulos et al. 2024, Theorem 1). The loss of a breakdown is 1 where it is used and falls
as the threshold rises; the lowest threshold with (n R + 1) / (n + 1) <= alpha keeps the expected share of used breakdowns at
alpha or below, if new breakdowns are exchangeable with the n old ones. `lose` is the same for the loss over all translations:
what a translation falls short of a full success, where it is used.

`clean`: the share of bad ones among what is used is no mean of losses that fall, so that it is tested instead, as in Learn
then Test (Angelopoulos et al. 2021): of twenty thresholds, fixed by the share they let through, those count whose exact
binomial test rejects "more than alpha are bad"; by Bonferroni all of them keep the promise with the wanted probability. For
graded outcomes the test is that of Hoeffding and Bentkus (Bates et al. 2021), which holds for any loss in [0, 1].

Over several languages, `catch` and `lose` allow each language a stricter threshold than the shared one: their losses never rise
with the threshold, so that the shared guarantee holds as before. The share of bad ones among what is used may rise as well as fall:
of two thresholds that hold for one language each, neither need hold for the mixture. `clean` therefore has one threshold for all
languages. `clean_holds` repeats its test for one language: as every candidate threshold follows from the scores of all examples and
has the same Bonferroni share of the level, a language that passes has the guarantee for itself.
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
    """Translations with a quality *above* `above` are used; `used` of `n` fitted ones were, `bad` of them breakdowns.

    Of graded outcomes `bad` is what they fall short of full success, summed.
    """

    above: float
    used: int
    bad: float
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


def lose(quality: Floats, worth: Floats, share: float) -> Limit | None:
    """The lowest limit with an expected loss of at most `share` a translation, used or not; None with too few examples."""
    n = len(quality)
    budget = share * (n + 1) - 1
    if budget < -1e-9:
        return None
    order = np.argsort(-quality, kind="stable")
    let_through = int(np.count_nonzero(np.cumsum(1 - worth[order]) <= budget + 1e-9))
    above = float(quality[order[let_through]]) if let_through < n else -math.inf
    return _limit(above, quality, worth)


def clean(quality: Floats, worth: Floats | Bools, share: float, confidence: float) -> Limit | None:
    """The lowest limit above which at most `share` are bad, with probability `confidence`; None where none can be shown.

    Of graded outcomes: above which translations fall short of full success by at most `share` on average.
    """
    n = len(quality)
    order = np.sort(quality)[::-1]
    best = None
    for step in range(1, STEPS + 1):
        let_through = round(n * step / STEPS)
        if let_through < 1:
            continue
        limit = _limit(float(order[let_through]) if let_through < n else -math.inf, quality, worth)
        if _is_clean(limit, share, confidence, binary=is_binary(worth)):
            best = limit
    return best


def clean_holds(above: float, quality: Floats, worth: Floats, share: float, confidence: float) -> bool:
    """Return whether at most `share` of these are bad above a threshold of `clean`, tested at the level of its candidates."""
    return _is_clean(_limit(above, quality, worth), share, confidence, binary=is_binary(worth))


def _is_clean(limit: Limit, share: float, confidence: float, *, binary: bool) -> bool:
    p_value = binomial_p if binary else bounded_p
    return limit.used > 0 and p_value(limit.bad, limit.used, share) <= (1 - confidence) / STEPS


def is_binary(worth: Floats | Bools) -> bool:
    """Whether outcomes are success and breakdown, with nothing between."""
    return bool(((worth == 0) | (worth == 1)).all())


def binomial_p(bad: float, n: int, share: float) -> float:
    """P(X <= bad) of a binomial with n trials, each bad with probability `share`."""
    return 1 - binomial_tail(round(bad) + 1, n, share)


def bounded_p(total: float, n: int, share: float) -> float:
    """Hoeffding and Bentkus: a bound of the chance that n losses in [0, 1] sum to `total` or less, their mean being `share`."""
    mean = total / n
    if mean >= share:
        return 1.0
    entropy = (1 - mean) * math.log((1 - mean) / (1 - share)) + (mean * math.log(mean / share) if mean > 0 else 0.0)
    return min(math.exp(-n * entropy), math.e * binomial_p(math.ceil(total - 1e-9), n, share))


def _limit(above: float, quality: Floats, worth: Floats | Bools) -> Limit:
    used = quality > above
    return Limit(above, int(used.sum()), float((1 - worth[used].astype(np.float64)).sum()), len(quality))
