from pathlib import Path

import numpy as np
import pytest

from assay.core.errors import InputError, UnknownName
from assay.io.wmt.metric_files import read_metric
from assay.io.wmt.tree import read_eval_set
from tests import wmt


@pytest.fixture
def sets(tmp_path: Path):
    wmt.make_pair(tmp_path / "tree", "en-de", segments=3, unjudged=0)
    return {"en-de": read_eval_set(tmp_path / "tree", "en-de")}


def table(tmp_path: Path, *rows: str, header: str = "langpair\tsystem\tsegment\tscore") -> str:
    path = tmp_path / "mine.tsv"
    path.write_text("\n".join([header, *rows]) + "\n")
    return str(path)


def test_a_table_and_its_means(sets, tmp_path: Path):
    found = read_metric(table(tmp_path, "en-de\tA\t1\t2", "en-de\tA\t3\t4", "zh-en\tA\t1\t9"), sets)
    scores = found["mine"]["en-de"]
    assert (scores.seg[0, 0], scores.seg[0, 2]) == (2, 4)
    assert scores.sys[0] == 3
    assert np.isnan(scores.sys[1])


def test_lower_is_turned_round(sets, tmp_path: Path):
    scores = read_metric(table(tmp_path, "en-de\tA\t1\t2") + ":lower", sets)["mine"]["en-de"]
    assert (scores.seg[0, 0], scores.sys[0]) == (-2, -2)


def test_a_folder_of_score_files(sets, tmp_path: Path):
    folder = tmp_path / "mine" / "en-de"
    folder.mkdir(parents=True)
    (folder / "My-Metric-refA.seg.score").write_text("A\t1\nA\t2\nA\t3\n")
    (folder / "My-Metric-refA.sys.score").write_text("A\t7\n")
    scores = read_metric(str(tmp_path / "mine"), sets)["My-Metric"]["en-de"]
    assert (scores.seg[0].tolist(), scores.sys[0]) == ([1, 2, 3], 7)
    one = read_metric(str(folder / "My-Metric-refA.seg.score"), sets)["My-Metric"]["en-de"]
    assert one.sys[0] == 2


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["en-de\tA\t4\t1"], "line 2: en-de has segments 1 to 3, not '4'"),
        (["en-de\tA\tx\t1"], "not 'x'"),
        (["en-de\tA\t1\tnan"], "line 2: the score is 'nan', not a finite number"),
        (["en-de\tA\t1\t1", "en-de\tA\t1\t2"], "line 3: en-de A segment 1 is scored twice"),
        (["zh-en\tA\t1\t1"], "0 rows for en-de"),
    ],
)
def test_faults_are_named(sets, tmp_path: Path, rows, message):
    with pytest.raises(InputError, match=message):
        read_metric(table(tmp_path, *rows), sets)


def test_more_faults(sets, tmp_path: Path):
    with pytest.raises(UnknownName, match="unknown system 'Z'"):
        read_metric(table(tmp_path, "en-de\tZ\t1\t1"), sets)
    with pytest.raises(InputError, match="no column langpair"):
        read_metric(table(tmp_path, header="pair\tsystem\tsegment\tscore"), sets)
    with pytest.raises(InputError, match="does not exist"):
        read_metric(str(tmp_path / "none"), sets)
    (tmp_path / "void").mkdir()
    with pytest.raises(InputError, match=r"no METRIC-REF.seg.score"):
        read_metric(str(tmp_path / "void"), sets)
    (tmp_path / "M-refA.seg.score").write_text("A\t1\n")
    with pytest.raises(InputError, match="has an unknown language pair"):
        read_metric(str(tmp_path / "M-refA.seg.score"), sets)
