from __future__ import annotations

import math

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.stats.correlation import kendall, pearson, spearman
from assay.stats.correlation_tests import bootstrap, williams, williams_test
from assay.stats.distributions import t_tail
from tests.stats.fixtures import NAN, Case, fixtures


def plain(statistic):
    return lambda x, y: float(statistic(x, y).value)


@pytest.mark.real
def test_closed_form_equals_mt_metrics_eval():
    for stored in fixtures()["extra"]["williams_closed_form"]:
        got = williams(stored["r12"], stored["r13"], stored["r23"], stored["n"])
        assert t_tail(abs(got.t), got.df) == pytest.approx(stored["one_sided"], rel=1e-11)
        assert got.p_two_sided == pytest.approx(stored["two_sided"], rel=1e-11)


@pytest.mark.real
@pytest.mark.parametrize("name", ["plain", "gold_ties", "both_ties", "constant_rows", "one_item"])
def test_of_two_metrics_equals_mt_metrics_eval(name):
    case = Case(name)
    for key, stored in case.out["williams"].items():
        correlation = plain({"pearson": pearson, "spearman": spearman, "kendall": kendall}[key.split("_")[0]])
        got, r1, r2 = williams_test(case.gold, case.metric1, case.metric2, correlation)
        p = t_tail(abs(got.t), got.df) if key.endswith("one_sided") else got.p_two_sided
        assert [p, r1, r2] == pytest.approx(stored, rel=1e-9), key


@pytest.mark.real
@pytest.mark.parametrize("name", ["plain", "gold_ties", "both_ties"])
def test_directions_equal_nlpstats(name):
    case = Case(name)
    got, _, _ = williams_test(case.gold, case.metric1, case.metric2, plain(pearson))
    stored = case.out["nlpstats"]
    assert t_tail(got.t, got.df) == pytest.approx(stored["williams_global_greater"], rel=1e-9)
    assert t_tail(-got.t, got.df) == pytest.approx(stored["williams_global_less"], rel=1e-9)
    assert got.p_two_sided == pytest.approx(stored["williams_global_two-sided"], rel=1e-9)


def test_unjudged_cells_count_only_when_exact():
    rng = np.random.default_rng(0)
    gold, a, b = rng.normal(size=(3, 4, 10))
    gold[:, 7:] = NAN
    right, _, _ = williams_test(gold, a, b, plain(pearson))
    faulty, _, _ = williams_test(gold, a, b, plain(pearson), exact=True)
    assert (right.df, faulty.df) == (25, 37)
    cut, _, _ = williams_test(gold[:, :7], a[:, :7], b[:, :7], plain(pearson))
    assert right == cut


def test_too_few_scores_have_no_t():
    assert math.isnan(williams(0.5, 0.4, 0.3, 3).t)
    assert math.isnan(williams(0.5, 0.4, 0.3, 3).p_two_sided)


LEVELS = {
    "system": lambda gold, metrics: pearson(gold.mean(axis=1), metrics.mean(axis=-1)[..., None]).value,
    "input": lambda gold, metrics: pearson(gold, metrics, "item").value,
    "global": lambda gold, metrics: pearson(gold, metrics).value,
}


@pytest.mark.real
@pytest.mark.parametrize("name", ["plain", "gold_ties", "both_ties"])
def test_equals_nlpstats(name):
    case = Case(name)
    for key, stored in case.out["nlpstats"].items():
        kind, resample, *rest = key.split("_")
        if kind != "boot":
            continue
        got = bootstrap(
            case.gold, case.metric1[None], LEVELS[rest[0]], rng=np.random.RandomState(8), resample=resample, draws=200
        )
        head = stored["samples_head"]
        assert got.samples[: len(head), 0] == pytest.approx(head, abs=1e-12)
        assert [got.lower[0], got.upper[0]] == pytest.approx([stored["lower"], stored["upper"]], abs=1e-12)


def test_paired_difference():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(6, 50))
    stack = np.stack([gold + rng.normal(size=gold.shape) * 0.2, gold + rng.normal(size=gold.shape) * 3])
    got = bootstrap(gold, stack, LEVELS["global"], rng=np.random.default_rng(1), resample="inputs", draws=100)
    difference = got.samples[:, 0] - got.samples[:, 1]
    lower, upper = np.percentile(difference, [2.5, 97.5])
    assert 0 < lower < upper and np.mean(difference <= 0) == 0.0


def test_bad_input():
    with pytest.raises(InputError, match="confidence"):
        bootstrap(np.eye(3), np.eye(3)[None], LEVELS["global"], rng=np.random.default_rng(0), confidence=95)
    with pytest.raises(InputError, match="Use systems, inputs or both"):
        bootstrap(np.eye(3), np.eye(3)[None], LEVELS["global"], rng=np.random.default_rng(0), resample="words")
