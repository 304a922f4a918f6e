from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.stats.spans import FIELDS, PLACES, counts, f1, precision, recall, sum_by_group, total_counts
from tests.characters import totals

spans = st.lists(
    st.tuples(st.integers(0, 11), st.integers(0, 6), st.sampled_from(["minor", "major", "critical", "neutral"])),
    max_size=4,
).map(lambda rows: [(start, start + width, severity) for start, width, severity in rows])


def credit_by_the_words(gold, predicted, length):
    """README-spans.md, character by character."""

    def mark(rows, i):
        kinds = {"critical": "major"}
        covered = ((s, max(e, s + 1), kinds.get(v, v)) for s, e, v in rows if v != "neutral")
        return {v for s, e, v in covered if s <= i < e}

    credit, people, found = 0.0, 0, 0
    for i in range(length):
        g, p = mark(gold, i), mark(predicted, i)
        people += bool(g)
        found += bool(p)
        if len(g) == 2:
            credit += bool(p)
        elif g:
            credit += 1 if g & p else 0.5 if p else 0
    return credit, people, found


def test_worked_example():
    # README-spans.md: G = 3, P = 4, credit 1; recall 1/3, precision 1/4, F1 2/7
    got = total_counts([[(0, 3, "major")]], [[(1, 5, "minor")]], [6])
    assert [got[PLACES[key]] for key in ("gold", "predicted", "credit")] == [3, 4, 1.0]
    assert (recall(got), precision(got), f1(got)) == pytest.approx((1 / 3, 1 / 4, 2 / 7))


@given(spans, spans)
def test_credit_is_what_the_words_say(gold, predicted):
    got = total_counts([gold], [predicted], [12])
    assert tuple(got[PLACES[key]] for key in ("credit", "gold", "predicted")) == credit_by_the_words(
        gold, predicted, 12
    )
    assert f1(total_counts([predicted], [gold], [12])) == pytest.approx(f1(got))


def test_sums_come_before_division():
    one = total_counts([[(0, 2, "major")], []], [[(0, 2, "critical")], [(0, 2, "minor")]], [5, 5])
    assert (recall(one), precision(one)) == (1.0, 0.5)
    assert f1(total_counts([[]], [[]], [3])) == 0.0
    assert f1(total_counts([], [], [])) == 0.0


def test_edges_of_the_text():
    assert f1(total_counts([[(4, 9, "minor")]], [[(4, 5, "minor")]], [5])) == 1.0  # cut to the text
    assert total_counts([[(5, 5, "minor")]], [[]], [5])[PLACES["gold"]] == 0  # no character there
    for bad in ((6, 7, "minor"), (-1, 2, "minor"), (3, 2, "minor")):
        with pytest.raises(InputError, match="is outside the text, which has 5 characters"):
            total_counts([[bad]], [[]], [5])
    with pytest.raises(InputError, match="severity 'huge'"):
        total_counts([[(0, 1, "huge")]], [[]], [5])
    with pytest.raises(InputError, match="must match"):
        total_counts([[]], [[], []], [5])


few_spans = st.lists(
    st.tuples(st.integers(0, 11), st.integers(0, 6), st.sampled_from(["minor", "major", "critical", "neutral"])),
    max_size=4,
).map(lambda rows: [(start, start + width, severity) for start, width, severity in rows])


@given(few_spans, few_spans)
def test_counts_are_those_of_every_character(gold, predicted):
    row = counts(gold, predicted, 12)
    assert {key: row[PLACES[key]] for key in FIELDS[:10]} == totals([gold], [predicted], [12])
    whole = totals([gold], [predicted], [12])
    p, r = (whole["credit"] / whole[side] if whole[side] else 0.0 for side in ("predicted", "gold"))
    assert (precision(row), recall(row), f1(row)) == pytest.approx((p, r, 2 * p * r / (p + r) if p + r else 0.0))


def test_whole_spans_need_both_ends_and_the_severity():
    gold = [(0, 3, "major"), (4, 6, "minor"), (7, 8, "neutral")]
    found = [(0, 3, "critical"), (4, 6, "major"), (9, 9, "minor")]
    row = counts(gold, found, 12)
    assert [row[PLACES[key]] for key in ("exact", "gold_spans", "predicted_spans")] == [1, 2, 3]
    assert f1(row, "exact", "gold_spans", "predicted_spans") == pytest.approx(2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2))


def test_nothing_marked_is_nothing_found():
    assert not counts([], [], 5).any()
    assert f1(np.zeros(len(FIELDS))) == 0.0


def test_rows_of_a_segment_are_drawn_together():
    rows = np.arange(8.0).reshape(4, 2)
    assert sum_by_group(rows, ["b", "a", "b", "c"]).tolist() == [[4, 6], [2, 3], [6, 7]]
