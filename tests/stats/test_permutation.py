from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.stats.correlation import kendall_by_group, pearson_by_group, spearman_by_group
from assay.stats.groups import group
from assay.stats.permutation import EarlyStop, masked_sums, over_groups, permutation_matrix
from tests.stats.fixtures import NAMES, Case
from tests.stats.permutation_reference import calibrated_accuracy, of_system_means, permutation_test

PEARSON = over_groups(pearson_by_group)
STATISTICS = {
    "pearson_none": (PEARSON, "none"),
    "pearson_item": (PEARSON, "item"),
    "spearman_sys": (over_groups(spearman_by_group), "system"),
    "kendall_none": (over_groups(partial(kendall_by_group, variant="b")), "none"),
    "variants_acc23_item": (over_groups(partial(kendall_by_group, variant="acc23")), "item"),
    "ties_opt_acc23_item": (calibrated_accuracy, "item"),
}


@pytest.mark.real
@pytest.mark.parametrize("name", NAMES)
def test_perm_both_equals_mt_metrics_eval(name):
    case = Case(name)
    for key, stored in case.out["perm"].items():
        if "error" in stored or key not in STATISTICS:
            continue
        statistic, by = STATISTICS[key]
        rng = np.random.RandomState(1234)
        got = permutation_test(
            group(case.gold, by), case.metric2, case.metric1, statistic, rng=rng, draws=stored["k"], exact=True
        )
        assert got.p == stored["pval"], key
        assert got.delta == pytest.approx(stored["delta"], abs=1e-12)
        head = np.array(stored["draws_head"], dtype=float)
        assert got.samples[: len(head)] == pytest.approx(head, abs=1e-12)


@pytest.mark.real
@pytest.mark.parametrize("name", NAMES)
def test_early_stop_equals_mt_metrics_eval(name):
    case = Case(name)
    stored = case.out["perm"]["pearson_none_early_stop"]
    early = EarlyStop(stored["block"])
    rng = np.random.RandomState(99)
    got = permutation_test(
        group(case.gold), case.metric2, case.metric1, PEARSON, rng=rng, draws=stored["k"], early=early
    )
    assert (got.p, got.draws) == (stored["pval"], stored["k_used"])
    stack = np.stack([case.metric2, case.metric1])
    matrix = permutation_matrix(group(case.gold), stack, rng=np.random.RandomState(99), draws=stored["k"], early=early)
    assert (matrix.p[0, 1], matrix.draws[0, 1]) == (stored["pval"], stored["k_used"])


@pytest.mark.real
@pytest.mark.parametrize("name", NAMES)
def test_masked_sums_give_the_same_p_as_swapped_scores(name):
    case = Case(name)
    stored = case.out["perm"]["pearson_none"]
    stack = np.stack([case.metric2, case.metric1])
    got = permutation_matrix(group(case.gold), stack, rng=np.random.RandomState(1234), draws=stored["k"])
    assert got.p[0, 1] == stored["pval"]
    assert got.delta[0, 1] == pytest.approx(stored["delta"], abs=1e-12)


@pytest.mark.real
@pytest.mark.parametrize("name", ["plain", "gold_ties", "both_ties", "constant_rows"])
def test_perm_input_and_perm_system_equal_nlpstats(name):
    case = Case(name)
    groupings = {"system": "system", "input": "item", "global": "none"}
    for key, stored in case.out["nlpstats"].items():
        kind, swap, *rest = key.split("_")
        if kind != "perm":
            continue
        level, alternative = rest
        got = permutation_test(
            group(case.gold, groupings[level]),
            case.metric1,
            case.metric2,
            of_system_means(PEARSON) if level == "system" else PEARSON,
            rng=np.random.RandomState(7),
            draws=200,
            swap=swap,
            alternative=alternative,
        )
        assert got.p == stored["pvalue"], key
        head = got.samples[:, 0] - got.samples[:, 1]
        assert head[: len(stored["samples_head"])] == pytest.approx(stored["samples_head"], abs=1e-12)


def test_all_pairs_share_draws_and_both_directions_are_counted():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(5, 40))
    stack = gold + rng.normal(size=(4, 5, 40)) * np.array([0.3, 1, 1.1, 5])[:, None, None]
    groups = group(gold)
    fast = permutation_matrix(groups, stack, rng=np.random.default_rng(3), draws=300)
    slow = permutation_matrix(groups, stack, PEARSON, rng=np.random.RandomState(3), draws=300)
    again = permutation_matrix(groups, stack, rng=np.random.RandomState(3), draws=300)
    assert np.array_equal(slow.p, again.p, equal_nan=True)
    assert np.isnan(np.diag(fast.p)).all() and (fast.draws[0, 1:] == 300).all()
    assert fast.p[0, 3] == 0 and fast.p[3, 0] == 1
    assert (fast.p + fast.p.T)[~np.eye(4, dtype=bool)].min() >= 1


def test_equal_metrics_are_never_better():
    gold = np.random.default_rng(0).normal(size=(3, 20))
    got = permutation_test(group(gold), gold, gold, PEARSON, rng=np.random.default_rng(0), draws=50)
    assert (got.p, got.delta) == (1.0, 0.0)
    with pytest.raises(InputError, match="needs ungrouped"):
        permutation_matrix(group(gold, "item"), np.stack([gold, gold]), rng=np.random.default_rng(0))


def test_masked_sums_are_sums_under_masks():
    rng = np.random.default_rng(5)
    masks, rows = rng.random((37, 101)) < 0.5, rng.normal(size=(11, 101))
    assert masked_sums(masks, rows) == pytest.approx(masks.astype(float) @ rows.T, abs=1e-12)
