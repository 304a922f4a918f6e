from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, matthews_corrcoef, roc_auc_score

from assay.core.errors import InputError
from assay.stats.classification import (
    auroc,
    bin_threshold,
    confusion,
    detection_draws,
    macro_f1,
    majority,
    matthews,
    precision_at_recall,
    random_baseline,
    resample_counts,
    resample_paired_counts,
    resamples,
)

pairs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)


@given(pairs)
def test_equal_to_scikit_learn_in_degenerate_cases_too(rows: list[tuple[bool, bool]]) -> None:
    good, predicted = (np.array(column) for column in zip(*rows, strict=True))
    counts = confusion(good, predicted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert float(macro_f1(counts)) == pytest.approx(f1_score(good, predicted, average="macro"), abs=1e-12)
        assert float(matthews(counts)) == pytest.approx(matthews_corrcoef(good, predicted), abs=1e-12)


# Eleven scores 0, 10, …, 100. Bad: 0, 10, 30; all others are good. The bins' lower edges are 0, 10, …, 90.
# At 40: 7 good let through, 0 bad; 1 good (20) held back, 3 bad held back.
#   F1 good = 14 / 15, F1 bad = 6 / 7, macro 0.895238; MCC = 21 / sqrt(7 · 8 · 3 · 4) = 0.810093.
# At 20: 8 and 1 (30) let through, 0 and 2 held back: F1 good = 16 / 17, F1 bad = 4 / 5, macro 0.870588.
SCORES = np.arange(0.0, 101.0, 10.0)
GOOD = ~np.isin(SCORES, [0.0, 10.0, 30.0])


def test_threshold_of_ten_bins_by_hand() -> None:
    chosen = bin_threshold(SCORES, GOOD)
    assert chosen.value == 40.0
    assert chosen.f1 == pytest.approx(0.895238, abs=1e-6)
    assert chosen.candidates.tolist() == [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]
    assert chosen.f1s[2] == pytest.approx(0.870588, abs=1e-6)
    assert float(matthews(confusion(GOOD, chosen.value <= SCORES))) == pytest.approx(0.810093, abs=1e-6)


def test_of_equal_bins_the_lowest_is_taken() -> None:
    # Nothing lies between 10 and 90: the edges 18 … 90 (from 10 in steps of 8) cut alike.
    chosen = bin_threshold(np.array([10.0, 10.0, 90.0, 90.0]), np.array([False, False, True, True]))
    assert (chosen.value, chosen.f1) == (18.0, 1.0)


def test_equal_scores_give_one_threshold_that_lets_all_through() -> None:
    chosen = bin_threshold(np.array([5.0, 5.0, 5.0]), np.array([True, False, True]))
    assert chosen.value == 5.0
    assert chosen.f1 == pytest.approx((4 / 5 + 0) / 2)


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.booleans()), min_size=1, max_size=40))
def test_threshold_is_the_best_of_its_candidates(rows: list[tuple[float, bool]]) -> None:
    scores, good = np.array([score for score, _ in rows]), np.array([label for _, label in rows])
    chosen = bin_threshold(scores, good)
    slow = [float(macro_f1(confusion(good, scores >= edge))) for edge in chosen.candidates]
    assert chosen.f1 == pytest.approx(max(slow))
    assert chosen.f1s == pytest.approx(slow)


def test_no_scores_and_missing_ones_are_refused() -> None:
    for bad in ([], [1.0, np.nan]):
        with pytest.raises(InputError, match="threshold"):
            bin_threshold(np.array(bad), np.ones(len(bad), bool))


def test_majority_of_three_by_hand() -> None:
    votes = [[True, True, False, False], [True, False, False, True], [False, True, False, False]]
    assert majority([np.array(vote) for vote in votes]).tolist() == [True, True, False, False]
    assert majority([np.array([True, True]), np.array([False, True])]).tolist() == [False, True], "half is no majority"
    with pytest.raises(InputError):
        majority([])


def test_a_coin_has_no_correlation_and_the_f1_of_a_coin() -> None:
    f1, mcc = random_baseline(700, 300, np.random.default_rng(1), 4000)
    # Expected: F1 good ≈ 2 · 350 / (700 + 500) = 0.5833, F1 bad ≈ 2 · 150 / (300 + 500) = 0.375, macro 0.479.
    assert f1.mean() == pytest.approx(0.479, abs=0.002)
    assert mcc.mean() == pytest.approx(0.0, abs=0.002)


def test_draws_of_counts_behave_like_resampled_examples() -> None:
    rng = np.random.default_rng(7)
    good = rng.random(400) < 0.6
    first, second = good ^ (rng.random(400) < 0.2), good ^ (rng.random(400) < 0.3)
    slow = []
    for _ in range(1500):
        rows = rng.integers(0, 400, 400)
        one, other = confusion(good[rows], first[rows]), confusion(good[rows], second[rows])
        slow.append((float(matthews(one)), float(matthews(one) - matthews(other))))
    fast = matthews(resample_counts(confusion(good, first), rng, 6000))
    one, other = resample_paired_counts(good, first, second, rng, 6000)
    quick = matthews(one) - matthews(other)
    assert fast.mean() == pytest.approx(np.mean(slow, axis=0)[0], abs=0.005)
    assert fast.std() == pytest.approx(np.std(slow, axis=0)[0], rel=0.08)
    assert quick.mean() == pytest.approx(np.mean(slow, axis=0)[1], abs=0.006)
    assert quick.std() == pytest.approx(np.std(slow, axis=0)[1], rel=0.08)


scored = st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=2, max_size=60)


@given(scored)
def test_auroc_equals_sklearn(rows):
    scores, labels = np.array([float(s) for s, _ in rows]), np.array([label for _, label in rows])
    if labels.all() or not labels.any():
        assert math.isnan(auroc(scores, labels))
    else:
        assert auroc(scores, labels) == pytest.approx(roc_auc_score(labels, scores))


def test_by_hand():
    scores = np.array([4.0, 3.0, 3.0, 1.0, 0.0])
    labels = np.array([True, False, True, False, False])
    # pairs: 4 beats 3, 1, 0; 3 ties with 3 and beats 1, 0: (3 + 2.5) / 6
    assert auroc(scores, labels) == pytest.approx(5.5 / 6)
    # positives 3 and 4: the 0.1 quantile is 3.1, above which lies one positive and nothing else
    assert precision_at_recall(scores, labels) == 1.0
    # the 0 quantile is 3: two positives, one negative
    assert precision_at_recall(scores, labels, 1.0) == pytest.approx(2 / 3)
    assert math.isnan(precision_at_recall(scores, np.zeros(5, bool)))


@given(scored, st.integers(0, 5))
def test_draws_equal_the_plain_functions_on_each_resample(rows, seed):
    scores, labels = np.array([float(s) for s, _ in rows]), np.array([label for _, label in rows])
    if labels.all() or not labels.any():
        return
    drawn = resamples(labels.sum(), (~labels).sum(), np.random.default_rng(seed), 5)
    areas, precisions = detection_draws(scores, labels, drawn)
    for i in range(5):
        positives = scores[labels][drawn.positives[i]]
        negatives = np.repeat(scores[~labels], drawn.negatives[i])
        again = np.concatenate([positives, negatives])
        truth = np.arange(len(again)) < len(positives)
        assert areas[i] == pytest.approx(auroc(again, truth))
        assert precisions[i] == pytest.approx(precision_at_recall(again, truth))
