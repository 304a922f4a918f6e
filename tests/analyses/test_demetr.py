import math

import numpy as np
import pytest

from assay.analyses.demetr import tables
from assay.core import InputError
from assay.data.demetr import perturbations
from assay.metrics.chrf import Chrf, ChrfPlusPlus
from assay.report import render
from tests.analyses.helpers import by, demetr_items, expected, item, measure, measured, printed_equal


def pert(i, number, **fields):
    return item(i, meta={"perturbation": number}, **fields)


def named(found):
    return {table.name: table for table in found}


def test_accuracy_and_severity_by_hand():
    # number 1 (minor): 1 of 2; number 3 (major): 2 of 2; number 32 (base): 1 of 1
    items = [pert(0, 1), pert(1, 1), pert(2, 3), pert(3, 3), pert(4, 32)]
    metric = measured("m", [5, 5, 5, 5, 5], [4, 5, 1, 2, 0])
    found = named(tables(items, [metric]))
    rows = by(found["perturbations"].rows, "perturbation")
    assert rows[1]["accuracy"] == 0.5
    assert rows[1]["ties"] == 1
    assert rows[3]["accuracy"] == 1.0
    assert rows[1]["n"] == 2
    severity = by(found["severity"].rows, "severity")
    assert severity["all"]["accuracy"] == pytest.approx((0.5 + 1 + 1) / 3)
    assert "critical" not in severity
    assert found["summary"].rows[0]["minor"] == 0.5
    assert found["summary"].rows[0]["blindest"].startswith("1 word repeated twice 50%")


def test_lower_is_better_is_read_from_the_card():
    items = [pert(0, 1), pert(1, 1)]
    metric = measured("ter", [1, 1], [2, 3], higher_is_better=False)
    row = named(tables(items, [metric]))["perturbations"].rows[0]
    assert row["accuracy"] == 1.0
    assert row["t"] < 0


def test_reference_as_translation_is_reversed():
    # the reference scores better, equal, worse: two hits
    items = [pert(i, 35) for i in range(3)]
    row = named(tables(items, [measured("m", [1, 2, 3], [2, 2, 2])]))["perturbations"].rows[0]
    assert row["accuracy"] == pytest.approx(2 / 3)


def test_unscored_is_not_a_loss():
    items = [pert(i, 1) for i in range(3)]
    found = named(tables(items, [measured("m", [2, math.nan, 2], [1, 1, 1])]))
    row = found["perturbations"].rows[0]
    assert (row["n"], row["unscored"], row["accuracy"]) == (2, 1, 1.0)
    assert any("1 item unscored" in note and "1" in note for note in found["perturbations"].notes)


def test_sensitivity_by_hand():
    # empty translations of sentences 0 and 1 score 0 and 10; z = mean((50-40)/(50-0), (50-30)/(50-10)) = (0.2+0.5)/2
    same = [{"source": f"s{i}", "reference": f"r{i}"} for i in range(2)]
    items = [pert(0, 1, **same[0]), pert(1, 1, **same[1]), pert(2, 32, **same[0]), pert(3, 32, **same[1])]
    metric = measured("m", [50, 50, 50, 50], [40, 30, 0, 10])
    rows = by(named(tables(items, [metric]))["perturbations"].rows, "perturbation")
    assert rows[1]["z"] == pytest.approx(0.35)
    assert rows[32]["z"] == 1.0
    flipped = measured("m", [-50] * 4, [-40, -30, 0, -10], higher_is_better=False)
    assert by(named(tables(items, [flipped]))["perturbations"].rows, "perturbation")[1]["z"] == pytest.approx(0.35)


def test_sensitivity_needs_the_empty_translations():
    row = named(tables([pert(0, 1), pert(1, 1)], [measured("m", [2, 2], [1, 1])]))["perturbations"].rows[0]
    assert row["z"] is None


def test_first_place_and_contamination():
    items = [pert(i, 1) for i in range(20)]
    best = measured("best", [1] * 20, [0] * 20, contaminated=True)
    # 18 wins of the best against none: p = 2^-2 = 0.25 for the near one, 2^-18 for the far one
    near = measured("near", [1] * 18 + [0] * 2, [0] * 18 + [1] * 2)
    far = measured("far", [1] * 2 + [0] * 18, [0] * 2 + [1] * 18)
    table = named(tables(items, [best, near, far]))["perturbations"]
    rows = by(table.rows, "metric")
    assert [rows[name]["first"] for name in ("best", "near", "far")] == ["*", "*", ""]
    assert [rows[name]["contaminated"] for name in ("best", "near", "far")] == ["†", "", ""]
    assert any(note.startswith("†") and "best" in note for note in table.notes)


def test_items_need_a_number():
    with pytest.raises(InputError, match="perturbation"):
        tables([item(0)], [measured("m", [1], [0])])


def test_intervals_do_not_depend_on_the_company():
    items = [pert(i, 1 + i % 3) for i in range(60)]
    generator = np.random.default_rng(0)
    one = measured("one", generator.random(60), generator.random(60))
    other = measured("other", generator.random(60), generator.random(60))
    alone = named(tables(items, [one]))["perturbations"].rows
    together = [row for row in named(tables(items, [other, one]))["perturbations"].rows if row["metric"] == "one"]
    for a, b in zip(alone, together, strict=True):
        assert (a["accuracy_low"], a["accuracy_high"]) == (b["accuracy_low"], b["accuracy_high"])


@pytest.fixture(scope="module")
def real():
    items = demetr_items()
    return named(tables(items, [measure(Chrf(), items), measure(ChrfPlusPlus(), items)]))


PRINTED = {"chrf": "chrf", "chrf2": "chrf++"}


@pytest.mark.real
def test_facts_agree_with_the_published_severities():
    assert {int(row["perturbation"]): row["severity"] for row in expected("demetr_perturbations.csv")} == {
        one.number: one.severity for one in perturbations()
    }


@pytest.mark.real
def test_table_a3(real):
    rows = by(real["perturbations"].rows, "perturbation", "metric")
    counts = {int(row["perturbation"]): int(row["items_checked"]) for row in expected("demetr_perturbations.csv")}
    checked = 0
    for line in expected("demetr_table_a3.csv"):
        if line["metric"] in PRINTED:
            row = rows[int(line["perturbation"]), PRINTED[line["metric"]]]
            assert row["n"] == counts[row["perturbation"]]
            for key in ("t", "p", "df"):
                assert printed_equal(line[key], row[key]), (line, row)
                checked += 1
    assert checked == 210


@pytest.mark.real
def test_table_a3_accuracies(real):
    rows = by(real["perturbations"].rows, "perturbation", "metric")
    checked = 0
    for line in expected("demetr_table_a3_accuracy.csv"):
        if line["metric"] in PRINTED:
            row = rows[int(line["perturbation"]), PRINTED[line["metric"]]]
            assert printed_equal(line["accuracy"], 100 * row["accuracy"]), (line, row)
            assert row["accuracy_low"] <= row["accuracy"] <= row["accuracy_high"]
            checked += 1
    assert checked == 70


@pytest.mark.real
def test_table_4(real):
    rows = by(real["severity"].rows, "metric", "severity")
    for line in expected("demetr_table_4.csv"):
        if line["metric"] in PRINTED:
            for severity in ("base", "critical", "major", "minor", "all"):
                row = rows[PRINTED[line["metric"]], severity]
                assert printed_equal(line[severity], 100 * row["accuracy"]), (line, row)


@pytest.mark.real
def test_summary_names_what_chrf_is_blind_to(real):
    # chrF leaves white space out, so it cannot see that a sentence was tokenized
    assert real["summary"].caption == "DEMETR · 31,320 minimal pairs · strict accuracy"
    assert by(real["summary"].rows, "metric")["chrf"]["blindest"].startswith("29 tokenized sentence 0%")


@pytest.mark.real
def test_sensitivity_of_the_baselines(real):
    rows = by(real["perturbations"].rows, "perturbation", "metric")
    assert rows[32, "chrf"]["z"] == pytest.approx(1.0)
    assert rows[35, "chrf"]["z"] < 0
    assert 0 < rows[1, "chrf"]["z"] < rows[2, "chrf"]["z"] < rows[34, "chrf"]["z"]


def test_categories_and_languages_by_hand():
    # number 1 (accuracy): hi 1 of 2, de 2 of 2; number 12 (fluency): hi 0 of 1, de 1 of 1; number 35 enters no mean.
    rights = [(1, "hi", 1), (1, "hi", 0), (1, "de", 1), (1, "de", 1), (12, "hi", 0), (12, "de", 1), (35, "de", 1)]
    items = [pert(i, number, langpair=f"{code}-en") for i, (number, code, _) in enumerate(rights)]
    found = named(tables(items, [measured("m", [right for *_, right in rights], [0.5] * len(rights))], samples=50))
    categories = by(found["categories"].rows, "category")
    assert categories["accuracy"]["accuracy"] == 0.75
    assert categories["fluency"]["accuracy"] == 0.5
    assert "baseline" not in categories
    languages = by(found["languages"].rows, "language")
    assert languages["hi"]["accuracy"] == pytest.approx((0.5 + 0) / 2)
    assert languages["de"]["accuracy"] == 1.0
    assert languages["hi"]["expected"] == pytest.approx((0.75 + 0.5) / 2)
    cells = by(found["perturbation_languages"].rows, "perturbation", "language")
    # 1 of 2 and 2 of 2: mean 3/4, spread 2 (1/4)² · 2 = 1/4 over 3/16 is 4/3; room 4 - 8/4 - 1 = 1, so rho = 1/3 and the rest
    # is worth 2 items: hi (1 + 1.5) / 4, de (2 + 1.5) / 4.
    assert cells[1, "hi"]["pooled"] == pytest.approx(0.625)
    assert cells[1, "de"]["pooled"] == pytest.approx(0.875)
    assert cells[1, "hi"]["accuracy"] == 0.5
    assert (35, "de") in cells


def test_table_a3_is_printed_whole_in_markdown_and_latex():
    # 5, 6, 7 against 4, 4, 5: means 6 and 13/3, variances 1 and 1/3; t = (5/3) / sqrt(1/3 + 1/9) = 2.5,
    # df = (4/9)² / ((1/3)²/2 + (1/9)²/2) = 3.2.
    items = [pert(i, 1) for i in range(3)]
    table = named(tables(items, [measured("m", [5, 6, 7], [4, 4, 5])], samples=20))["welch"]
    assert table.rows[0]["t"] == pytest.approx(2.5)
    assert table.rows[0]["df"] == pytest.approx(3.2)
    for format in ("md", "latex"):
        text = render([table], format)
        assert "2.50" in text and "3.20" in text and "df" in text and "100.0" in text
