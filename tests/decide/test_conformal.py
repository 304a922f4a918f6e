from __future__ import annotations

import math

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.decide.conformal import bounded_p, catch, clean, fewest_breakdowns, lose
from assay.decide.fit import fit
from assay.decide.goals import Catch, Clean, Cost, Lose
from assay.decide.rule import EVERY, Member, Rule
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


def test_lose_by_hand() -> None:
    # Nine examples and 20%: the losses of what is used may sum to 0.2 · 10 - 1 = 1. From the best quality down they are
    # 0, 0.5, 0.5 (sum 1), then 0.25: three pass. With 5% nothing could be promised: 0.05 · 10 - 1 < 0.
    quality, worth = np.arange(9.0)[::-1], np.array([1, 0.5, 0.5, 0.75, 0, 0, 1, 1, 0.5])
    limit = lose(quality, worth, 0.2)
    assert limit is not None and (limit.above, limit.used, limit.bad) == (5.0, 3, 1.0)
    assert lose(quality, worth, 0.05) is None
    # Equal qualities go together: the third and the fourth share one, so that two pass.
    tied = np.array([8.0, 7, 6, 6, 4, 3, 2, 1, 0])
    limit = lose(tied, worth, 0.2)
    assert limit is not None and (limit.above, limit.used, limit.bad) == (6.0, 2, 0.5)
    everything = lose(quality, np.ones(9), 0.2)
    assert everything is not None and everything.above == -math.inf


def test_the_bound_of_hoeffding_and_bentkus() -> None:
    binom = pytest.importorskip("scipy.stats").binom
    # 100 losses against a mean of 10%: the smaller of exp(-100 KL(mean, 0.1)) and e · P(Bin(100, 0.1) <= sum, rounded up). A sum
    # of 2.5 makes it the first (0.0131 and 0.0213), a sum of 3 the second (0.0259 and 0.0213).
    kl = 0.025 * math.log(0.025 / 0.1) + 0.975 * math.log(0.975 / 0.9)
    assert bounded_p(2.5, 100, 0.1) == pytest.approx(math.exp(-100 * kl), rel=1e-9)
    assert bounded_p(3.0, 100, 0.1) == pytest.approx(math.e * binom.cdf(3, 100, 0.1), rel=1e-9)
    assert bounded_p(0.0, 20, 0.1) == pytest.approx(0.9**20)
    assert bounded_p(11.0, 100, 0.1) == 1.0


def test_grades_keep_their_promises_on_two_hundred_held_out_halves() -> None:
    rng = np.random.default_rng(17)
    n = 1200
    quality = rng.random(n)
    worth = np.clip(np.round(0.3 + quality * 0.7 + rng.normal(0, 0.15, n), 2), 0, 1)
    lost, broken, used_at_all = [], 0, 0
    for _ in range(200):
        order = rng.permutation(n)
        learn, held = order[: n // 2], order[n // 2 :]
        given = ([CHRF], {"chrf": quality[learn]}, worth[learn], [""] * len(learn))
        used = quality[held] > fit(*given, Lose(0.1)).groups[EVERY].above
        lost.append(float(((1 - worth[held]) * used).mean()))
        used = quality[held] > fit(*given, Clean(0.25, 0.9)).groups[EVERY].above
        broken += bool((1 - worth[held])[used].mean() > 0.25)
        used_at_all += bool(used.any())
    # On average over rules 10% or less is lost, and not much less; of the other promise at most 10% of rules break it.
    assert 0.09 < np.mean(lost) <= 0.1 + 2 * np.std(lost) / math.sqrt(200)
    assert used_at_all == 200 and broken <= 20


def test_goals_and_graded_outcomes() -> None:
    rng = np.random.default_rng(4)
    quality, languages = np.arange(200.0), [""] * 200
    worth = np.clip(quality / 200 + rng.normal(0, 0.1, 200), 0, 1)
    with pytest.raises(InputError, match=r"these are graded. Use --success-at 0.5, or the goal 'lose at most 5%'"):
        fit([CHRF], {"chrf": quality}, worth, languages, Catch(0.9))
    with pytest.raises(InputError, match=r"every outcome has the grade 0.5"):
        fit([CHRF], {"chrf": quality}, np.full(200, 0.5), languages, Lose(0.1))
    with pytest.raises(InputError, match=r"the goal 'lose at most 0.1%' needs 999 examples; there are 200"):
        fit([CHRF], {"chrf": quality}, worth, languages, Lose(0.001))
    rule = fit([CHRF], {"chrf": quality}, worth, languages, Cost(10, 1, 4))
    # Costs are linear in the loss: used up to an expected loss of 1/10, rejected from 3/4 on.
    group = rule.groups[EVERY]
    assert (group.use_at, group.reject_at) == (0.1, 0.75) and group.grade == pytest.approx(worth.mean())
    again = Rule.from_dict(rule.to_dict())
    assert again.groups[EVERY].grade == group.grade and "mean_grade" in again.card
    # Yes and no in numbers is the same as in truth values.
    good = worth >= 0.5
    assert fit([CHRF], {"chrf": quality}, good, languages, Catch(0.9)).to_dict() == fit(
        [CHRF], {"chrf": quality}, good.astype(float), languages, Catch(0.9)
    ).to_dict()  # fmt: skip
    assert "mean_grade" not in fit([CHRF], {"chrf": quality}, good, languages, Lose(0.1)).card


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
    from assay.verbs.shared.suites import load_suite, measure
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
