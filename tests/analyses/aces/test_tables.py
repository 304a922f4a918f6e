import math

import numpy as np
import pytest

from assay.analyses.aces.tables import tables
from assay.data.aces import aces_score, phenomena, weights
from assay.metrics.chrf import Chrf
from tests.analyses.helpers import aces_items, by, expected, item, measure, measured, printed_equal


def named(found):
    return {table.name: table for table in found}


def pairs(phenomenon, right, wrong, start=0, **fields):
    """Items of one phenomenon and the scores that get the first `right` of them right."""
    items = [item(start + i, phenomenon, **fields) for i in range(right + wrong)]
    return items, [1.0] * right + [0.0] * wrong


def suite(*groups):
    """Items and one metric's good scores (incorrect is always 0.5) of several groups."""
    items, good = [], []
    for phenomenon, right, wrong, fields in groups:
        more, scores = pairs(phenomenon, right, wrong, len(items), **fields)
        items += more
        good += scores
    return items, measured("m", good, [0.5] * len(good), kind="learned")


def test_tau_counts_ties_as_wrong():
    items = [item(i, "addition") for i in range(4)]
    # two better, one tie, one worse: (2 - 2) / 4
    row = named(tables(items, [measured("m", [2, 2, 1, 0], [1, 1, 1, 1])]))["phenomena"].rows[0]
    assert row["tau"] == 0.0
    assert (row["n"], row["ties"]) == (4, 1)


def test_a_category_is_the_plain_mean_of_its_phenomena():
    # copy-source 3 of 4 right: tau 0.5; untranslated-vs-ref-word 1 of 10: tau -0.8; mean -0.15, not pooled
    items, metric = suite(("copy-source", 3, 1, {}), ("untranslated-vs-ref-word", 1, 9, {}))
    found = named(tables(items, [metric]))
    row = found["categories"].rows[0]
    assert row["category"] == "untranslated"
    assert row["tau"] == pytest.approx(-0.15)
    assert (row["n"], row["phenomena"], row["missing_phenomena"]) == (14, 2, 1)
    assert row["tau_low"] < -0.15 < row["tau_high"]
    assert any("2 of 3 phenomena" in note for note in found["categories"].notes)


def test_no_score_without_every_category():
    items, metric = suite(("copy-source", 3, 1, {}), ("addition", 4, 0, {}))
    table = named(tables(items, [metric]))["aces_score"]
    row = table.rows[0]
    assert row["aces_score"] is None
    # 5 · 1 for addition and 1 · 0.5 for untranslated
    assert row["partial"] == pytest.approx(5.5)
    assert "omission" in row["missing_categories"]
    assert "omission" in table.notes[0]


def test_the_score_of_a_perfect_metric_is_29_1():
    items, metric = suite(*((name, 2, 0, {}) for name in phenomena()))
    row = named(tables(items, [metric]))["aces_score"].rows[0]
    assert row["aces_score"] == pytest.approx(29.1)
    assert row["missing_phenomena"] == 0


def test_unscored_items_are_left_out():
    items = [item(i, "addition") for i in range(3)]
    row = named(tables(items, [measured("m", [2, math.nan, 2], [1, 1, 1])]))["phenomena"].rows[0]
    assert (row["n"], row["unscored"], row["tau"]) == (2, 1, 1.0)


def test_a_phenomenon_without_a_score_has_no_tau():
    items = [item(0, "addition"), item(1, "omission")]
    rows = by(named(tables(items, [measured("m", [2, math.nan], [1, 1])]))["phenomena"].rows, "phenomenon")
    assert rows["omission"]["tau"] is None
    assert rows["omission"]["n"] == 0


def test_unknown_names_are_shown_apart():
    items, metric = suite(("copy-source", 3, 1, {}), ("my-own", 0, 4, {}))
    found = named(tables(items, [metric]))
    assert [row["phenomenon"] for row in found["phenomena"].rows] == ["copy-source"]
    assert [(row["phenomenon"], row["tau"]) for row in found["other_phenomena"].rows] == [("my-own", -1.0)]
    assert found["aces_score"].rows[0]["partial"] == pytest.approx(0.5)


def test_language_groups_pool_pairs_and_count_trained_twice():
    items, metric = suite(
        ("addition", 3, 1, {"langpair": "en-de"}),
        ("addition", 1, 1, {"langpair": "en-fr"}),
        ("omission", 0, 2, {"langpair": "zh-en"}),
        ("omission", 2, 0, {"langpair": "ko-ja"}),
    )
    rows = by(named(tables(items, [metric]))["language_groups"].rows, "language_group")
    # trained: 3 of 6; en-x: 4 of 6; x-en: 0 of 2; x-y: 2 of 2
    assert {name: (row["n"], round(row["tau"], 6)) for name, row in rows.items()} == {
        "trained": (6, 0.0),
        "en-x": (6, round(1 / 3, 6)),
        "x-en": (2, -1.0),
        "x-y": (2, 1.0),
    }


def test_source_sensitivity_averages_its_phenomena():
    stem = "ambiguous-translation-wrong-"
    items, metric = suite((f"{stem}gender-female-anti", 4, 0, {}), (f"{stem}sense-frequent", 1, 3, {}))
    rows = by(named(tables(items, [metric]))["source_sensitivity"].rows, "phenomenon")
    assert rows["female anti"]["tau"] == 1.0
    assert rows["average"]["tau"] == pytest.approx(0.25)


@pytest.mark.real
def test_table_4_average_is_the_mean_of_the_eight():
    for line in expected("aces_table_4.csv"):
        if line["metric"] != "Examples":
            eight = [float(value) for key, value in line.items() if key not in ("metric", "avg")]
            assert np.mean(eight) == pytest.approx(float(line["avg"]), abs=0.0011)


def test_correlation_gain_by_hand():
    # with the clause 9 of 10 (0.8), without 6 of 10 (0.2): gain 0.6
    items, metric = suite(("commonsense-only-ref-ambiguous", 9, 1, {}), ("commonsense-src-and-ref-ambiguous", 6, 4, {}))
    row = named(tables(items, [metric]))["correlation_gain"].rows[0]
    assert (row["tau_with"], row["tau_without"]) == (pytest.approx(0.8), pytest.approx(0.2))
    assert row["gain"] == pytest.approx(0.6)
    assert row["gain_low"] < 0.6 < row["gain_high"]


def test_levels_and_their_change():
    items, metric = suite(*((f"hallucination-number-level-{level}", 10 - level, level, {}) for level in (1, 2, 3)))
    free = measured("free", metric.good, metric.incorrect, kind="learned", needs="source")
    text = measured("text", metric.incorrect, metric.good)
    found = named(tables(items, [metric, free, text]))
    rows = by(found["levels"].rows, "level", "metric")
    assert [round(rows[level, "m"]["tau"], 6) for level in (1, 2, 3)] == [0.8, 0.6, 0.4]
    assert rows[1, "m"]["change"] is None
    assert rows[3, "m"]["change"] == pytest.approx(-0.4)
    groups = by(found["level_groups"].rows, "level", "group")
    assert groups[3, "reference-based"]["tau"] == pytest.approx(0.4)
    assert groups[3, "reference-based"]["metrics"] == 1
    assert groups[3, "reference-free"]["tau"] == pytest.approx(0.4)


def test_reference_copied_against_synonym():
    items, metric = suite(("untranslated-vs-ref-word", 9, 1, {}), ("untranslated-vs-synonym", 5, 5, {}))
    other = measured("other", [1.0] * 15 + [0.0] * 5, metric.incorrect, kind="learned")
    found = named(tables(items, [metric, other]))
    rows = by(found["reference_copied"].rows, "metric")
    # nobody wins this table, so there is no star to explain
    assert any(note.startswith("* ") for note in found["categories"].notes)
    assert not any(note.startswith("* ") for note in found["reference_copied"].notes)
    # the metric falls from 0.8 to 0.0, the other from 1.0 to 0.0
    assert rows["m"]["difference"] == pytest.approx(-0.8)
    group = found["reference_copied_groups"].rows[0]
    assert group["difference"] == pytest.approx(-0.9)
    assert group["std"] == pytest.approx(0.2 / math.sqrt(2))


def test_unseen_pairs():
    items, metric = suite(
        ("antonym-replacement", 4, 0, {"langpair": "de-en"}),
        ("antonym-replacement", 1, 1, {"langpair": "ko-en"}),
        ("antonym-replacement", 0, 5, {"langpair": "fr-en"}),
    )
    row = named(tables(items, [metric]))["unseen_pairs"].rows[0]
    assert (row["n_wmt"], row["n_unseen"]) == (4, 2)
    assert (row["tau_wmt"], row["tau_unseen"], row["difference"]) == (1.0, 0.0, 1.0)


@pytest.mark.real
def test_table_7_is_the_difference_of_table_9():
    nine = by(expected("aces_table_9.csv"), "metric")
    for line in expected("aces_table_7.csv"):
        for column, stem in (("antonym-replacement", "antonym"), ("nonsense", "nonsense")):
            if line["metric"] in nine:
                row = nine[line["metric"]]
                difference = float(row[f"{stem}_wmt"]) - float(row[f"{stem}_non-wmt"])
                assert difference == pytest.approx(float(line[column]), abs=0.0011)


def test_untranslated_sentence():
    items, metric = suite(("copy-source", 1, 3, {}))
    row = named(tables(items, [metric]))["untranslated_sentence"].rows[0]
    assert (row["group"], row["tau"], row["n"]) == ("reference-based", -0.5, 4)


def test_first_place_of_a_mean_of_phenomena():
    items, metric = suite(("copy-source", 40, 0, {}), ("untranslated-vs-ref-word", 40, 0, {}))
    near = measured("near", [1.0] * 79 + [0.0], metric.incorrect)
    far = measured("far", [0.0] * 40 + [1.0] * 40, metric.incorrect)
    rows = by(named(tables(items, [metric, near, far]))["categories"].rows, "metric")
    assert [rows[name]["first"] for name in ("m", "near", "far")] == ["*", "*", ""]


@pytest.mark.real
def test_facts_agree_with_the_official_list():
    lines = expected("aces_phenomena.csv")
    assert {line["phenomenon"]: line["category"] for line in lines} == {
        name: one.category for name, one in phenomena().items()
    }
    assert {line["phenomenon"]: line["sub_level"] for line in lines if line["sub_level"]} == {
        name: one.sub_level for name, one in phenomena().items() if one.sub_level
    }
    assert {line["category"]: float(line["category_weight"]) for line in lines} == weights()


@pytest.mark.real
def test_every_printed_score_follows_from_its_categories():
    lines = [line for line in expected("aces_table_1.csv") if line["aces_score"]]
    assert len(lines) == 25
    for line in lines:
        score = aces_score({category: float(line[category]) for category in weights()})
        assert score == pytest.approx(float(line["aces_score"]), abs=0.015), line["metric"]


@pytest.mark.real
def test_tables_1_and_2_of_chrf():
    items = aces_items()
    found = named(tables(items, [measure(Chrf(), items)]))
    rows = by(found["categories"].rows, "category")
    line = by(expected("aces_table_1.csv"), "metric")["chrF"]
    counts = by(expected("aces_table_1.csv"), "metric")["Examples"]
    complete = [category for category in weights() if category != "mistranslation"]
    assert len(complete) == 9
    for category in complete:
        assert printed_equal(line[category], rows[category]["tau"]), category
        assert rows[category]["n"] == int(counts[category])
        assert rows[category]["missing_phenomena"] == 0
    assert rows["mistranslation"]["missing_phenomena"] > 0
    other = by(found["sublevels"].rows, "sublevel")["other"]
    assert (round(other["tau"], 3), other["n"]) == (0.161, 10_489)
    assert {row["phenomenon"] for row in found["other_phenomena"].rows} == {
        "anaphoric_unresolved:deletion",
        "anaphoric_unresolved:substitution",
    }


def test_a_whole_synthetic_aces():
    generator = np.random.default_rng(0)
    size = 36_476
    pairs_here = ["en-de", "de-en", "zh-en", "en-ru", "ko-en", "es-en", "fr-ja", "ko-ja", "ru-de", "fr-ru", "en-fr"]
    names = list(phenomena())
    items = [
        item(i, names[i % 68], langpair=pairs_here[int(pick)])
        for i, pick in enumerate(generator.integers(0, len(pairs_here), size))
    ]
    metrics = [measured(name, generator.random(size), generator.random(size) - 0.2) for name in "abc"]
    found = named(tables(items, metrics))
    assert set(found) == {
        "phenomena",
        "categories",
        "aces_score",
        "sublevels",
        "language_groups",
        "source_sensitivity",
        "correlation_gain",
        "levels",
        "reference_copied",
        "unseen_pairs",
        "untranslated_sentence",
        "lexical_overlap",
        "langpairs",
        "phenomenon_langpairs",
        "langpair_examples",
        "phenomenon_examples",
    }
    assert len(found["phenomena"].rows) == 3 * 68
    assert sum(row["n"] for row in found["phenomena"].rows) == 3 * size
