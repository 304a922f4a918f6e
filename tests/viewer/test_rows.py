from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from assay.core.errors import AssayError
from assay.viewer.frame import FrameRows
from assay.viewer.rows import SHOWN, Query, Rows
from assay.viewer.summary import points


@pytest.fixture
def rows() -> Rows:
    return Rows(
        {
            "system": ["a", "a", "b", "b"],
            "segment": [1, 2, 1, 2],
            "mt": ["Haus", "ein Baum", "das HAUS", "x" * 1000],
            "chrf": [50.0, None, 10.0, 70.0],
            "flags": [["copied_source"], [], [], None],
        }
    )


def test_rows_are_filtered_found_and_sorted_and_missing_numbers_come_last(rows: Rows) -> None:
    assert rows.order(Query()).tolist() == [0, 1, 2, 3]
    assert rows.order(Query(where="chrf is not missing and chrf > 20")).tolist() == [0, 3]
    assert rows.order(Query(where="copied_source")).tolist() == [0]
    assert rows.order(Query(find="haus")).tolist() == [0, 2]
    assert rows.order(Query(sort="chrf")).tolist() == [2, 0, 3, 1]
    assert rows.order(Query(sort="chrf", descending=True)).tolist() == [3, 0, 2, 1]
    assert rows.order(Query(sort="system", descending=True)).tolist() == [2, 3, 0, 1]
    assert rows.order(Query(where='system == "a"', find="baum", sort="mt")).tolist() == [1]
    assert rows.order(Query(where='system == "c"', find="baum", sort="mt")).tolist() == []


def test_what_is_no_expression_or_no_column_is_refused_in_a_sentence(rows: Rows) -> None:
    with pytest.raises(AssayError, match="Did you mean chrf"):
        rows.order(Query(where="chfr < 3"))
    with pytest.raises(AssayError, match="row 2: chrf has no number"):
        rows.order(Query(where="chrf < 3"))
    with pytest.raises(AssayError, match="unknown column 'comet' in these rows"):
        rows.order(Query(sort="comet"))


def test_a_window_cuts_long_texts_and_a_row_has_them_whole(rows: Rows) -> None:
    window = rows.window(rows.order(Query()), 3, 10)
    assert [row["#"] for row in window] == [3] and window[0]["mt"] == "x" * SHOWN + "…"
    assert rows.row(3)["mt"] == "x" * 1000
    assert rows.same_segment(1) == [1, 3]


@pytest.mark.parametrize("made", [Rows, lambda columns: FrameRows(frame=pl.DataFrame(columns))], ids=["rows", "frame"])
def test_a_number_alone_makes_no_segment_the_same(made: Callable[[Any], Rows]) -> None:
    columns = {
        "system": ["a", "b", "c"], "segment": [1, 1, 1], "langpair": ["en-ja"] * 3, "src": ["one", "two", "one"],
        "mt": ["x", "y", "z"],
    }  # fmt: skip
    rows = made(columns)
    assert rows.same_segment(0) == [0, 2] and rows.same_segment(1) == [1]


def test_points_leave_out_rows_without_both_numbers(rows: Rows) -> None:
    assert points(rows, Query(), "chrf", "segment") == {
        "total": 3,
        "points": [(0, 50.0, 1.0, 0), (2, 10.0, 1.0, 1), (3, 70.0, 2.0, 1)],
        "systems": ["a", "b"],
    }
