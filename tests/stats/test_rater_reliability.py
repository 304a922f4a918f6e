import numpy as np
import pytest
import scipy.stats

from assay.stats.rater_reliability import alpha, alpha_parts, z_scores

GAP = np.nan
FOUR_OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, GAP, GAP, GAP],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, GAP, 3],
        [GAP, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, GAP],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, GAP],
    ]
)


def test_krippendorffs_own_example():
    """Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability": interval alpha 0.849."""
    assert alpha(alpha_parts(FOUR_OBSERVERS).sum(axis=0)) == pytest.approx(0.849, abs=5e-4)


def test_the_ends():
    same = np.array([[1.0, 2, 3], [1, 2, 3]])
    assert alpha(alpha_parts(same).sum(axis=0)) == 1.0
    # two units, raters swapped: observed 2 * 1 / 1 per unit over 4 values = 1; expected 2 (4 * 2 - 4) / 12 = 2/3
    assert alpha(alpha_parts(np.array([[0.0, 1], [1, 0]])).sum(axis=0)) == pytest.approx(1 - 1 / (2 / 3))
    assert np.isnan(alpha(alpha_parts(np.array([[1.0, GAP], [GAP, 2]])).sum(axis=0)))


def test_z_scores_are_those_of_scipy_for_each_rater():
    rng = np.random.default_rng(0)
    raters, scores = rng.integers(0, 3, 40).astype(str), rng.uniform(0, 100, 40)
    found = z_scores(list(raters), scores)
    for rater in set(raters):
        mine = raters == rater
        assert found[mine] == pytest.approx(scipy.stats.zscore(scores[mine], ddof=1))


def test_one_rating_has_no_z_and_a_constant_rater_has_zero():
    found = z_scores(["once", "same", "same"], np.array([50.0, 70.0, 70.0]))
    assert np.isnan(found[0])
    assert found[1:].tolist() == [0, 0]
