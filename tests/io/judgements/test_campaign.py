from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest

from assay.core.campaign import Cell
from assay.core.errors import InputError
from assay.io.judgements.campaign import read_campaign
from assay.verbs.campaign import standardised

MQM = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_mqm(tmp_path: Path):
    path = tmp_path / "gold.tsv"
    path.write_text(
        MQM
        + "A\td\t1\t7\tr1\tein\tan <v>eror</v>\tFluency/Spelling\tMinor\nA\td\t1\t7\tr2\tein\tan eror\tNo-error\tNo-error\n"
    )
    found = read_campaign(path, langpair="de-en")
    assert (found.protocol, found.marked, found.raters) == ("MQM", True, ["r1", "r2"])
    cell = Cell("de-en", "A", "7")
    assert [(j.rater, j.score, [s.text for s in j.spans]) for j in found.judgements[cell]] == [
        ("r1", -1, ["eror"]),
        ("r2", 0, []),
    ]
    assert (found.texts[cell].text, found.texts[cell].source) == ("an eror", "ein")


def test_exports_of_appraise(tmp_path: Path):
    """Rows as WMT24's files have them: a judgement, a later one in its place, a check, a tutorial, an incomplete document."""
    path = tmp_path / "wave.csv"
    spans = '[{"start_i": 8, "end_i": 11, "severity": "minor"}]'
    rows = [
        ["r1", "A", "5", "TGT", "eng", "jpn", "80", "news_1", "False", spans, "10.0", "12.0"],
        ["r1", "A", "5", "TGT", "eng", "jpn", "60", "news_1", "False", "[]", "13.0", "14.5"],
        ["r1", "A", "6", "BAD", "eng", "jpn", "10", "news_1#bad", "False", "[]", "15.0", "16.0"],
        ["r1", "ende-tutorial1", "1", "TGT", "eng", "jpn", "0", "ende-tutorial1", "False", "[]", "1.0", "2.0"],
        ["r2", "B", "5", "TGT", "eng", "jpn", "90", "news_1#incomplete", "False", "[]", "17.0", "18.0"],
        ["r2", "B", "5", "TGT", "eng", "jpn", "70", "news_1", "False", "[]", "17.0", "18.0"],
    ]
    with path.open("w", newline="") as out:
        csv.writer(out).writerows(rows)
    found = read_campaign(path)
    assert found.protocol == "ESA" and not found.marked
    scores = {cell: [(j.rater, j.score) for j in judged] for cell, judged in found.judgements.items()}
    assert scores == {Cell("eng-jpn", "A", "5"): [("r1", 60.0)], Cell("eng-jpn", "B", "5"): [("r2", 70.0)]}
    assert any("3 rows of attention checks" in note for note in found.notes)


def test_tables_of_spans_scores_and_answers(tmp_path: Path):
    esa = write(
        tmp_path / "esa.jsonl",
        [
            {"langs": "en-de", "line_id": 3, "src": "a", "tgt": "ein Text", "system": "A", "annotator": "r", "esa_score": 70,
             "esa_spans": [{"start_i": 4, "end_i": 7, "severity": "major", "error_type": None}]},
        ],
    )  # fmt: skip
    found = read_campaign(esa)
    (judgement,) = found.judgements[Cell("en-de", "A", "3")]
    assert (found.protocol, judgement.score, [s.text for s in judgement.spans]) == ("ESA", 70.0, ["Text"])
    ours = write(
        tmp_path / "ours.jsonl",
        [{"mt": "abc", "spans": [{"start": 1, "end": 2, "severity": "minor", "confidence": 0.5}]}],
    )
    (judgement,) = read_campaign(ours).judgements[Cell("", "", "1")]
    assert [(s.text, s.confidence) for s in judgement.spans] == [("b", 0.5)]
    answers = write(tmp_path / "answers.jsonl", [{"mt": "abc", "answer": "'b' - minor/style; 'x' - major/style"}])
    read = read_campaign(answers)
    assert [[s.text for s in j.spans] for _, j in read.each()] == [["b"]]
    assert read.notes == ["1 quoted error found in neither text (left out)"]
    table = tmp_path / "task.tsv"
    table.write_text(
        "mt\tstart_indices\tend_indices\terror_types\nabcdef\t0 4\t1 5\tmajor minor\nab\t-1\t-1\tno-error\n"
    )
    assert [[(s.text, s.severity) for s in j.spans] for _, j in read_campaign(table).each()] == [
        [("ab", "major"), ("ef", "minor")],
        [],
    ]


def test_the_json_that_score_writes(tmp_path: Path):
    path = tmp_path / "spans.json"
    row = {
        "system": "A",
        "segment": 1,
        "metric": "m",
        "mt": "abc",
        "spans": [{"start": 0, "end": 1, "text": "a", "severity": "minor"}],
    }
    path.write_text(json.dumps({"segments": [row], "signatures": {}}))
    found = read_campaign(path)
    assert [(cell, j.rater, j.spans[0].text) for cell, j in found.each()] == [(Cell("", "A", "1"), "m", "a")]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"mt": "abc", "spans": [{"start": 1, "end": 9, "severity": "minor"}]},
            "line 1: span 1:9 is outside the target, which has 3",
        ),
        ({"mt": "abc", "spans": [{"start": 1, "end": 2, "severity": "huge"}]}, "line 1: severity 'huge' is unknown"),
        ({"mt": "abc", "spans": [{"start": 1, "end": 2, "severity": "minor", "text": "c"}]}, "is 'b' in the target, .* has 'c'"),
        ({"mt": "abc", "spans": [{"start": 1, "end": 2, "severity": "minor", "confidence": 3}]}, "confidence of a span is 3"),
        ({"mt": "abc", "spans": "[{"}, "line 1: the spans are not valid JSON"),
        ({"mt": "abc", "answer": "Sorry."}, "line 1: the answer 'Sorry.' neither lists an error"),
        ({"spans": []}, "has spans but no translation column"),
        ({"mt": "abc"}, "has no column with spans, answers or scores"),
        ({"system": "A", "segment": 1, "score": "good"}, "line 1: the score is 'good', not a finite number"),
    ],
)  # fmt: skip
def test_faults_are_named(tmp_path: Path, row, message):
    with pytest.raises(InputError, match=message):
        read_campaign(write(tmp_path / "a.jsonl", [row]))


def test_bad_rows_can_be_left_out(tmp_path: Path):
    path = write(tmp_path / "a.jsonl", [{"mt": "abc", "answer": "Sorry."}, {"mt": "abc", "answer": "no-error"}])
    found = read_campaign(path, skip_bad=True)
    assert len(found.judgements) == 1 and found.notes[0] == "1 bad row left out:"


def test_two_texts_for_one_translation(tmp_path: Path):
    rows = [{"mt": text, "segment": 1, "rater": rater, "spans": []} for text, rater in (("abc", "a"), ("abd", "b"))]
    with pytest.raises(InputError, match="line 2: segment 1 has two translations, 'abc' and 'abd'"):
        read_campaign(write(tmp_path / "a.jsonl", rows))


def test_direct_assessments_standardised_by_rater(tmp_path: Path):
    path = tmp_path / "da.csv"
    path.write_text("system,segment,rater,score\nA,1,x,10\nA,1,y,80\nA,2,x,30\nB,1,once,55\n")
    people = read_campaign(path)
    z = standardised(people)
    # x: mean 20, sd sqrt(200) = 14.14, so z is -0.7071 and 0.7071; y and once have one judgement each
    first, last = Cell("", "A", "1"), Cell("", "B", "1")
    assert [j.score for j in people.judgements[first]] == [10, 80]
    assert z[first, "x"] == pytest.approx(-(0.5**0.5)) and math.isnan(z[first, "y"])
    assert [j.score for j in people.judgements[last]] == [55]
    assert math.isnan(z[last, "once"])


def test_a_file_without_usable_scores_is_refused(tmp_path: Path):
    path = tmp_path / "da.tsv"
    path.write_text("system\tsegment\trater\tscore\nA\t1\tx\tgood\n")
    with pytest.raises(InputError, match="line 2: the score is 'good'"):
        read_campaign(path)
    with pytest.raises(InputError, match="no judgements"):
        read_campaign(path, skip_bad=True)
