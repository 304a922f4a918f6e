import json
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from assay.analyses.meta.xcomet import join_rater_tables, rater_table, shared_cells, tables
from assay.core.errors import InputError
from assay.core.judged import Judgement
from assay.core.spans import ErrorSpan
from assay.io.wmt.tree import read_eval_set
from assay.suites import wmt as suite
from assay.verbs.meta import meta
from tests import wmt
from tests.data import need


def span(start, end, severity, text="abcdef", side="target"):
    return ErrorSpan.of(text, start, end, severity, side=side)


def test_tables_1_and_2(tmp_path: Path):
    wmt.make_pair(tmp_path, "en-de")
    found = read_eval_set(tmp_path, "en-de")
    judged = suite.judged_systems(found, suite.pair_facts(found, None))
    segments, systems = tables({"en-de": judged}, draws=20)
    gold, metric = judged.gold["mqm"].seg[:4], judged.metrics["Kiwi"].seg[:4]
    known = ~np.isnan(gold)
    rows = {(row["metric"], row["column"]): row for row in segments.rows}
    assert rows["Kiwi", "en-de ρ"]["value"] == pytest.approx(scipy.stats.pearsonr(gold[known], metric[known])[0])
    assert rows["Kiwi", "en-de τ"]["value"] == pytest.approx(scipy.stats.kendalltau(gold[known], metric[known])[0])
    assert rows["Kiwi", "avg τ"]["value"] == rows["Kiwi", "en-de τ"]["value"]
    assert {row["langpair"] for row in systems.rows} == {"en-de", "avg"}
    assert any(row["mark"] == "*" for row in systems.rows)
    (news, _) = tables({"en-de": judged}, domain="news", draws=0)
    assert {row["cluster"] for row in news.rows} == {None}


def test_raters_are_compared_on_what_all_judged():
    """README-spans.md: gold major [0, 3), prediction minor [1, 5): F1 2/7. Spans in the source do not count."""
    a = {"S": [Judgement(0, (span(0, 3, "major"), span(0, 2, "major", side="source"))), None, Judgement(0, ())]}
    b = {"S": [Judgement(0, (span(1, 5, "minor"),)), Judgement(0, ()), Judgement(0, ())]}
    assert shared_cells({"a": a, "b": b}) == [("S", 0), ("S", 2)]
    pair, mean = rater_table({"a": a, "b": b}, {"S": ["abcdef"] * 3}).rows
    assert pair["f1"] == mean["f1"] == pytest.approx(2 / 7)
    with pytest.raises(InputError, match="at least two annotators"):
        rater_table({"a": a}, {})
    with pytest.raises(InputError, match="rated by all annotators"):
        rater_table({"a": a, "b": {"S": [None] * 3}}, {})


def test_raters_are_compared_in_pairs():
    # a and b mark the same characters with other severities (0.5), c marks none of theirs
    marks = {"a": span(0, 2, "major"), "b": span(0, 2, "minor"), "c": span(3, 4, "minor")}
    table = rater_table({rater: {"S": [Judgement(0, (mark,))]} for rater, mark in marks.items()}, {"S": ["abcde"]})
    found = {(row["first"], row["second"]): row["f1"] for row in table.rows}
    assert found == {("a", "b"): 0.5, ("a", "c"): 0, ("b", "c"): 0, ("mean", ""): pytest.approx(0.5 / 3)}


def test_every_language_pair_keeps_its_raters(tmp_path: Path):
    """Two pairs with two raters each: both pairs' rows stand in the one table that the recipe gives."""
    for number, pair in enumerate(("en-de", "zh-en")):
        wmt.make_pair(tmp_path, pair, unjudged=0)
        for rater, start in (("mqm.rater1", 0), ("mqm.rater2", number)):
            error = {"start": start, "end": 2 + start, "severity": "minor", "score": 1}
            lines = [f"{name}\t{json.dumps({'errors': [error]})}" for name in "ABCD" for _ in range(12)]
            wmt.write(tmp_path / "human-scores" / f"{pair}.{rater}.seg.rating", lines)
    table = meta(tmp_path, recipe="xcomet", stored=["chrF"], langpairs=["en-de", "zh-en"], draws=5).table("raters")
    found = {(row["langpair"], row["first"]): row["f1"] for row in table.rows}
    # en-de: the same two characters; zh-en: one of two on either side.
    expected = {"en-de": 1.0, "zh-en": 0.5}
    assert found == {(pair, name): value for pair, value in expected.items() for name in ("mqm.rater1", "mean")}
    assert [note.partition(":")[0] for note in table.notes] == ["en-de", "zh-en"]
    assert join_rater_tables([table]).notes == table.notes


@pytest.mark.real
@pytest.mark.slow
def test_eight_raters_of_zh_en():
    """288 translations with all eight raters, 28 pairs (README-spans.md)."""
    found = read_eval_set(need("data", "wmt23"), "zh-en")
    table = rater_table({rater: found.ratings(rater) for rater in found.raters}, found.outputs, "zh-en")
    assert len(table.rows) == 28 + 1
    assert {row["cells"] for row in table.rows} == {288}
    assert 0.3 < table.rows[-1]["f1"] < 0.6
