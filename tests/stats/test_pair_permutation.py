from __future__ import annotations

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.stats.groups import group
from assay.stats.pair_permutation import pair_permutation_matrix
from assay.stats.permutation import SLACK, EarlyStop
from tests.stats.fixtures import NAMES, NAN, Case
from tests.stats.permutation_reference import pair_permutation_test


@pytest.mark.real
@pytest.mark.parametrize("name", NAMES)
def test_equals_mt_metrics_eval(name):
    case = Case(name)
    stored = case.out["perm"]["pairs_acc23_item"]
    groups = group(case.gold, "item")
    if "error" in stored:  # it divides by zero where a segment has one judged system
        assert pair_permutation_test(groups, case.metric2, case.metric1, rng=np.random.default_rng(0)).draws == 1000
        return
    got = pair_permutation_test(groups, case.metric2, case.metric1, rng=np.random.RandomState(77), draws=stored["k"])
    assert got.delta == pytest.approx(stored["delta"], abs=1e-12)
    head = np.array(stored["draws_head"], dtype=float)
    assert got.samples[: len(head)] == pytest.approx(head, abs=1e-12)
    # of the draws that equal delta but for rounding it counts some
    surely = np.mean(got.samples[:, 0] - got.samples[:, 1] > got.delta + SLACK)
    assert surely <= stored["pval"] <= got.p
    rng = np.random.RandomState(77)
    exact = pair_permutation_test(groups, case.metric2, case.metric1, rng=rng, draws=stored["k"], exact=True)
    assert (exact.p, exact.delta) == (stored["pval"], stored["delta"])


def test_early_stop_looks_at_every_block_unless_exact():
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 3, (6, 30)).astype(float)
    good, bad = gold + rng.normal(size=gold.shape) * 0.1, rng.normal(size=gold.shape)
    groups, early = group(gold, "item"), EarlyStop(block=10)
    right = pair_permutation_test(groups, good, bad, rng=np.random.default_rng(0), draws=200, early=early)
    faulty = pair_permutation_test(groups, good, bad, rng=np.random.default_rng(0), draws=200, early=early, exact=True)
    assert (right.p, right.draws) == (0.0, 10)
    assert (faulty.p, faulty.draws) == (0.0, 200)  # no draw reaches the difference, so it never looks


def test_matrix_equals_single_tests():
    rng = np.random.default_rng(2)
    gold = rng.integers(0, 3, (5, 20)).astype(float)
    gold[1, 3] = gold[2, 3] = gold[4, 7] = NAN
    stack = gold[None] * 0 + rng.normal(size=(3, 5, 20)) + np.nan_to_num(gold)
    stack = np.where(np.isnan(stack), 0.0, stack)
    groups = group(gold, "item")
    matrix = pair_permutation_matrix(groups, stack, rng=np.random.RandomState(0), draws=80)
    for i in range(3):
        for j in range(3):
            if i < j:
                single = pair_permutation_test(groups, stack[i], stack[j], rng=np.random.RandomState(0), draws=80)
                assert matrix.p[i, j] == single.p
                assert matrix.delta[i, j] == pytest.approx(single.delta, abs=1e-15)


def test_bad_input():
    gold = np.array([[1.0, NAN], [NAN, 2.0]])
    with pytest.raises(InputError, match="no pair to compare"):
        pair_permutation_matrix(group(gold, "item"), np.zeros((2, 2, 2)), rng=np.random.default_rng(0))
    with pytest.raises(InputError, match="negative"):
        epsilons = np.array([-1.0, 0.0])
        pair_permutation_matrix(
            group(np.eye(2)), np.stack([np.eye(2)] * 2), rng=np.random.default_rng(0), epsilons=epsilons
        )
