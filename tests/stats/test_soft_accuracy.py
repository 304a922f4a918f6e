from __future__ import annotations

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.stats.soft_accuracy import pairwise_p_values, soft_pairwise_accuracy
from tests.stats.fixtures import NAN, Case

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
