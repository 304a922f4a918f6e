"""Spans for programs and browsers: written as they come, whole at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from assay.core.rows import span_fields
from assay.core.spans import ErrorSpan
from assay.report.rows import row_lines
from assay.report.spans import SpanRow, as_html, as_json


def rows(n: int, made: list[int]) -> Iterator[SpanRow]:
    for i in range(n):
        made.append(i)
        text = f"row <{i}> & more"
        yield SpanRow("a.de", i + 1, "toy", 0.5, text, [ErrorSpan.of(text, 0, 3, "major", confidence=0.75)])


def parts(n: int, made: list[int]) -> Iterator[dict[str, Any]]:
    for row in rows(n, made):
        yield {"mt": [row.text], "toy": [row.score], "spans": [{"toy": [span_fields(span) for span in row.spans]}]}


def test_every_row_leaves_before_the_next_one_comes() -> None:
    for pieces in (
        lambda made: as_json(parts(5, made), ["toy"], dict),
        lambda made: as_html(rows(5, made), dict),
    ):
        made: list[int] = []
        before = []
        for _ in pieces(made):
            before.append(len(made))
        assert before[:5] == [1, 2, 3, 4, 5]


def test_json_is_whole_whatever_the_number_of_rows() -> None:
    for n in (0, 1, 3):
        content = json.loads("".join(as_json(parts(n, []), ["toy"], lambda: {"toy": "toy|v:1"})))
        assert content["signatures"] == {"toy": "toy|v:1"}
        assert content["segments"] == [json.loads(line) for (line,) in row_lines(parts(n, []), ["toy"])]
        assert [one["spans"]["toy"][0]["text"] for one in content["segments"]] == ["row"] * n


def test_html_is_whole_whatever_the_number_of_rows() -> None:
    for n in (0, 1, 3):
        page = "".join(as_html(rows(n, []), lambda: {"toy": "toy|v:1"}))
        assert page.startswith("<!doctype html>") and page.endswith("</body></html>\n")
        assert page.count("<h1>") == 1 and page.count('<mark class="major"') == n
        assert "&lt;0&gt; &amp; more" in page or not n
        HTMLParser().feed(page)
