import numpy as np
import pytest
import scipy.stats

from assay.stats.ranked_tests import rank_sum, ranks, signed_rank


@pytest.mark.parametrize("seed", range(5))
def test_as_scipy_has_them(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 12, 60).astype(float), rng.integers(0, 10, 60).astype(float)
    differences = first - second
    known = differences[differences != 0]
    expected = scipy.stats.wilcoxon(known, alternative="greater", method="approx", correction=False).pvalue
    assert signed_rank(differences) == pytest.approx(expected)
    expected = scipy.stats.mannwhitneyu(
        first, second[:45], alternative="greater", method="asymptotic", use_continuity=False
    ).pvalue
    assert rank_sum(first, second[:45]) == pytest.approx(expected)
    assert ranks(first).tolist() == scipy.stats.rankdata(first).tolist()


def test_nothing_to_tell_apart():
    assert signed_rank(np.zeros(4)) == rank_sum(np.ones(3), np.ones(2)) == rank_sum(np.empty(0), np.ones(2)) == 0.5
