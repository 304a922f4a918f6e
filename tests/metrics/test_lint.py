"""The metric `lint`: points and spans of the checks."""

from __future__ import annotations

import pytest

import assay


def test_points_and_spans() -> None:
    result = assay.score(
        ["Unterzeichnet 1997.", "Das Haus ist alt."],
        sources=["Signed in 1979.", "The house is old."],
        langpair="en-de",
        metrics=["lint"],
        spans=True,
    )
    assert result.segments["lint"].tolist() == [-5.0, 0.0]
    assert result.system["lint"] == pytest.approx(-2.5)
    spans = result.scores["lint"].spans
    assert spans is not None
    (span,) = spans[0]
    assert (span.text, span.severity, span.category) == ("1997", "major", "Accuracy/Mistranslation")


def test_checks_are_part_of_the_signature() -> None:
    result = assay.score(["a 1"], sources=["a 2"], langpair="en-de", metrics=["lint:select=numbers+dates"])
    assert result.signatures["lint:select=numbers+dates"].startswith("lint|checks:numbers+dates|v:1")
