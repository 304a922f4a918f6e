"""ACES by language pair, its averages, blocks and groups, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from assay.analyses.aces.tables import tables
from assay.core.table import Table
from assay.report.figures import render
from tests.analyses.helpers import by, item, measured


def named(found: list[Table]) -> dict[str, Table]:
    return {table.name: table for table in found}


def cells(*groups: tuple[str, str, int, int]) -> tuple[list[Any], list[float]]:
    """Items of (phenomenon, pair, right, wrong), and good scores against an incorrect 0.5."""
    items, good = [], []
    for phenomenon, pair, right, wrong in groups:
        items += [item(len(items) + i, phenomenon, langpair=pair) for i in range(right + wrong)]
        good += [1.0] * right + [0.0] * wrong
    return items, good


def test_a_phenomenon_in_three_pairs_is_pooled_as_by_hand() -> None:
    # addition: 9 of 10, 3 of 10 and 4 of 4 right; tests/stats/test_pooling.py works out 0.888268, 0.318436 and 0.961039.
    items, good = cells(("addition", "de-en", 9, 1), ("addition", "fr-en", 3, 7), ("addition", "zh-en", 4, 0))
    found = named(tables(items, [measured("m", good, [0.5] * len(good))], samples=50))
    rows = by(found["phenomenon_langpairs"].rows, "langpair")
    assert [rows[pair]["n"] for pair in ("de-en", "fr-en", "zh-en")] == [10, 10, 4]
    assert rows["de-en"]["tau"] == pytest.approx(2 * 0.9 - 1)
    for pair, share in (("de-en", 0.888268), ("fr-en", 0.318436), ("zh-en", 0.961039)):
        assert rows[pair]["pooled"] == pytest.approx(2 * share - 1, abs=2e-6)
        assert rows[pair]["pooled_low"] < rows[pair]["pooled"] < rows[pair]["pooled_high"]
    # All three expect the phenomenon's 16 of 24: tau 1/3.
    assert {round(row["expected"], 9) for row in found["langpairs"].rows} == {round(1 / 3, 9)}


def test_a_pair_is_read_against_its_phenomena() -> None:
    # de-en: 4 additions (all right) and 2 omissions (none right); fr-en: 4 omissions, 1 right.
    groups = (("addition", "de-en", 4, 0), ("omission", "de-en", 0, 2), ("omission", "fr-en", 1, 3))
    items, good = cells(*groups)
    found = named(tables(items, [measured("m", good, [0.5] * len(good))], samples=50))
    rows = by(found["langpairs"].rows, "langpair")
    assert rows["de-en"]["tau"] == pytest.approx(2 * 4 / 6 - 1) and rows["de-en"]["phenomena"] == 2
    # Addition is right always, omission in 1 of 6: de-en expects (4 · 1 + 2 · 1/6) / 6.
    assert rows["de-en"]["expected"] == pytest.approx(2 * (4 + 2 / 6) / 6 - 1)
    assert rows["fr-en"]["expected"] == pytest.approx(2 / 6 - 1)


def test_tables_10_and_11_count_examples() -> None:
    items, good = cells(("addition", "de-en", 2, 1), ("omission", "de-en", 1, 0), ("addition", "fr-en", 1, 0))
    found = named(tables(items, [measured("m", good, [0.5] * len(good))], samples=50))
    assert found["langpair_examples"].rows == [
        {"langpair": "de-en", "n": 4, "phenomena": 2},
        {"langpair": "fr-en", "n": 1, "phenomena": 1},
    ]
    assert found["phenomenon_examples"].rows == [
        {"phenomenon": "addition", "n": 4, "pairs": 2, "langpairs": "de-en, fr-en"},
        {"phenomenon": "omission", "n": 1, "pairs": 1, "langpairs": "de-en"},
    ]


def _three() -> dict[str, Table]:
    items, good = cells(("addition", "de-en", 3, 1), ("copy-source", "de-en", 2, 2), ("lexical-overlap", "de-en", 4, 0))
    half = [1.0 - score for score in good]
    metrics = [
        measured("kiwi", half, [0.5] * len(good), kind="learned", needs="source"),
        measured("comet", good, [0.5] * len(good), kind="learned", needs="both"),
        measured("chrf", good, [0.5] * len(good), kind="string"),
        measured("bleurt", half, [0.5] * len(good), kind="learned"),
    ]
    return named(tables(items, metrics, samples=50))


def test_the_average_row_and_the_blocks() -> None:
    found = _three()
    addition = [row for row in found["categories"].rows if row["category"] == "addition"]
    assert [(row["metric"], row["block"]) for row in addition] == [
        ("chrf", "string"),
        ("comet", "reference-based"),
        ("bleurt", "reference-based"),
        ("kiwi", "reference-free"),
        ("average", ""),
    ]
    # 3 of 4 right has tau 0.5, 1 of 4 right -0.5: the mean over two of each is 0.
    assert [row["tau"] for row in addition] == [0.5, 0.5, -0.5, -0.5, 0.0]
    assert addition[-1]["tau_low"] is None and addition[-1]["first"] == "" and addition[-1]["n"] == 4


def test_groups_on_lexical_overlap_leave_out_string_metrics() -> None:
    groups = by(_three()["lexical_overlap_groups"].rows, "group")
    # comet 1, bleurt -1: mean 0, sample deviation sqrt(2); kiwi alone -1.
    assert groups["reference-based"]["tau"] == 0 and groups["reference-based"]["std"] == pytest.approx(2**0.5)
    assert groups["reference-free"]["tau"] == -1 and groups["reference-free"]["std"] is None


def test_figure_3_has_a_colour_for_each_group() -> None:
    table = _three()["untranslated_sentence"]
    assert [row["metric"] for row in table.rows][-1] == "kiwi"
    svg = render([table])["untranslated_sentence.svg"].decode()
    assert "reference-free" in svg and "kiwi" in svg


def test_figure_2_has_a_line_for_each_group() -> None:
    names = [f"hallucination-number-level-{level}" for level in (1, 2, 3)]
    items, good = cells(*((name, "de-en", 4 - level, level) for level, name in enumerate(names)))
    metrics = [
        measured("comet", good, [0.5] * len(good), kind="learned"),
        measured("kiwi", good, [0.5] * len(good), kind="learned", needs="source"),
    ]
    table = named(tables(items, metrics, samples=50))["level_groups"]
    assert [(row["level"], row["tau"]) for row in table.rows if row["group"] == "reference-free"] == [
        (1, 1.0), (2, 0.5), (3, 0.0),
    ]  # fmt: skip
    assert "reference-based" in render([table])["level_groups.svg"].decode()
