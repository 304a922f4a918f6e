from __future__ import annotations

import math

import numpy as np
import pytest

from assay.decide.conformal import catch, clean, fewest_breakdowns
from assay.decide.fit import fit
from assay.decide.goals import Catch, Clean
from assay.decide.rule import EVERY, Member
from tests.data import need

CHRF = Member("chrf", "chrF", True)


def test_catch_by_hand() -> None:
    # Nineteen breakdowns with qualities 1 … 19 and a promise of 90%: (k + 1) / 20 <= 0.1 lets k = 1 through, so the limit is
    # the second highest breakdown, 18. With 95% none may pass: the limit is the highest, 19.
    quality = np.array([*range(1, 20), 5.5, 18.5, 30.0])
    good = np.array([False] * 19 + [True] * 3)
    limit = catch(quality, good, 0.9)
    assert limit is not None and (limit.above, limit.used, limit.bad) == (18.0, 3, 1)
    limit = catch(quality, good, 0.95)
    assert limit is not None and (limit.above, limit.used, limit.bad) == (19.0, 1, 0)
    assert catch(quality, good, 0.96) is None
    assert fewest_breakdowns(0.95) == 19 and fewest_breakdowns(0.9) == 9 and fewest_breakdowns(0.99) == 99


def test_clean_by_hand() -> None:
    # 1000 translations, the 500 best all good, the others half bad. With 2% and 90% confidence a candidate needs a binomial
    # tail of 0.1 / 20 = 0.005: 0.98^n <= 0.005 from n = 263 on, so 500 pass (0.98^500 = 4e-5); 550 have 25 bad (4.5%).
    quality = np.arange(1000.0)[::-1]
    good = np.array([True] * 500 + [True, False] * 250)
    limit = clean(quality, good, 0.02, 0.9)
    assert limit is not None and (limit.used, limit.bad, limit.above) == (500, 0, 499.0)
    assert clean(quality[:200], good[:200], 0.02, 0.9) is None
    everything = clean(quality, np.ones(1000, bool), 0.02, 0.9)
    assert everything is not None and everything.above == -math.inf


def halves(quality: np.ndarray, good: np.ndarray, repeats: int) -> dict[str, tuple[list[float], list[float]]]:
    """Rules learned on one half; their risks, and what they use, on the other."""
    rng = np.random.default_rng(2024)
    found: dict[str, tuple[list[float], list[float]]] = {"catch": ([], []), "clean": ([], [])}
    for _ in range(repeats):
        order = rng.permutation(len(good))
        learn, held = order[: len(order) // 2], order[len(order) // 2 :]
        for name, goal in (("catch", Catch(0.9)), ("clean", Clean(0.1, 0.9))):
            rule = fit([CHRF], {"chrf": quality[learn]}, good[learn], [""] * len(learn), goal)
            used = quality[held] > rule.groups[EVERY].above
            bad = ~good[held]
            risk = used[bad].mean() if name == "catch" else bad[used].mean() if used.any() else 0.0
            found[name][0].append(float(risk))
            found[name][1].append(float(used.mean()))
    return found


def test_the_promise_is_kept_on_two_hundred_held_out_halves() -> None:
    rng = np.random.default_rng(11)
    good = rng.random(2000) < 0.7
    quality = rng.normal(np.where(good, 1.5, -0.5), 1.0)
    found = halves(quality, good, 200)
    missed, used = map(np.array, found["catch"])
    # Promised: on average at most 10% of breakdowns are used; the mean of 200 halves knows it to about 0.2 points.
    assert missed.mean() <= 0.10 + 3 * missed.std() / math.sqrt(200)
    assert missed.mean() > 0.09, "the promise is kept without giving away much"
    assert used.mean() > 0.3
    bad, used = map(np.array, found["clean"])
    # Promised: at most 10% bad among the used in 90% of the rules. Held-out halves add noise of their own to each.
    assert (bad > 0.10).mean() <= 0.10
    assert used.mean() > 0.3


@pytest.mark.real
def test_the_promise_is_kept_on_human_labels_of_real_translations() -> None:
    need("data", "hallucinations")
    from assay.metrics import metric
    from assay.verbs.run import load_suite, measure
    from tests.data import SHARED

    suite, judged = load_suite("hallucinations", data_dir=SHARED / "data")
    scored = measure(suite, judged, {"chrf": metric("chrf")})[0].values  # type: ignore[arg-type]
    good = judged.labels["correct"]  # type: ignore[union-attr]
    assert scored is not None
    rng, missed = np.random.default_rng(1), []
    for _ in range(200):
        order = rng.permutation(len(good))
        learn, held = order[: len(order) // 2], order[len(order) // 2 :]
        limit = catch(scored[learn], good[learn], 0.95)
        assert limit is not None
        missed.append(float((scored[held][~good[held]] > limit.above).mean()))
    assert np.mean(missed) <= 0.05 + 3 * np.std(missed) / math.sqrt(200)
