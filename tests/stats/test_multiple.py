from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.core.errors import InputError, UnknownName
from assay.stats.multiple import (
    benjamini_hochberg,
    bonferroni,
    cluster_numbers,
    correct_p_values,
    holm,
    rank_ranges,
    ranks_from_p_values,
)
from tests.stats.fixtures import fixtures


def test_by_hand():
    p = [0.01, 0.04, 0.03]
    assert bonferroni(p) == pytest.approx([0.03, 0.12, 0.09])
    # Holm: 0.01·3 = 0.03, 0.03·2 = 0.06, then max(0.06, 0.04·1) = 0.06
    assert holm(p) == pytest.approx([0.03, 0.06, 0.06])
    # BH: 0.04·3/3 = 0.04, min(0.04, 0.03·3/2 = 0.045) = 0.04, 0.01·3/1 = 0.03
    assert benjamini_hochberg(p) == pytest.approx([0.03, 0.04, 0.04])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_benjamini_hochberg_equals_scipy(p):
    assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p))


@given(st.lists(st.floats(0, 1), max_size=30))
def test_holm_lies_between_raw_and_bonferroni(p):
    raw, middle, strict = correct_p_values(p), holm(p), bonferroni(p)
    assert (raw <= middle + 1e-15).all()
    assert (middle <= strict + 1e-15).all()


def test_unknown_method():
    with pytest.raises(UnknownName, match="holm"):
        correct_p_values([0.1], "hollm")


@pytest.mark.real
def test_equals_mt_metrics_eval():
    for stored in fixtures()["extra"]["assign_ranks"]:
        assert ranks_from_p_values(np.array(stored["matrix"], dtype=float), stored["pval"]) == stored["ranks"]


def test_a_cluster_opens_where_a_member_is_beaten():
    # b is not beaten by a, c is beaten by b, d by nobody in c's cluster
    p = np.array([[np.nan, 0.3, 0.2, 0.01], [1, np.nan, 0.04, 0.5], [1, 1, np.nan, 0.2], [1, 1, 1, np.nan]])
    assert ranks_from_p_values(p) == [1, 1, 2, 2]
    with pytest.raises(InputError, match="square"):
        ranks_from_p_values(np.zeros((2, 3)))


def test_ranges_of_ranks_and_clusters_of_the_wmt_findings():
    # A beats all; B and C are alike, C and D are alike, B beats D; all beat E.
    names = "ABCDE"
    wins = {("A", other) for other in "BCDE"} | {("B", "D")} | {(other, "E") for other in "BCD"}
    better = np.array([[(a, b) in wins for b in names] for a in names])
    assert rank_ranges(better) == [(1, 1), (2, 3), (2, 4), (3, 4), (5, 5)]
    assert cluster_numbers(better) == [1, 2, 2, 2, 3]
