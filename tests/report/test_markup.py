from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

from assay.core.table import Table, TableColumn
from assay.report import render
from assay.report.page import Section, fragment, page
from tests.report.tables import phenomena, row

NASTY = "<script>alert('|_*&$')</script>"


def named(name: str) -> Table:
    columns = (TableColumn("system"), TableColumn("ter", "TER", "number", lower_is_better=True))
    return Table("t", columns, [{"system": name, "ter": 48.1}], "A caption", ("p < 0.05",))


def test_markdown() -> None:
    assert render([named("a|b_c *d*")], "md") == (
        "**A caption**\n\n| system | TER ↓ |\n|---|---:|\n| a\\|b\\_c \\*d\\* | 48.1 |\n\np \\< 0.05  \n"
    )
    starred = Table("t", (TableColumn("x"),), [{"x": "y"}], "a_b", ("* better than online_b",))
    assert "**a\\_b**" in render([starred], "md")
    assert "\n\\* better than online\\_b  \n" in render([starred], "md")  # not an item of a list
    assert "<script>" not in render([named(NASTY)], "md").replace("\\<script>", "")


def test_latex() -> None:
    text = render([named(r"50% of_x & {y} \z #1 ~^ $")], "latex")
    assert r"50\% of\_x \& \{y\} \textbackslash{}z \#1 \textasciitilde{}\textasciicircum{} \$ & 48.1 \\" in text
    assert r"system & TER $\downarrow$ \\" in text
    assert r"\caption{A caption. p $<$ 0.05.}" in text
    assert r"\begin{tabular}{lr}" in text


def test_html_escapes_names_and_sets_marks_apart() -> None:
    text = fragment(named(NASTY))
    assert "<script>" not in text and "&lt;script&gt;" in text
    marked = fragment(phenomena([row("p", "a", 0.5, "*")]))
    assert "<td class=n>50.0 ±2.0<i>&nbsp;*</i></td>" in marked
    assert "<caption>By phenomenon</caption>" in marked


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append(tag)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found[key] or "" for key in ("href", "src") if key in found]


def test_a_page_stands_alone_and_reads_from_top_to_bottom() -> None:
    explained = replace(named("x"), reading="Read <this>.")
    first = Section("Suite " + NASTY, [explained, phenomena([row("p", "a", 0.5)])], "3 pairs")
    second = Section("Other", [named("y")], figures={"t": ["<svg><text>z</text></svg>"]})
    text = page([first, second], "assay run " + NASTY)
    reader = Reader()
    reader.feed(text)
    assert "script" not in reader.tags
    assert reader.ids == ["s0-t", "s0-phenomena", "s1-t"]
    assert set(reader.links) == {"#s0-t", "#s0-phenomena"}
    assert "prefers-color-scheme:dark" in text
    order = ["3 pairs", "A caption", "Read &lt;this&gt;.", "By phenomenon", "Other", "<figure><svg>"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
