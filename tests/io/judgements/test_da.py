from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from assay.core.errors import InputError
from assay.io.judgements.da import read_da, z_scores


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


def test_means_by_translation(tmp_path: Path):
    path = tmp_path / "da.csv"
    path.write_text("system,segment,rater,score\nA,1,x,10\nA,1,y,80\nA,2,x,30\nB,1,once,55\n")
    found = read_da(path)
    # x: mean 20, sd sqrt(200) = 14.14, so z is -0.7071 and 0.7071; y and once have one judgement each
    assert found["", "A", "1"].raw == 45
    assert found["", "A", "1"].z == pytest.approx(-(0.5**0.5))
    assert found["", "A", "1"].judgements == 2
    assert found["", "B", "1"].raw == 55
    assert np.isnan(found["", "B", "1"].z)


def test_faults_are_named(tmp_path: Path):
    path = tmp_path / "da.tsv"
    path.write_text("system\tsegment\tscore\nA\t1\t2\n")
    with pytest.raises(InputError, match="no column rater"):
        read_da(path)
    path.write_text("system\tsegment\trater\tscore\nA\t1\tx\tgood\n")
    with pytest.raises(InputError, match="line 2: the score is 'good'"):
        read_da(path)
    with pytest.raises(InputError, match="no judgements"):
        read_da(path, skip_bad=True)
