from __future__ import annotations

import io

import pytest

from assay.core.table import Table, TableColumn
from assay.report.terminal import render, wants_colour, width_of
from assay.report.text import display_width
from tests.report.tables import phenomena, row


def test_digits_stand_below_digits_whatever_is_marked() -> None:
    table = phenomena([row("p", "a", 0.5, "*"), row("long name", "a", 1.0)])
    assert render([table]) == (
        " By phenomenon\n"
        " phenomenon   n             a\n"
        " p           10   50.0 ±2.0 *\n"
        " long name   10  100.0 ±2.0\n"
        " a note\n"
    )


def test_a_lower_is_better_column_has_an_arrow() -> None:
    column = TableColumn("ter", "TER", "number", lower_is_better=True)
    assert render([Table("t", (TableColumn("system", " "), column), [{"system": "x", "ter": 48.13}])]) == (
        "    TER ↓\n x   48.1\n"
    )


def test_long_texts_fold_inside_their_cell() -> None:
    columns = (TableColumn("metric"), TableColumn("all", kind="percent"), TableColumn("blindest"))
    text = "29 tokenized sentence 0%, 31 first word lowercased 72%"
    table = Table("t", columns, [{"metric": "chrf", "all": 0.875, "blindest": text}])
    assert render([table], width=50) == (
        " metric   all  blindest\n"
        " chrf    87.5  29 tokenized sentence 0%, 31 first\n"
        "                 word lowercased 72%\n"
    )
    assert text in render([table])


def test_blocks_repeat_what_names_a_row() -> None:
    table = phenomena([row("p", f"metric{i}", 0.5) for i in range(6)])
    lines = render([table], width=50).splitlines()
    assert lines[1:7] == [
        " phenomenon   n    metric0    metric1    metric2",
        " p           10  50.0 ±2.0  50.0 ±2.0  50.0 ±2.0",
        "",
        " phenomenon    metric3    metric4    metric5",
        " p           50.0 ±2.0  50.0 ±2.0  50.0 ±2.0",
        " a note",
    ]


def test_captions_and_notes_wrap() -> None:
    table = Table("t", (TableColumn("x"),), [{"x": "y"}], "one two three four five six seven", ("word " * 9,))
    lines = render([table], width=24).splitlines()
    assert lines[:2] == [" one two three four five", "   six seven"]
    assert all(len(line) <= 24 for line in lines)


def test_wide_and_right_to_left_names_keep_their_columns() -> None:
    lines = render([phenomena([row("数字", "a", 0.5), row("שמות", "a", 0.5), row("abcd", "a", 0.5)])]).splitlines()
    assert len({display_width(line) for line in lines[2:5]}) == 1


@pytest.mark.parametrize("width", [40, 80, 120])
def test_nothing_is_wider_than_the_terminal(width: int) -> None:
    names = ["a name of many words that must be folded somewhere", "数字" * 20, "x"]
    table = phenomena([row(name, f"m{i}", 0.5, "*") for name in names for i in range(8)])
    assert max(map(display_width, render([table], width=width).splitlines())) <= width


@pytest.mark.parametrize("width", [50, 80, 100])
def test_a_table_of_texts_alone_fits_too(width: int) -> None:
    columns = [TableColumn(key) for key in ("name", "kind", "languages", "licence", "title")]
    cells = {"name": "hallucinations", "kind": "contrastive", "languages": "19 language pairs: ar, de, es, fr, ja"}
    table = Table("t", columns, [cells | {"licence": "MIT (the copy; the first names none)", "title": "a corpus " * 3}])
    lines = render([table], width=width).splitlines()
    assert max(map(display_width, lines)) <= width
    assert lines[0].split()[0] == "name" and any("hallucinations" in line for line in lines)


def test_columns_without_headings_have_no_line_for_them() -> None:
    columns = (TableColumn("field", " "), TableColumn("value", " "))
    assert render([Table("t", columns, [{"field": "needs", "value": "reference"}])]) == " needs  reference\n"


def test_no_tables_and_no_rows() -> None:
    assert render([]) == ""
    assert render([Table("t", (TableColumn("x"),), [], "empty")]) == " empty\n x\n"


def test_bold_only_where_colour_is_welcome(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colour(Terminal()) and not wants_colour(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal())
    assert width_of(io.StringIO()) is None
    table = Table("t", (TableColumn("x"),), [{"x": "y"}])
    assert render([table], colour=True) == "\033[1m x\033[0m\n y\n"


def stacked() -> Table:
    columns = (
        TableColumn("segment", kind="count"),
        TableColumn("chrf", "chrF", "number"),
        TableColumn("change", kind="change", digits="decimals"),
        TableColumn("decimals", hidden=True),
        TableColumn("source"),
        TableColumn("translation", "ours"),
    )
    rows = [
        {
            "segment": 2,
            "chrf": 53.28,
            "change": -34.07,
            "decimals": 1,
            "source": "Das ist gut so.",
            "translation": "Good.",
        },
        {
            "segment": 17,
            "chrf": 60.0,
            "change": 0.123,
            "decimals": 2,
            "source": None,
            "translation": "one two three four five",
        },
    ]
    return Table("worst", columns, rows, "worst", stacked=("source", "translation"))


def test_long_texts_stand_below_their_row_and_fold() -> None:
    expected = """ worst
 segment  chrF  change
       2  53.3   -34.1
    source  Das ist gut so.
    ours    Good.

      17  60.0   +0.12
    ours    one two three
            four five
"""
    assert render([stacked()], width=27) == expected


def test_columns_that_do_not_fit_go_below_the_row() -> None:
    text = render([stacked()], width=16)
    assert "    more    change" in text and "-34.1" in text
    assert all(display_width(line) <= 26 for line in text.splitlines())
