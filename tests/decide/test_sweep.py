"""What a rule would do at other limits, beside calculations by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from assay.core.screens import RISKS
from assay.decide.calibration import breakdown_curve
from assay.decide.conformal import STEPS, catch, clean, lose
from assay.decide.goals import Catch, Clean, Lose
from assay.decide.sweep import SweepLabel, SweepSample, calibration, largest_share, sweep

MINE = SweepLabel("mine", "mine", 1.0, 1)


def made(seed: int = 0, n: int = 400) -> tuple[SweepSample, SweepSample]:
    rng = np.random.default_rng(seed)
    quality = rng.uniform(0, 100, 2 * n)
    worth = (rng.uniform(0, 100, 2 * n) < quality).astype(float)
    return SweepSample(quality[:n], worth[:n]), SweepSample(quality[n:], worth[n:])


def test_counts_and_promises_that_hand_gives() -> None:
    """Breakdowns at 1 … 19, successes at 41 … 80. Above 18 one breakdown of nineteen is used: 1 - (1 + 1) / (19 + 1) = 90%."""
    quality = np.array([*range(1, 20), *range(41, 81)], float)
    worth = np.array([0.0] * 19 + [1.0] * 40)
    both = SweepSample(quality, worth)
    found = sweep(
        MINE, both, breakdown_curve(quality, worth), above=18.0, reject_at=0.5, goal=Catch(0.9), training=both
    )
    at = found.limits.index(18.0)
    assert found.limit == 18.0 and found.promised[at] == pytest.approx(0.9)
    assert (found.used[at], found.review[at], found.rejected[at]) == (41, 0, 18)
    assert found.figures["bad_used"].observed[at] == pytest.approx(1 / 41, abs=1e-6)
    assert found.figures["caught"].observed[at] == pytest.approx(18 / 19, abs=1e-6)
    assert found.figures["lost"].observed[at] == pytest.approx(1 / 59, abs=1e-6)
    # Wilson's interval of 1 in 41 with z = 1.959964: centre (p + z²/2n) / (1 + z²/n), half z sqrt(p(1-p)/n + z²/4n²) / (1 + z²/n)
    z, p, n = 1.959964, 1 / 41, 41
    centre, half = p + z**2 / (2 * n), z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    assert found.figures["bad_used"].low[at] == pytest.approx((centre - half) / (1 + z**2 / n), abs=1e-6)
    assert found.figures["bad_used"].high[at] == pytest.approx((centre + half) / (1 + z**2 / n), abs=1e-6)


@pytest.mark.parametrize("goal", [Catch(0.8), Lose(0.2), Clean(0.4)])
def test_the_promise_at_the_rules_own_limit_keeps_its_goal(goal: Catch | Lose | Clean) -> None:
    """Read backwards, the promise at a limit that was found for a goal is that goal or better, and at the next laxer one worse."""
    taught, rows = made()
    assert taught.grades is not None
    limit = (
        catch(taught.quality, taught.grades == 1, goal.share) if isinstance(goal, Catch)
        else lose(taught.quality, taught.grades, goal.share) if isinstance(goal, Lose)
        else clean(taught.quality, taught.grades, goal.share, goal.confidence)
    )  # fmt: skip
    assert limit is not None
    curve = breakdown_curve(taught.quality, taught.grades)
    found = sweep(MINE, rows, curve, above=limit.above, reject_at=0.5, goal=goal, training=taught)
    at = found.limits.index(limit.above)
    promised = found.promised[at]
    assert promised is not None
    assert promised >= goal.share - 1e-9 if isinstance(goal, Catch) else promised <= goal.share + 1e-9
    if not isinstance(goal, Clean):
        assert promised == pytest.approx(goal.share, abs=0.01)
    assert all(a + b + c == 400 for a, b, c in zip(found.used, found.review, found.rejected, strict=True))
    assert list(found.used) == sorted(found.used, reverse=True)


def test_the_largest_share_is_the_clopper_pearson_bound() -> None:
    """Exact upper bounds of a binomial share, as scipy's beta quantiles give them, at a twentieth of the level."""
    for bad, n in ((0, 50), (3, 80), (20, 200)):
        bound = scipy_stats.beta.ppf(1 - 0.1 / STEPS, bad + 1, n - bad)
        assert largest_share(bad, n, 0.9) == pytest.approx(bound, abs=1e-9)


def test_a_metric_that_is_better_when_lower_is_swept_on_its_own_scale() -> None:
    taught, rows = made(1)
    assert taught.grades is not None
    curve = breakdown_curve(taught.quality, taught.grades)
    up = sweep(MINE, rows, curve, above=50.0, reject_at=0.5)
    down = sweep(SweepLabel("errors", "errors", -1.0, 1), rows, curve, above=50.0, reject_at=0.5)
    assert down.limits == tuple(-limit for limit in up.limits) and (down.used, down.rejected) == (up.used, up.rejected)
    assert down.limit == -50.0 and not down.higher_is_better and up.promised == ()


def test_unscored_translations_go_to_review_and_nobody_knows_what_comes() -> None:
    taught, _ = made(2)
    assert taught.grades is not None
    curve = breakdown_curve(taught.quality, taught.grades)
    found = sweep(MINE, SweepSample(np.array([10.0, np.nan, 90.0])), curve, above=50.0, reject_at=0.5)
    at = found.limits.index(50.0)
    assert (found.used[at], found.review[at], found.rejected[at], found.unscored) == (1, 1, 1, 1)
    assert all(value is None for name in RISKS for value in found.figures[name].observed)
    assert found.figures["bad_used"].expected[at] == pytest.approx(float(curve.at(np.array([90.0]))[0]), abs=1e-6)


def test_calibration_counts_tenths() -> None:
    chance = np.repeat([0.1, 0.9], 50)
    worth = np.array([0.0] * 5 + [1.0] * 45 + [0.0] * 45 + [1.0] * 5)
    bins = calibration(chance, worth)
    assert len(bins) == 10 and all(one.n == 10 for one in bins)
    assert np.mean([one.observed for one in bins[:5]]) == pytest.approx(0.1)
    assert np.mean([one.observed for one in bins[5:]]) == pytest.approx(0.9)
    assert calibration(chance[:20], worth[:20]) == ()
