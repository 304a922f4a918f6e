"""Thresholds with a finite-sample guarantee that holds for any distribution of scores.

`catch` uses conformal risk control (Angelopoulos et al. 2024, Theorem 1). The loss of a breakdown is 1 if it is used, and
falls as the threshold rises. The lowest threshold with (n R + 1) / (n + 1) <= alpha keeps the expected share of used
breakdowns at or below alpha, if new breakdowns are exchangeable with the n old ones. `lose` does the same for the loss over
all translations: how far a translation falls short of full success, if it is used.

`clean` bounds the share of bad translations among those used. That share is not a mean of decreasing losses, so it is
tested instead, as in Learn then Test (Angelopoulos et al. 2021). Of twenty thresholds, fixed by the share they accept,
those count whose exact binomial test rejects "more than alpha are bad". By Bonferroni, all of them hold the guarantee with
the requested probability. Graded outcomes use the test of Hoeffding and Bentkus (Bates et al. 2021), which holds for any
loss in [0, 1].

With several languages, `catch` and `lose` allow each language a stricter threshold than the shared one. Their losses never
rise with the threshold, so the shared guarantee still holds. The share of bad translations among those used can rise or
fall with the threshold, so two thresholds that each hold for one language need not hold for the mixture. `clean` therefore
has one threshold for all languages. `clean_holds` repeats its test for one language. Every candidate threshold follows from
the scores of all examples and has the same Bonferroni share of the level, so a language that passes has the guarantee for
itself.
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
"""Number of candidates for `clean`: thresholds that accept 5%, 10%, …, 100% of the training translations."""


class Limit(NamedTuple):
    """A threshold: translations with a quality *above* `above` are used.

    Of the `n` training examples, `used` are used, and `bad` of them are breakdowns. For graded outcomes, `bad` is the sum
    of how far they fall short of full success.
    """

    above: float
    used: int
    bad: float
    n: int


def fewest_breakdowns(share: float) -> int:
    """Return the minimum number of breakdowns that `catch` needs for any guarantee: (0 + 1) / (n + 1) <= 1 - share."""
    return math.ceil(1 / (1 - share) - 1 - 1e-9)


def catch(quality: Floats, good: Bools, share: float) -> Limit | None:
    """Return the lowest threshold that catches `share` of the breakdowns in expectation; None if there are too few breakdowns."""
    bad = np.sort(quality[~good])[::-1]
    allowed = math.floor((1 - share) * (len(bad) + 1) + 1e-9) - 1
    if allowed < 0:
        return None
    above = float(bad[allowed]) if allowed < len(bad) else -math.inf
    return _limit(above, quality, good)


def lose(quality: Floats, grades: Floats, share: float) -> Limit | None:
    """Return the lowest threshold with an expected loss of at most `share` per translation, used or not.

    Return None if there are too few examples.
    """
    n = len(quality)
    budget = share * (n + 1) - 1
    if budget < -1e-9:
        return None
    order = np.argsort(-quality, kind="stable")
    let_through = int(np.count_nonzero(np.cumsum(1 - grades[order]) <= budget + 1e-9))
    above = float(quality[order[let_through]]) if let_through < n else -math.inf
    return _limit(above, quality, grades)


def clean(quality: Floats, grades: Floats | Bools, share: float, confidence: float) -> Limit | None:
    """Return the lowest threshold above which at most `share` are bad, with probability `confidence`; None if no threshold can
    be shown to satisfy this.

    For graded outcomes: above which translations fall short of full success by at most `share` on average.
    """
    n = len(quality)
    order = np.sort(quality)[::-1]
    best = None
    for step in range(1, STEPS + 1):
        let_through = round(n * step / STEPS)
        if let_through < 1:
            continue
        limit = _limit(float(order[let_through]) if let_through < n else -math.inf, quality, grades)
        if _is_clean(limit, share, confidence, binary=is_binary(grades)):
            best = limit
    return best


def clean_holds(above: float, quality: Floats, grades: Floats, share: float, confidence: float) -> bool:
    """Return whether at most `share` of these are bad above a threshold of `clean`, tested at the level of its candidates."""
    return _is_clean(_limit(above, quality, grades), share, confidence, binary=is_binary(grades))


def _is_clean(limit: Limit, share: float, confidence: float, *, binary: bool) -> bool:
    p_value = binomial_p if binary else bounded_p
    return limit.used > 0 and p_value(limit.bad, limit.used, share) <= (1 - confidence) / STEPS


def is_binary(grades: Floats | Bools) -> bool:
    """Return whether all outcomes are success or breakdown, with nothing in between."""
    return bool(((grades == 0) | (grades == 1)).all())


def binomial_p(bad: float, n: int, share: float) -> float:
    """Return P(X <= bad) for a binomial with n trials, each bad with probability `share`."""
    return 1 - binomial_tail(round(bad) + 1, n, share)


def bounded_p(total: float, n: int, share: float) -> float:
    """Return the Hoeffding-Bentkus bound on the chance that n losses in [0, 1] with mean `share` sum to at most `total`."""
    mean = total / n
    if mean >= share:
        return 1.0
    entropy = (1 - mean) * math.log((1 - mean) / (1 - share)) + (mean * math.log(mean / share) if mean > 0 else 0.0)
    return min(math.exp(-n * entropy), math.e * binomial_p(math.ceil(total - 1e-9), n, share))


def _limit(above: float, quality: Floats, grades: Floats | Bools) -> Limit:
    used = quality > above
    return Limit(above, int(used.sum()), float((1 - grades[used].astype(np.float64)).sum()), len(quality))
