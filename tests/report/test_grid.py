from __future__ import annotations

import math

import pytest

from assay.core.table import Table, TableColumn
from assay.report.grid import cell, grid, number, split_mark
from tests.report.tables import phenomena, row


@pytest.mark.parametrize(
    ("value", "column", "text"),
    [
        (None, TableColumn("x", kind="number"), ""),
        (math.nan, TableColumn("x", kind="number"), "–"),
        (1234567, TableColumn("x", kind="count"), "1,234,567"),
        (0.0004, TableColumn("x", kind="p"), "< 0.001"),
        (0.0304, TableColumn("x", kind="p"), "0.030"),
        (0.5, TableColumn("x", kind="percent"), "50.0"),
        (-1e-15, TableColumn("x", kind="number", decimals=2), "0.00"),
        (True, TableColumn("x"), "yes"),
    ],
)
def test_digits(value: object, column: TableColumn, text: str) -> None:
    assert number(value, column) == text


def test_interval_and_mark_stand_beside_the_number() -> None:
    column = TableColumn("a", kind="percent", interval=("low", "high"), mark="star")
    assert cell(column, {"a": 0.875, "low": 0.87, "high": 0.88, "star": "*"}) == "87.5 ±0.5 *"
    assert cell(column, {"a": 0.875, "low": None, "high": None, "star": ""}) == "87.5"
    assert cell(column, {"a": 0.875, "low": math.nan, "high": 0.9, "star": ""}) == "87.5"
    assert cell(column, {"a": None, "low": 0.1, "high": 0.2, "star": "*"}) == ""


def test_marks_are_told_from_numbers() -> None:
    assert split_mark("88.8 ±0.4 *") == ("88.8 ±0.4", "*")
    assert split_mark("88.8 ±0.4") == ("88.8 ±0.4", "")
    assert split_mark("< 0.001") == ("< 0.001", "")
    assert split_mark("") == ("", "")


def test_a_pivot_has_one_line_an_index_and_one_column_a_metric() -> None:
    drawn = grid(phenomena([row("p", "a", 0.5, "*"), row("p", "b", 0.25), row("q", "a", None), row("q", "b", 1.0)]))
    assert drawn.headings == ["phenomenon", "n", "a", "b"]
    assert drawn.rows == [["p", "10", "50.0 ±2.0 *", "25.0 ±2.0"], ["q", "10", "", "100.0 ±2.0"]]
    assert drawn.numeric == [False, True, True, True]
    assert drawn.names == [0]


def test_what_differs_along_a_line_does_not_stand_beside_it() -> None:
    drawn = grid(phenomena([row("p", "a", 0.5, n=10), row("p", "b", 0.5, n=9)]))
    assert drawn.headings == ["phenomenon", "a", "b"]


def test_an_index_in_two_categories_keeps_two_lines() -> None:
    drawn = grid(phenomena([row("p", "a", 0.5, category="x"), row("p", "a", 0.25, category="y")]))
    assert drawn.headings == ["phenomenon", "category", "n", "a"]
    assert [line[1:] for line in drawn.rows] == [["x", "10", "50.0 ±2.0"], ["y", "10", "25.0 ±2.0"]]


def test_a_metric_in_training_data_is_marked_in_the_heading() -> None:
    assert grid(phenomena([row("p", "a", 0.5, contaminated="†")])).headings[-1] == "a †"


def test_a_count_of_nought_everywhere_is_left_out_but_not_one_that_counts() -> None:
    columns = (TableColumn("metric"), TableColumn("unscored", kind="count"))
    assert grid(Table("t", columns, [{"metric": "a", "unscored": 0}])).headings == ["metric"]
    some = Table("t", columns, [{"metric": "a", "unscored": 0}, {"metric": "b", "unscored": 2}])
    assert grid(some).rows == [["a", "0"], ["b", "2"]]


def test_leading_texts_name_a_row() -> None:
    columns = (TableColumn("category"), TableColumn("metric"), TableColumn("x", kind="number"), TableColumn("about"))
    assert grid(Table("t", columns, [{"category": "c", "metric": "m", "x": 1.0, "about": "y"}])).names == [0, 1]


def test_what_rounds_to_nought_has_no_sign() -> None:
    column = TableColumn("mcc", kind="number", decimals=3)
    assert [number(value, column) for value in (-0.0002, -1e-18, 0.0, -0.0006)] == ["0.000", "0.000", "0.000", "-0.001"]
