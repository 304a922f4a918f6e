from __future__ import annotations

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.stats.clusters import rank_ranges, ranks_from_p_values, separated
from tests.stats.fixtures import fixtures


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
    assert separated(better) == [1, 2, 2, 2, 3]
