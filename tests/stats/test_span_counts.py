from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.span_counts import FIELDS, PLACES, counts, f1, grouped, precision, recall
from assay.stats.spans import character_score
from tests.characters import totals

spans = st.lists(
    st.tuples(st.integers(0, 11), st.integers(0, 6), st.sampled_from(["minor", "major", "critical", "neutral"])),
    max_size=4,
).map(lambda rows: [(start, start + width, severity) for start, width, severity in rows])


@given(spans, spans)
def test_counts_are_those_of_every_character(gold, predicted):
    row = counts(gold, predicted, 12)
    assert {key: row[PLACES[key]] for key in FIELDS[:10]} == totals([gold], [predicted], [12])
    whole = character_score([gold], [predicted], [12])
    assert (precision(row), recall(row), f1(row)) == pytest.approx((whole.precision, whole.recall, whole.f1))


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
    assert grouped(rows, ["b", "a", "b", "c"]).tolist() == [[4, 6], [2, 3], [6, 7]]
