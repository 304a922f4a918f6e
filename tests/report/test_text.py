from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.report.text import display_width, wrap


def test_widths() -> None:
    assert display_width("abc") == 3
    assert display_width("数字") == 4
    assert display_width("שלום") == 4
    assert display_width("e\u0301") == 1  # a combining accent takes no cell
    assert display_width("한") == 2


def test_wrap_breaks_at_blanks_then_behind_punctuation_then_anywhere() -> None:
    assert wrap("29 tokenized sentence 0%", 12) == ["29 tokenized", "sentence 0%"]
    assert wrap("named-entity-level", 8) == ["named-", "entity-", "level"]
    assert wrap("数字错误情况", 5) == ["数字", "错误", "情况"]
    assert wrap("short", 10) == ["short"]
    assert wrap("", 10) == [""]
    assert wrap("one two three", 8, indent=2) == ["one two", "  three"]


@given(st.text(), st.integers(2, 30))
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(display_width(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
