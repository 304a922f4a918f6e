"""What is claimed of a difference: never more than the tests, the interval and the number of segments allow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.analyses import comparison
from assay.analyses.comparison import FEWEST, Duel, against_baseline, all_pairs, contests, standings
from assay.analyses.comparison_tables import mark_notes, sentence
from assay.core import Batch, Metric, Scores, Signature
from assay.data.agreement import AgreementEstimate, Share
from tests.analyses.helpers import card


class Mean(Metric):
    """A metric that is averaged."""

    def __init__(self, higher_is_better: bool = True) -> None:
        self.card = card("mean", higher_is_better=higher_is_better)

    @property
    def signature(self) -> Signature:
        return Signature.of("mean", 1)

    def score(self, batch: Batch) -> Scores:
        raise NotImplementedError


def stats(**columns: np.ndarray) -> dict[str, dict[str, np.ndarray]]:
    return {name: {"mean": np.stack([column, np.ones(len(column))], axis=1)} for name, column in columns.items()}


def texts(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(50, 10, n)


@pytest.mark.parametrize("n", [1, 2, FEWEST - 1])
def test_a_handful_of_segments_prove_nothing(n: int) -> None:
    found = contests(stats(a=texts(n), b=texts(n) + 30), {"mean": Mean()}, trials=100)
    standing = standings(found, against_baseline(found))["b"]["mean"]
    assert not standing.better and standing.p is None
    assert (standing.low, standing.high, standing.difference_low, standing.difference_high) == (None,) * 4
    assert standing.p_bootstrap is not None and standing.p_bootstrap < 0.05  # sacrebleu's stays as it is
    assert standing.difference == pytest.approx(30)


def test_better_and_worse_and_lower_is_better() -> None:
    column = texts(40)
    better = column + 3 + np.random.default_rng(1).normal(0, 1, 40)
    for given, metric, expected in (
        (stats(a=column, b=better), Mean(), (True, False)),
        (stats(a=better, b=column), Mean(), (False, True)),
        (stats(a=column, b=better), Mean(False), (False, True)),
        (stats(a=better, b=column), Mean(False), (True, False)),
    ):
        found = contests(given, {"mean": metric}, trials=500)
        standing = standings(found, against_baseline(found))["b"]["mean"]
        assert (standing.better, standing.worse) == expected


def test_the_interval_of_the_difference_is_that_of_paired_resamples() -> None:
    one, other = texts(60), texts(60) + np.random.default_rng(5).normal(1, 4, 60)
    found = contests(stats(a=one, b=other), {"mean": Mean()}, samples=1000, trials=0, seed=7)
    duel = found["mean"].duel("a", "b")
    chosen = np.random.default_rng(7).choice(60, size=(1000, 60), replace=True)
    drawn = np.sort((other - one)[chosen].mean(axis=1))
    assert (duel.low, duel.high) == pytest.approx((drawn[25], drawn[974]))
    assert duel.difference == pytest.approx((other - one).mean())


DUEL = Duel("a", "b", "m", 1.0, 0.1, 1.9, 0.01, 0.03, False, True, 0.03)


@pytest.mark.parametrize(
    ("changes", "better", "worse"),
    [
        ({}, True, False),
        ({"p": 0.05}, False, False),
        ({"p": None}, False, False),
        ({"low": -0.1}, False, False),  # sacrebleu's bootstrap is one-sided in effect: the interval must agree
        ({"low": None, "high": None}, False, False),
        ({"difference": -1.0, "low": -1.9, "high": -0.1}, False, True),
        ({"higher_is_better": False}, False, True),
    ],
)
def test_what_a_mark_takes(changes: dict[str, object], better: bool, worse: bool) -> None:
    duel = replace(DUEL, **changes)  # type: ignore[arg-type]
    assert (duel.better, duel.worse) == (better, worse)


def test_p_is_the_larger_of_both_tests() -> None:
    found = contests(stats(a=texts(20), b=texts(20, 1)), {"mean": Mean()}, trials=300)
    duel = found["mean"].duel("a", "b")
    assert duel.p_randomization is not None and duel.p_bootstrap is not None
    assert duel.p == max(duel.p_bootstrap, duel.p_randomization)


def test_holm_by_hand() -> None:
    # Ordered 0.01, 0.02, 0.04 times 3, 2, 1: 0.03, 0.04, 0.04. One that claims nothing does not count.
    duels = [replace(DUEL, p=p) for p in (0.02, None, 0.01, 0.04)]
    got = comparison.correct_duels(duels, "holm")
    assert [duel.p for duel in got] == [pytest.approx(0.04), None, pytest.approx(0.03), pytest.approx(0.04)]
    assert {duel.comparisons for duel in got} == {3}
    assert "corrected for 3 comparisons (Holm)" in mark_notes({"m": got}, "holm", "a", "both tests")[0]


def test_every_two_systems() -> None:
    base = texts(30)
    found = contests(stats(a=base, b=base + texts(30, 1) / 50, c=base.copy()), {"mean": Mean()}, trials=200)
    got = all_pairs(found, "bonferroni")["mean"]
    assert [(duel.first, duel.second) for duel in got] == [("a", "b"), ("a", "c"), ("b", "c")]
    # a and c are the same texts and claim nothing, so two p-values are corrected.
    assert got[1].identical and got[1].p is None
    alone = found["mean"].duel("a", "b").p
    assert alone is not None and got[0].p == pytest.approx(min(1.0, 2 * alone))
    assert got[2].difference == pytest.approx(-got[0].difference)


def test_the_sentence() -> None:
    seen: list[float] = []

    def known(difference: float) -> AgreementEstimate:
        seen.append(difference)
        wmt23 = Share(0.97, 0.85, 1.0, 41)
        return AgreementEstimate(0.88, wmt23, "into English", Share(0.61, 0.4, 0.77, 21), 0.88)

    column = texts(40)
    noise = np.random.default_rng(1)
    up, near = column + 1.5 + noise.normal(0, 0.5, 40), column + noise.normal(0, 2, 40)
    found = contests(stats(a=column, b=up, c=column, d=near), {"mean": Mean()}, trials=500, agreements={"mean": known})
    rows = standings(found, against_baseline(found))
    difference = rows["b"]["mean"].difference
    assert difference is not None and difference in seen
    assert rows["b"]["mean"].people_agree == 0.88  # the lower of the two studies
    said = sentence(rows["b"]["mean"], Mean(), "b", "a")
    assert said.startswith(f"b is better than a (+{difference:.1f} mean, p = 0.00")
    assert said.endswith(
        "). At WMT23, annotators preferred the same system in about 95% of pairs into English that differed by this much (n = 41, "
        "95% CI 85–100%); among the better half of the systems, in about 60% (n = 21, 95% CI 40–77%); a larger study puts it at "
        "88% (Kocmi et al. 2024)."
    )
    assert sentence(rows["c"]["mean"], Mean(), "c", "a") == "c is identical to a by mean."
    # A difference that is not significant says nothing about annotators.
    assert rows["d"]["mean"].people_agree is None and rows["d"]["mean"].agreement is None
    assert sentence(rows["d"]["mean"], Mean(), "d", "a").startswith("d is not shown to differ from a (")
    assert "annotators" not in sentence(rows["d"]["mean"], Mean(), "d", "a")
    few = contests(stats(a=column[:3], b=up[:3]), {"mean": Mean()}, trials=50, agreements={"mean": known})
    said = sentence(standings(few, against_baseline(few))["b"]["mean"], Mean(), "b", "a")
    assert said == f"too few segments to tell b from a (+{(up - column)[:3].mean():.1f} mean)."
