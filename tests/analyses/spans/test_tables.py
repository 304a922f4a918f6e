"""Span figures against plain Python over characters (tests/characters.py), by hand and on WMT23's gold spans."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from assay.analyses.spans import categories, consistency, raters
from assay.analyses.spans.alignment import AlignedSpans, align, as_tuples
from assay.analyses.spans.tables import Resampling, tables
from assay.core.campaign import Campaign, Cell, JudgedText
from assay.core.judged import Judgement
from assay.core.metric import Scores
from assay.core.spans import ErrorSpan, mqm
from assay.io.wmt.tree import campaign_of, read_eval_set
from tests.analyses.helpers import only
from tests.characters import f1, totals
from tests.data import need

FAST = Resampling(samples=50, trials=200, seed=1)
TEXT = "abcdefghij"


def span(start, end, severity="minor", category="", confidence=None, text=TEXT):
    return ErrorSpan.of(text, start, end, severity, category, confidence=confidence)


def compared(gold, **predicted):
    cells = [Cell("en-de", "A", str(i)) for i in range(len(gold))]
    return AlignedSpans(cells, [len(TEXT)] * len(gold), gold, predicted)


def test_the_worked_example():
    """README-spans.md: gold major [0, 3), prediction minor [1, 5): recall 1/3, precision 1/4, F1 2/7; two places of 3 and 4."""
    (row,) = tables(compared([[span(0, 3, "major")]], mine=[[span(1, 5)]]), FAST)[0].rows
    assert (row["recall"], row["precision"], row["f1"]) == pytest.approx((1 / 3, 1 / 4, 2 / 7))
    assert row["located"] == pytest.approx(f1(2, 3, 4)) and row["exact"] == 0


def test_paired_tests_and_averages():
    rng = random.Random(3)
    gold = [[span(a, a + 3, "major")] for a in (rng.randrange(6) for _ in range(40))]
    blind: list[list[ErrorSpan]] = [[] for _ in gold]
    whole = compared(gold, same=gold, again=gold, blind=blind)
    made = {table.name: table for table in tables(whole, FAST)}
    tests = {(row["first"], row["second"]): row for row in made["tests"].rows}
    assert tests["same", "again"]["difference"] == 0 and tests["same", "again"]["p"] == 1
    # All 40 segments on one side: of 200 random swaps none gives as large a difference.
    assert tests["same", "blind"]["difference"] == -1 and tests["same", "blind"]["p"] == pytest.approx(1 / 201)
    assert only(made["summary"], metric="blind")["mark"] == "*" and only(made["summary"], metric="again")["mark"] == ""
    two = AlignedSpans([*whole.cells, Cell("zh-en", "A", "1")], [10] * 41, [*gold, [span(0, 2)]], {"m": [*gold, []]})
    rows = {row["langpair"]: row["f1"] for row in tables(two, FAST)[0].rows}
    assert rows == {"en-de": 1.0, "zh-en": 0.0, "avg": 0.5}


def test_categories():
    gold = [[span(0, 4, "major", "Accuracy"), span(6, 8, "minor", "Style")]]
    found = [[span(2, 6, "minor", "accuracy"), span(6, 7, "minor", "accuracy")]]
    (table,) = categories.table(compared(gold, mine=found), FAST)
    accuracy, style = table.rows
    # Accuracy: characters 2 and 3 of four, at half credit; of five predicted under that name the same two.
    assert (accuracy["category"], accuracy["located"], accuracy["recall"]) == ("accuracy", 0.5, 0.25)
    assert accuracy["f1"] == pytest.approx(f1(1, 4, 5))
    assert (style["located"], style["recall"], style["f1"]) == (0.5, 0.5, 0.0)
    assert categories.table(compared([[span(0, 1)]], mine=[[]]), FAST) == []


def test_a_resample_without_a_category_is_no_evidence_that_it_is_not_found():
    """The case: a category in two of 20 segments, always found, had "1.000 ±0.500": one resample in eight has neither segment."""
    gold = [[span(0, 4, "major", "rare"), span(6, 8)] if i < 2 else [span(6, 8)] for i in range(20)]
    (table,) = categories.table(compared(gold, mine=gold), FAST)
    (rare,) = table.rows
    assert rare["recall"] == rare["located"] == 1.0
    assert math.isnan(rare["recall_low"]) and math.isnan(rare["located_high"])
    # Half of the rare error is found in one of the two segments: a resample has 0.5, 0.75 or 1, or something between.
    found = [[span(0, 2, "major", "rare")], *gold[1:]]
    (table,) = categories.table(compared(gold, mine=found), FAST)
    (rare,) = table.rows
    assert (rare["recall"], rare["recall_low"], rare["recall_high"]) == (0.75, 0.5, 1.0)
    major = only(tables(compared(gold, mine=found), FAST)[1], severity="major")
    assert (major["recall_low"], major["precision"]) == (0.5, 1.0) and math.isnan(major["precision_low"])
    minor = only(tables(compared(gold, mine=found), FAST)[1], severity="minor")
    assert minor["recall"] == 19 / 20 and 0.8 <= minor["recall_low"] < minor["recall_high"] <= 1


def test_calibration():
    """Two spans at 0.95, one right; two at 0.45, none: |0.95 - 0.5| / 2 + |0.45 - 0| / 2 = 0.45. Half a span is enough."""
    gold = [[span(0, 2)], []]
    found = [
        [span(0, 4, confidence=0.95), span(6, 8, confidence=0.45)],
        [span(0, 1, confidence=0.95), span(3, 4, confidence=0.45)],
    ]
    (table,) = consistency.calibration_table(compared(gold, mine=found, silent=[[span(0, 1)], []]))
    rows = [(row["from"], row["confidence"], row["right"], row["n"]) for row in table.rows]
    assert rows == [(0.4, 0.45, 0.0, 2), (0.9, 0.95, 0.5, 2)]
    assert table.notes == ["mine: expected calibration error 0.450 over 4 spans"]


def test_interplay():
    """Pearson with 1 - (1, 5, 10 points of 25): equations 5 and 6 of the paper."""
    spans = [(), (span(0, 1),), (span(0, 1, "major"), span(2, 3)), (span(0, 1, "critical"),)]
    inferred = [1, 24 / 25, 19 / 25, 15 / 25]
    assert [mqm(row) for row in spans] == inferred
    values, parts = np.array([0.9, 0.8, 0.5, 0.6]), np.array([0.1, 0.5, 0.2, 0.3])
    scores = Scores(values, components={"src": parts, "mqm": np.array(inferred)}, spans=spans)
    cells = [Cell("en-de", "A", str(i)) for i in range(4)]
    table = consistency.interplay_table({"m": scores}, cells, FAST)
    assert only(table, score="score")["pearson"] == pytest.approx(np.corrcoef(values, inferred)[0, 1])
    assert only(table, score="src")["pearson"] == pytest.approx(np.corrcoef(parts, inferred)[0, 1])
    assert {row["score"] for row in table.rows} == {"src", "score"}


def test_raters_on_what_two_of_them_share():
    """a and b share both translations, c shares one with each; the F1 of each pair by characters."""
    marks = {"a": [[span(0, 3, "major")], [span(1, 2)]], "b": [[span(1, 5)], []], "c": [[span(0, 3)], None]}
    cells = [Cell("en-de", "A", "1"), Cell("en-de", "A", "2")]
    judgements = {
        cell: [Judgement(None, tuple(rows[i]), rater) for rater, rows in marks.items() if rows[i] is not None]
        for i, cell in enumerate(cells)
    }
    people = Campaign("g", "spans", judgements, {cell: JudgedText(TEXT) for cell in cells}, marked=True)
    (table,), (ceiling,) = raters.tables(people, FAST)

    def expected(first, second, rows):
        sums = totals(*([[as_tuples(marks[r][i]) for i in rows] for r in (first, second)]), [10] * len(rows))
        return f1(sums["credit"], sums["gold"], sums["predicted"])

    values = [expected("a", "b", [0, 1]), expected("a", "c", [0]), expected("b", "c", [0])]
    assert [row["f1"] for row in table.rows] == pytest.approx([*values, np.mean(values)])
    assert [row["cells"] for row in table.rows] == [2, 1, 1, 2]
    assert (ceiling.pairs, ceiling.translations) == (3, 2) and ceiling.f1[0] == pytest.approx(np.mean(values))


@pytest.mark.real
def test_wmt23_en_de_with_random_predictions():
    """Every figure of the table against characters counted one by one: gold spans of two systems, spans thrown at random."""
    evalset = read_eval_set(need("data", "wmt23"), "en-de")
    people = campaign_of([evalset], {"en-de": "refA"}, "wmt23")
    kept = {cell: found for cell, found in people.judgements.items() if cell.system in ("AIRC", "GPT4-5shot")}
    people = Campaign("wmt23", "MQM", kept, people.texts, marked=True)
    rng = random.Random(5)
    predicted = {}
    for cell in kept:
        text = people.texts[cell].text
        starts = [rng.randrange(len(text)) for _ in range(rng.randrange(4))]
        predicted[cell] = [
            span(a, min(len(text), a + rng.randrange(40)), rng.choice(["minor", "major", "critical"]), text=text)
            for a in starts
        ]
    found = align(people, {"random": predicted})
    assert len(found.cells) == 2 * 460
    sums = totals(
        [as_tuples(row) for row in found.gold], [as_tuples(row) for row in found.predicted["random"]], found.lengths
    )
    made = {table.name: table for table in tables(found, FAST)}
    (row,) = made["summary"].rows
    assert row["f1"] == pytest.approx(f1(sums["credit"], sums["gold"], sums["predicted"]), abs=1e-12)
    assert row["precision"] == pytest.approx(sums["credit"] / sums["predicted"], abs=1e-12)
    assert row["recall"] == pytest.approx(sums["credit"] / sums["gold"], abs=1e-12)
    assert row["located"] == pytest.approx(f1(sums["located"], sums["gold"], sums["predicted"]), abs=1e-12)
    assert row["f1_low"] < row["f1"] < row["f1_high"]
    for level in ("minor", "major"):
        here = only(made["severities"], severity=level)
        parts = [sums[f"{level}_{part}"] for part in ("both", "gold", "predicted")]
        assert here["f1"] == pytest.approx(f1(*parts), abs=1e-12) and (here["gold"], here["predicted"]) == tuple(
            parts[1:]
        )


@pytest.mark.real
def test_the_ceiling_of_zh_en():
    """288 translations with all eight raters, 28 pairs; 0.429 was computed elsewhere as their mean."""
    evalset = read_eval_set(need("data", "wmt23"), "zh-en")
    (table,), (ceiling,) = raters.tables(campaign_of([evalset], {"zh-en": "refA"}, "wmt23"), FAST)
    assert len(table.rows) == 28 + 1 and {row["cells"] for row in table.rows} == {288}
    value, low, high = ceiling.f1
    assert value == pytest.approx(0.429, abs=5e-4) and low < value < high and high - low < 0.1
    assert "28 pairs of annotators, 288 translations" in str(ceiling)
