import shutil

import pytest

from assay.core.errors import InputError
from assay.suites.hallucinations import BETTER, FIRST, Hallucinations
from tests.data import need

HEADER = ",src,mt,ref,correctness,repetitions,named-entities,omission,strong-unsupport,full-unsupport\n"


def counts(judged):
    return {name: int(column.sum()) for name, column in judged.labels.items()}


def test_labels_and_texts(tmp_path):
    (tmp_path / BETTER).write_text(HEADER + '0,"a, b",c,d,1,0,0,0,0,0\n1,e,f,"g ""h""",0,1,0,1,0,1\n')
    judged = Hallucinations().load(tmp_path)
    assert judged.batch[1].source == "e" and judged.batch[1].references == ('g "h"',)
    assert judged.batch[0].source == "a, b" and judged.batch[0].langpair == "de-en" and judged.batch.ids == ["0", "1"]
    assert counts(judged) == {
        "repetitions": 1,
        "named-entities": 0,
        "omission": 1,
        "strong-unsupport": 0,
        "full-unsupport": 1,
        "any": 1,
        "correct": 1,
    }


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1,e,f,g,0,1,0,1,0\n", "line 3: 9 columns, the header has 10"),
        ("0,e,f,g,0,1,0,1,0,0\n", "line 3: duplicate row number 0"),
        ("1,e,f,g,0,1,0,2,0,0\n", "line 3: column 'omission' is '2', not 0 or 1"),
    ],
)
def test_a_bad_row_is_named_or_counted(tmp_path, row, said):
    (tmp_path / BETTER).write_text(HEADER + "0,a,b,c,1,0,0,0,0,0\n" + row)
    with pytest.raises(InputError, match=said):
        Hallucinations().load(tmp_path)
    suite = Hallucinations(skip_bad=True)
    assert len(suite.load(tmp_path).batch) == 1 and said in suite.problems[1]


def test_missing_files_and_columns(tmp_path):
    with pytest.raises(InputError, match="contains neither"):
        Hallucinations().load(tmp_path)
    (tmp_path / FIRST).write_text(",src,mt\n")
    with pytest.raises(InputError, match="line 1: missing columns: 'ref'"):
        Hallucinations().load(tmp_path)


@pytest.mark.real
def test_the_real_corpus():
    suite = Hallucinations()
    judged = suite.load(need("data", "hallucinations"))
    assert len(judged.batch) == 3_415 and suite.problems == []
    assert counts(judged) == {
        "repetitions": 86,
        "named-entities": 41,
        "omission": 204,
        "strong-unsupport": 164,
        "full-unsupport": 129,
        "any": 323,
        "correct": 2_048,
    }
    labels = judged.labels
    assert int((labels["repetitions"] & labels["strong-unsupport"]).sum()) == 45
    assert int((labels["repetitions"] & labels["full-unsupport"]).sum()) == 11


@pytest.mark.real
def test_the_first_copy_with_its_traps(tmp_path):
    shutil.copy(need("data", "hallucinations", f"{FIRST}.gz"), tmp_path)
    suite = Hallucinations()
    judged = suite.load(tmp_path)
    assert len(judged.batch) == 3_415 and "correct" not in judged.labels
    # Row 1381 has a comma that was not quoted; four rows have a text that is only a 0.
    assert judged.batch[1381].source == "Er ist derjenige, der die UNO-Resolutionen mißachtet."
    assert suite.problems == ["4 rows with 0 instead of a text: 1356, 1964, 2462, 3151."]
