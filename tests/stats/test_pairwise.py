from __future__ import annotations

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.stats.correlation import kendall
from assay.stats.groups import group, pool
from assay.stats.pairwise import calibrate_ties, pairwise_p_values, pooled_accuracy, soft_pairwise_accuracy
from assay.stats.permutation import pooled_pairwise_accuracy
from tests.stats.fixtures import NAMES, NAN, Case, fixtures


@pytest.mark.real
@pytest.mark.parametrize("name", NAMES)
def test_calibration_equals_mt_metrics_eval(name):
    case = Case(name)
    for metric, by, statistic, expected in case.outputs():
        if not statistic.startswith("kendall_ties_opt"):
            continue
        variant = statistic.removeprefix("kendall_ties_opt_")
        got = calibrate_ties(case.gold, metric, by, variant=variant)
        assert float(got.value) == pytest.approx(expected["value"], abs=1e-12)
        assert float(got.value_at_zero) == pytest.approx(expected["value_at_zero"], abs=1e-12)
        if float(got.epsilon) != expected["threshold"]:
            # rounding in its running sum made a later threshold of equal accuracy win
            assert float(got.epsilon) < expected["threshold"]
            there = kendall(case.gold, metric, by, variant="acc23", epsilon=expected["threshold"])
            ours = kendall(case.gold, metric, by, variant="acc23", epsilon=float(got.epsilon))
            assert float(there.value) == pytest.approx(float(ours.value), abs=1e-14)


@pytest.mark.real
def test_every_threshold_of_the_stored_curve():
    stored = fixtures()["extra"]["threshold_curve"]
    # its rows are the groups
    metric = np.array(stored["metric_rows"])
    gold = np.array(stored["human_rows"], dtype=float)
    curve = stored["acc_23"]
    for threshold, value in zip(curve["thresholds"], curve["taus"], strict=True):
        got = kendall(gold, metric, "system", variant="acc23", epsilon=threshold)
        assert float(got.value) == pytest.approx(value, abs=1e-12)
    best = calibrate_ties(gold, metric, "system")
    assert [float(best.value), float(best.epsilon)] == pytest.approx([curve["best_tau"], curve["best_threshold"]])


def test_first_of_equal_thresholds_wins_by_hand():
    # One segment, gold 0 0 1: pairs (1,2) tied, (1,3) and (2,3) rising. Metric 0 1 5: differences 1, 5, 4.
    # At 0 two of three are right; at 1 the tie is found as well: 3/3. Metric 0 4 5: differences 4, 5, 1.
    # At 0: 2/3; at 1 (2,3) is lost: 1/3; at 4 the tie is won: 2/3, no better than 0.
    gold = np.array([[0.0], [0.0], [1.0]])
    stack = np.array([[[0.0], [1.0], [5.0]], [[0.0], [4.0], [5.0]]])
    got = calibrate_ties(gold, stack)
    assert got.epsilon.tolist() == [1.0, 0.0]
    assert got.value.tolist() == pytest.approx([1.0, 2 / 3])
    assert got.value_at_zero.tolist() == pytest.approx([2 / 3, 2 / 3])


def test_without_a_pair_there_is_no_value():
    assert np.isnan(calibrate_ties(np.array([[1.0, NAN], [NAN, 2.0]]), np.zeros((2, 2))).value)
    with pytest.raises(InputError, match="cannot be calibrated"):
        calibrate_ties(np.eye(2), np.eye(2), variant="b")


@pytest.mark.real
@pytest.mark.parametrize("name", NAMES)
def test_agreement_equals_mt_metrics_eval(name):
    case = Case(name)
    for key, metric in (("metric1", case.metric1), ("metric2", case.metric2)):
        got = pooled_accuracy([case.gold.ravel()], [metric.ravel()])
        assert [float(got.agreeing), got.pairs] == case.out[key]["agreement"]


def test_pairs_are_pooled_not_averaged():
    # 1 of 1 and 1 of 3 pairs agree: 2 of 4.
    gold = [np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0])]
    metric = [np.array([0.0, 5.0]), np.array([2.0, 2.0, 1.5])]
    metric[1] = np.array([3.0, 3.0, 4.0])  # tie where gold differs, then two right
    got = pooled_accuracy(gold, metric)
    assert (float(got.value), float(got.agreeing), got.pairs) == (0.75, 3.0, 4)
    groups = pool(gold)
    assert pooled_pairwise_accuracy(groups, groups.rows(np.concatenate(metric))).tolist() == [0.75]
    with pytest.raises(InputError, match="at least two judged systems"):
        pooled_accuracy([np.array([1.0])], [np.array([1.0])])


def test_one_epsilon_a_metric():
    rng = np.random.default_rng(2)
    gold, stack = rng.integers(0, 3, (5, 8)).astype(float), rng.normal(size=(3, 5, 8))
    best = calibrate_ties(gold, stack)
    for metric, value, epsilon in zip(stack, best.value, best.epsilon, strict=True):
        at = kendall(gold, metric, "item", variant="acc23", epsilon=float(epsilon))
        assert float(at.value) == pytest.approx(value, abs=1e-15)
    assert group(gold, "item").shape == (5, 8)


COMPLETE = ["plain", "gold_ties", "both_ties", "constant_rows", "one_item"]


@pytest.mark.real
@pytest.mark.parametrize("name", COMPLETE)
def test_exact_equals_mt_metrics_eval(name):
    case = Case(name)
    upper = np.triu_indices(len(case.gold), 1)
    for key, scores in (("gold", case.gold), ("metric1", case.metric1), ("metric2", case.metric2)):
        if key in case.out["pce_pvalues"]:
            stored = np.array(case.out["pce_pvalues"][key], dtype=float)[upper]
            assert pairwise_p_values(scores, exact=True)[upper].tolist() == stored.tolist()
    got = soft_pairwise_accuracy(case.gold, np.stack([case.metric1, case.metric2]), exact=True)
    stored = [case.out["pce"]["metric1"][0], case.out["pce"]["metric2"][0]]
    assert got == pytest.approx(stored, abs=1e-12)
    # in double precision sums that are equal count as equal, whatever the rounding
    assert soft_pairwise_accuracy(case.gold, np.stack([case.metric1, case.metric2])) == pytest.approx(stored, abs=2e-3)


def test_segments_that_nobody_judged_change_nothing():
    rng = np.random.default_rng(0)
    gold, metric = rng.normal(size=(2, 4, 30))
    holes = np.insert(gold, [3, 9], NAN, axis=1)
    wide = np.insert(metric, [3, 9], 7.0, axis=1)
    assert float(soft_pairwise_accuracy(holes, wide)) == float(soft_pairwise_accuracy(gold, metric))
    assert float(soft_pairwise_accuracy(holes, wide, exact=True)) == float(
        soft_pairwise_accuracy(gold, metric, exact=True)
    )


def test_missing_scores_stay_aligned():
    rng = np.random.default_rng(1)
    gold = rng.normal(size=(3, 40))
    gold[0, :5] = gold[1, 10:15] = gold[2, 20:25] = NAN
    # a metric equal to gold has the same p-values whatever is missing
    metric = np.where(np.isnan(gold), 99.0, gold)
    assert float(soft_pairwise_accuracy(gold, metric)) == 1.0
    both = ~np.isnan(gold[0]) & ~np.isnan(gold[1])
    signs = np.rint(np.random.default_rng(4).random(size=(1000, 40), dtype=np.float32)) * 2 - 1
    difference = gold[0, both] - gold[1, both]
    expected = np.mean(signs[:, both] @ difference >= difference.sum() - 1e-9)
    assert pairwise_p_values(gold)[0, 1] == expected


def test_rows_of_unequal_length_cannot_be_repeated_exactly():
    gold = np.array([[1.0, 2.0], [NAN, 1.0]])
    with pytest.raises(InputError, match="cannot be cut into 2 equal rows"):
        soft_pairwise_accuracy(gold, np.zeros((2, 2)), exact=True)
    with pytest.raises(InputError, match="at least two systems"):
        soft_pairwise_accuracy(np.zeros((1, 4)), np.zeros((1, 4)))
