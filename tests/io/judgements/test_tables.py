from pathlib import Path

import numpy as np
import pytest

from assay.core.errors import InputError, UnknownName
from assay.io.judgements.tables import read_judged_table
from tests.data import need


def write(tmp_path: Path, text: str, name: str = "judged.tsv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_known_names_of_columns(tmp_path: Path):
    found = read_judged_table(
        write(tmp_path, "lp\tsrc\tmt\tref\tsystem\traw\tz\nen-de\ta\tb\tc\tS\t50\t\nen-de\td\te\t\tS\t60\t0.5\n")
    )
    assert found.batch.hypotheses == ["b", "e"]
    assert found.batch.references == (["c", None],)
    assert found.scores["raw"].tolist() == [50, 60]
    assert np.isnan(found.scores["z"][0])


def test_columns_by_wish(tmp_path: Path):
    path = write(tmp_path, '{"out": "b", "quality": 3}\n{"out": "c", "quality": null}\n', "judged.jsonl")
    found = read_judged_table(path, columns={"mt": "out"}, scores=["quality"])
    assert found.batch.references is None
    assert found.scores["quality"][0] == 3
    assert np.isnan(found.scores["quality"][1])


def test_faults_are_named(tmp_path: Path):
    with pytest.raises(InputError, match="no translation column"):
        read_judged_table(write(tmp_path, "src\tscore\na\t1\n"))
    with pytest.raises(InputError, match="no score column"):
        read_judged_table(write(tmp_path, "mt\tsrc\na\tb\n"))
    with pytest.raises(InputError, match="line 2: column 'score' is 'inf'"):
        read_judged_table(write(tmp_path, "mt\tscore\na\tinf\n"))
    with pytest.raises(InputError, match="contains no rows"):
        read_judged_table(write(tmp_path, "mt\tscore\na\tx\n"), skip_bad=True)
    with pytest.raises(UnknownName, match=r"unknown column 'nope' in .*"):
        read_judged_table(write(tmp_path, "mt\tscore\na\t1\n"), columns={"mt": "nope"})
    with pytest.raises(UnknownName, match="unknown role of a column 'hypo'"):
        read_judged_table(write(tmp_path, "mt\tscore\na\t1\n"), columns={"hypo": "mt"})


@pytest.mark.real
def test_every_row_of_the_direct_assessments():
    """52,966 rows, as the data's README counts them; 2017 has no raw scores."""
    found = {path.name: read_judged_table(path) for path in sorted(need("data", "wmt_da").glob("*.tsv.xz"))}
    assert sum(len(judged.batch) for judged in found.values()) == 52_966
    assert np.isnan(found["wmt17.to-en.tsv.xz"].scores["raw"]).all()
    assert not np.isnan(found["wmt20.en-de.tsv.xz"].scores["z"]).any()
