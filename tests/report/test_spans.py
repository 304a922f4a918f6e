from __future__ import annotations

import math

from assay.core.spans import ErrorSpan
from assay.report.spans import SpanRow, as_html, as_terminal

TEXT = "signed 1979 by two"
SPANS = (ErrorSpan("target", 7, 11, "critical", confidence=0.94), ErrorSpan("target", 12, 14, "minor", confidence=0.5))


def row(system: str, segment: int, score: float = 0.714) -> SpanRow:
    return SpanRow(system, segment, "m", score, TEXT, SPANS if segment == 1 else ())


def test_a_heading_wherever_the_system_changes() -> None:
    assert "".join(as_terminal([row("a", 1), row("a", 2, math.nan), row("b", 1)])) == (
        " a · m\n"
        "    1   0.71  signed ⟦1979⟧ᶜʳⁱᵗ ⟦by⟧ᵐⁱⁿ two\n"
        "              confidence 0.94 · 0.50\n"
        "    2    n/a  signed 1979 by two\n"
        "\n"
        " b · m\n"
        "    1   0.71  signed ⟦1979⟧ᶜʳⁱᵗ ⟦by⟧ᵐⁱⁿ two\n"
        "              confidence 0.94 · 0.50\n"
    )


def test_a_page_says_severities_in_words_and_escapes_names() -> None:
    text = as_html([row("<a>", 1), row("<a>", 2)], {"m": "m|v:1"})
    assert text.count("<h2 dir=auto>&lt;a&gt; · m</h2>") == 1
    assert '<mark class="critical" title="critical, confidence 0.94">1979<sup>critical</sup></mark>' in text
