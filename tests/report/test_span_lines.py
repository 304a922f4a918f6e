from __future__ import annotations

import math

from assay.core.spans import ErrorSpan
from assay.report.spans import SpanRow, as_html, as_terminal

TEXT = "signed 1979 by two"
SPANS = (ErrorSpan.of(TEXT, 7, 11, "critical", confidence=0.94), ErrorSpan.of(TEXT, 12, 14, "minor", confidence=0.5))


def test_a_line_says_which_segment_of_which_system_it_is() -> None:
    assert as_terminal(SpanRow("ours", 12, "m", 0.714, TEXT, SPANS)) == (
        " ours   12   0.71  signed ⟦1979⟧ᶜʳⁱᵗ ⟦by⟧ᵐⁱⁿ two\n                   confidence 0.94 · 0.50\n"
    )
    assert as_terminal(SpanRow("文", 1, "m", math.nan, TEXT, ())) == " 文    1    n/a  signed 1979 by two\n"


def test_an_omission_is_marked_in_the_source() -> None:
    source = "Er muss zustimmen."
    spans = (
        ErrorSpan.of(source, 3, 7, "major", "accuracy/omission", "source"),
        ErrorSpan.of(TEXT, 7, 11, "minor", "fluency"),
    )
    assert as_terminal(SpanRow("ours", 12, "m", -6, TEXT, spans, source)).splitlines() == [
        " ours   12  -6.00  signed ⟦1979⟧ᵐⁱⁿ by two",
        "                   source: Er ⟦muss⟧ᵐᵃʲ zustimmen.",
        "                   fluency · accuracy/omission",
    ]
    page = "".join(as_html([SpanRow("ours", 12, "m", -6, TEXT, spans, source)], dict))
    assert "signed <mark" in page and "Er <mark" in page and 'title="major accuracy/omission"' in page
