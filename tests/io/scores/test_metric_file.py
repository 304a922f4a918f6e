import json
import math
from pathlib import Path

import numpy as np
import polars
import pytest

from assay.core.errors import InputError
from assay.io.scores.cards import file_card
from assay.io.scores.metric_file import parse_spec, read_metric, read_pairs, read_values

IDS = ["a", "b", "c"]
GOOD, INCORRECT = [0.5, 0.25, 1.0], [0.125, math.nan, -1.0]

FORMS = {
    "named.tsv": "id\tgood\tincorrect\nc\t1\t-1\na\t.5\t.125\nb\t0.25\tNaN\n",
    "aces.csv": "ID,good-translation,incorrect_translation\na,.5,.125\nb,0.25,\nc,1,-1\n",
    "headless.tsv": "b\t.25\tnone\na\t.5\t.125\nc\t1\t-1\n",
    "two.tsv": "0.5\t0.125\n0.25\tnan\n1\t-1\n",
    "order.tsv": "incorrect\tgood\n0.125\t0.5\nnull\t0.25\n-1\t1\n",
    "x.jsonl": '{"id": "a", "good": 0.5, "incorrect": 0.125}\n{"id": "c", "good": 1, "incorrect": -1}\n'
    '{"id": "b", "good": 0.25, "incorrect": null}\n',
    "pairs.seg.score": "good\t0.5\nincorrect\t0.125\ngood\t0.25\nincorrect\tNone\ngood\t1\nincorrect\t-1\n",
    "systems.seg.score": "incorrect-translation\t0.125\nincorrect-translation\tNone\nincorrect-translation\t-1\n"
    "good-translation\t0.5\ngood-translation\t0.25\ngood-translation\t1\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_same_pairs(tmp_path, name):
    (tmp_path / name).write_text(FORMS[name])
    good, incorrect = read_pairs(tmp_path / name, IDS)
    np.testing.assert_array_equal(good, GOOD)
    np.testing.assert_array_equal(incorrect, INCORRECT)


def test_parquet_and_numeric_ids(tmp_path):
    path = tmp_path / "x.parquet"
    polars.DataFrame({"id": [2, 1], "good": [0.5, 0.25], "incorrect": [None, 1.0]}).write_parquet(path)
    good, incorrect = read_pairs(path, ["1", "2"])
    assert good.tolist() == [0.25, 0.5] and incorrect[0] == 1.0 and math.isnan(incorrect[1])


@pytest.mark.parametrize(
    "text", ["0.5\n0.25\n1\n", "score\n0.5\n0.25\n1\n", "id\tscore\nc\t1\nb\t.25\na\t.5\n", "c\t1\nb\t.25\na\t.5\n"]
)
def test_judged_values(tmp_path, text):
    path = tmp_path / "x.tsv"
    path.write_text(text)
    assert read_values(path, IDS).tolist() == GOOD


def test_judged_values_of_one_system(tmp_path):
    path = tmp_path / "x.seg.score"
    path.write_text("sys\t0.5\nsys\t0.25\nsys\t1\n")
    assert read_values(path, IDS).tolist() == GOOD


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0.5\t1\n0.25\t1\n", "has 2 rows, but the suite has 3 items"),
        ("good\t1\nincorrect\t2\n", "has 1 'good' scores, but the suite has 3 items"),
        ("a\t1\t2\nb\t1\t2\n", "no score for 1 of 3 items: c. Write nan"),
        ("a\t1\t2\nb\t1\t2\nc\t1\t2\nz\t1\t2\n", "1 id not found in the suite: z"),
        ("a\t1\t2\na\t1\t2\nc\t1\t2\n", "line 2: id 'a' is already on line 1"),
        ("id\tgood\tincorrect\na\tx\t2\nb\t1\t2\nc\t1\t2\n", "line 2: 'x' is not a score"),
        ("1\tinf\n1\t2\n1\t2\n", "line 1: 'inf' is not a score"),
        ("1\t2\n1\n1\t2\n", "line 2: 1 column, expected 2"),
        ("id\tmine\na\t1\n", "no columns for good and incorrect. It has id, mine"),
        ("1\t2\t3\t4\n", "has 4 columns and no header"),
        ("", "is empty"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path, text, said):
    path = tmp_path / "x.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_pairs(path, IDS)


@pytest.mark.parametrize(
    "text",
    [
        "good\tincorrect\n1\t2\n\t\n3\t4\n",
        "1\t2\n\t\n3\t4\n",
        "good,incorrect\n1,2\n,\n\n3,4\n\n",
        "1\t2\n \t\n3\t4\n\n\n",
    ],
)
def test_a_row_without_scores_keeps_its_place(tmp_path, text):
    """Such a row was dropped as a blank line, and later rows moved up."""
    path = tmp_path / ("x.csv" if "," in text else "x.tsv")
    path.write_text(text)
    good, incorrect = read_pairs(path, IDS)
    np.testing.assert_array_equal(good, [1, math.nan, 3])
    np.testing.assert_array_equal(incorrect, [2, math.nan, 4])
    good, _ = read_pairs(path, ["a", "c"], whole=IDS)
    assert good.tolist() == [1, 3]


@pytest.mark.parametrize("text", ["1\n\n3\n", "score\n1\n\n3\n"])
def test_an_empty_line_among_single_scores_is_unscored(tmp_path, text):
    path = tmp_path / "x.tsv"
    path.write_text(text)
    np.testing.assert_array_equal(read_values(path, IDS), [1, math.nan, 3])
    path.write_text(text + "4\n")  # as many scores as items: the empty line separates
    assert read_values(path, IDS).tolist() == [1, 3, 4]
    path.write_text(text + "4\n5\n")
    with pytest.raises(InputError, match="the suite has 3 items"):
        read_values(path, IDS)


def test_a_null_in_json_lines_is_a_row(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("".join(f'{{"good": {v}, "incorrect": {v}}}\n' for v in ("1", "null", "3", "4")))
    with pytest.raises(InputError, match="has 4 rows, but the suite has 3 items"):
        read_pairs(path, IDS)


def test_a_file_is_a_metric_with_a_direction(tmp_path):
    assert parse_spec("a/ter.tsv:lower")[1] is False and parse_spec("a/x.tsv:higher")[1] is True
    assert parse_spec("C:x.tsv")[0].name == "C:x.tsv"
    assert file_card(parse_spec("a/MyMetric-refA.seg.score")[0]).name == "MyMetric-refA"
    path = tmp_path / "distance.tsv"
    path.write_text("1\t2\n1\t2\n1\t2\n")
    measured = read_metric(f"{path}:lower", IDS)
    assert measured.name == "distance" and measured.card.kind == "file" and not measured.card.higher_is_better
    assert measured.good is not None and measured.good.tolist() == [1, 1, 1] and measured.values is None
    path.write_text("1\n2\n3\n")
    judged = read_metric(str(path), IDS, judged=True)
    assert judged.values is not None and judged.values.tolist() == [1, 2, 3]


def test_rows_that_assay_wrote_bring_their_scores(tmp_path: Path) -> None:
    """Scores inside `scores`, of one metric or of the one that the file is called after; texts are no scores."""
    rows = [{"id": name, "mt": "t", "scores": {"m.x": value}, "flags": []} for name, value in (("b", None), ("a", 2.5))]
    path = tmp_path / "any.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert repr(read_values(path, ["a", "b"]).tolist()) == "[2.5, nan]"
    pair = {"id": "a", "good": "text", "incorrect": "texte", "scores": {"chrf good": 0, "chrf incorrect": 1}}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair) + "\n")
    good, incorrect = read_pairs(tmp_path / "pairs.jsonl", ["a"])
    assert (good.tolist(), incorrect.tolist()) == ([0], [1])
    both = json.dumps({"id": "a", "scores": {"chrf": 1, "bleu": 2}}) + "\n"
    (tmp_path / "bleu.jsonl").write_text(both)
    (tmp_path / "two.jsonl").write_text(both)
    assert read_values(tmp_path / "bleu.jsonl", ["a"]).tolist() == [2]
    with pytest.raises(InputError, match=r"two\.jsonl has scores for chrf, bleu\. Rename the file after one of them"):
        read_values(tmp_path / "two.jsonl", ["a"])
