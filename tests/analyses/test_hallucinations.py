import math

import numpy as np
import pytest

from assay.analyses.hallucinations import tables
from assay.core import Batch, InputError, Judged, Measured
from assay.metrics.chrf import ChrfPlusPlus
from assay.report import render
from tests.analyses.helpers import by, card, expected, hallucinations, printed_equal


def named(found):
    return {table.name: table for table in found}


def judged(**labels):
    size = len(next(iter(labels.values())))
    columns = {"repetitions": [0] * size, "strong-unsupport": [0] * size, "full-unsupport": [0] * size}
    columns |= {name.replace("_", "-"): values for name, values in labels.items()}
    return Judged(Batch(["x"] * size), labels={name: np.array(column, bool) for name, column in columns.items()})


def segments(name, values, **changes):
    return Measured(name, card(name, **changes), values=np.array(values, float))


def test_detection_by_hand():
    suite = judged(full_unsupport=[1, 1, 0, 0, 0], repetitions=[0, 0, 0, 0, 1])
    # low quality is the alarm: 1 and 3 against 2, 4, 5: 1 beats all three, 3 beats two: 5 of 6
    found = named(tables(suite, [segments("m", [1, 3, 2, 4, 5])]))
    rows = by(found["detection"].rows, "set")
    assert rows["fully detached"]["auroc"] == pytest.approx(5 / 6)
    assert (rows["fully detached"]["n_positive"], rows["fully detached"]["n"]) == (2, 5)
    # positives at or below the 0.9 quantile of quality, 2.8: one of them, and one negative
    assert rows["fully detached"]["precision_at_90_recall"] == pytest.approx(0.5)
    # all: 1, 3 and 5 against 2 and 4: 2 + 1 + 0 of 6
    assert rows["all"]["auroc"] == pytest.approx(3 / 6)
    assert rows["strongly detached"]["auroc"] is None
    assert found["detection"].column("auroc").kind == "percent"


@pytest.mark.parametrize("format", ["table", "md", "latex", "html", "csv", "json"])
def test_every_format_has_area_and_precision(format):
    suite = judged(full_unsupport=[1, 1, 0, 0, 0], repetitions=[0, 0, 0, 0, 1])
    text = render([named(tables(suite, [segments("m", [1, 3, 2, 4, 5])]))["detection"]], format)
    # the figures of the test above: 5/6 and 1/2
    for figure in ("0.83", "0.5") if format in ("csv", "json") else ("83.33", "50.00"):
        assert figure in text


def test_direction_comes_from_the_card():
    suite = judged(full_unsupport=[1, 1, 0, 0, 0])
    metric = segments("m", [-1, -3, -2, -4, -5], higher_is_better=False)
    assert by(named(tables(suite, [metric]))["detection"].rows, "set")["fully detached"]["auroc"] == pytest.approx(
        5 / 6
    )


def test_unscored_segments_are_left_out():
    suite = judged(full_unsupport=[1, 1, 0, 0, 0])
    row = by(named(tables(suite, [segments("m", [1, math.nan, 2, 4, 5])]))["detection"].rows, "set")["fully detached"]
    assert (row["auroc"], row["n"], row["n_positive"], row["unscored"]) == (1.0, 4, 1, 1)


def test_first_place():
    generator = np.random.default_rng(0)
    label = np.arange(200) < 50
    suite = judged(full_unsupport=label)
    good = segments("good", -1.0 * label + generator.normal(0, 0.3, 200))
    twin = Measured("twin", good.card, values=good.values + 1)
    bad = segments("bad", generator.normal(0, 1, 200))
    gaps = segments("gaps", np.where(np.arange(200) % 50 == 0, np.nan, good.values))
    rows = by(named(tables(suite, [good, twin, bad, gaps], correction="holm"))["detection"].rows, "set", "metric")
    assert [rows["all", name]["first"] for name in ("good", "twin", "bad", "gaps")] == ["*", "*", "", "*"]
    assert rows["all", "bad"]["precision_first"] == ""


def test_a_handful_of_positives_prove_nothing():
    label = np.arange(40) < 4
    good, bad = (
        segments("good", np.where(label, 0, np.arange(40) + 1)),
        segments("bad", np.where(label, 50, np.arange(40))),
    )
    rows = by(named(tables(judged(full_unsupport=label), [good, bad]))["detection"].rows, "set", "metric")
    assert (rows["all", "good"]["auroc"], rows["all", "bad"]["auroc"]) == (1.0, 0.0)
    assert [rows["all", name]["first"] for name in ("good", "bad")] == ["*", "*"]
    assert math.isnan(rows["all", "good"]["auroc_low"])  # every resample is perfect: no interval, not one of nought
    five = np.arange(40) < 5
    good, bad = (
        segments("good", np.where(five, 0, np.arange(40) + 1)),
        segments("bad", np.where(five, 50, np.arange(40))),
    )
    rows = by(named(tables(judged(full_unsupport=five), [good, bad]))["detection"].rows, "set", "metric")
    assert [rows["all", name]["first"] for name in ("good", "bad")] == ["*", ""]


def test_distribution_by_hand():
    suite = judged(full_unsupport=[1, 0, 0, 0, 0], correct=[0, 1, 1, 1, 0])
    rows = by(named(tables(suite, [segments("m", [1, 2, 3, 7, 9])]))["distribution"].rows, "category")
    assert (rows["correct"]["n"], rows["correct"]["median"], rows["correct"]["mean"]) == (3, 3.0, 4.0)
    assert rows["correct"]["q25"] == 2.5
    assert rows["fully detached"]["median"] == 1.0
    assert rows["oscillatory"]["median"] is None
    assert rows["other"]["n"] == 1


def test_missing_labels_are_named():
    with pytest.raises(InputError, match="repetitions"):
        tables(Judged(Batch(["x"]), labels={"omission": np.array([True])}), [segments("m", [1])])
    with pytest.raises(InputError, match="2 scores for 1 segment"):
        tables(judged(omission=[0]), [segments("m", [1, 2])])


@pytest.mark.real
def test_published_rows_of_chrf():
    suite = hallucinations()
    metric = ChrfPlusPlus()
    own = Measured("chrf++", metric.card, values=metric.score(suite.batch).values)
    rows = by(named(tables(suite, [own]))["detection"].rows, "set")
    checked = 0
    for line in expected("hallucination_detection.csv"):
        if line["method"] == "chrF++":
            row = rows[{"any_hallucination": "all", "fully_detached": "fully detached"}[line["target"]]]
            assert printed_equal(line["roc_auc"], 100 * row["auroc"])
            assert printed_equal(line["precision_at_recall_90"], 100 * row["precision_at_90_recall"])
            assert row["auroc_low"] < row["auroc"] < row["auroc_high"]
            checked += 1
    assert checked == 2
    assert (rows["all"]["n_positive"], rows["fully detached"]["n_positive"]) == (323, 129)


def test_scores_read_upside_down_are_named():
    suite = judged(full_unsupport=[1, 1, 0, 0, 0, 0])
    for higher, option in ((True, "FILE:lower"), (False, "FILE:higher")):
        wrong = [5, 6, 1, 2, 3, 4] if higher else [1, 2, 3, 4, 5, 6]
        (note,) = (
            n
            for n in named(tables(suite, [segments("m", wrong, higher_is_better=higher)]))["detection"].notes
            if "inv" in n
        )
        assert note.startswith("⚠ m looks inverted: ") and option in note
        right = named(tables(suite, [segments("m", wrong, higher_is_better=not higher)]))["detection"].notes
        assert not any("inverted" in n for n in right)
