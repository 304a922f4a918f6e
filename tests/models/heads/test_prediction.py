from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.core.spans import ErrorSpan
from assay.models.heads.prediction import decode, mqm

LABELS = ("O", "minor", "major", "critical")
TEXT = "ab cd ef"
OFFSETS = [(0, 0), (0, 2), (2, 5), (5, 8), (0, 0)]  # <s> ab ▁cd ▁ef </s>


def tagged(*tags: int) -> NDArray[np.float32]:
    rows = np.full((len(tags), 4), 0.1, dtype=np.float32)
    rows[np.arange(len(tags)), list(tags)] = 0.7
    return rows


def found(tags: tuple[int, ...], decoder: str) -> list[tuple[int, int, str]]:
    spans = decode(TEXT, tagged(*tags), OFFSETS, LABELS, decoder=decoder)  # type: ignore[arg-type]
    assert all(span.text == TEXT[span.start : span.end] for span in spans)
    assert all(span.confidence == pytest.approx(0.7) for span in spans)
    return [(span.start, span.end, span.severity) for span in spans]


def test_neighbours_join_under_the_worst_or_the_first_severity() -> None:
    assert found((0, 1, 3, 0, 0), "paper") == [(0, 5, "critical")]
    assert found((0, 1, 3, 0, 0), "exact") == [(0, 5, "minor")]


def test_a_span_at_the_end_is_kept_unless_exact_with_an_open_end() -> None:
    assert found((0, 0, 0, 2, 0), "paper") == [(6, 8, "major")]  # without the space that its token brings along
    assert found((0, 0, 0, 2, 0), "exact") == [(5, 8, "major")]
    assert found((0, 0, 0, 2, 2), "paper") == [(6, 8, "major")]
    assert found((0, 0, 0, 2, 2), "exact") == []


def test_special_tokens_are_no_text() -> None:
    assert found((3, 0, 0, 0, 0), "paper") == []
    assert found((3, 0, 0, 0, 0), "exact") == [(0, 0, "critical")]


def test_a_threshold_looks_at_all_error_labels_together() -> None:
    row = np.array([[1, 0, 0, 0], [0.4, 0.3, 0.2, 0.1], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]], dtype=np.float32)
    assert decode(TEXT, row, OFFSETS, LABELS) == ()
    (span,) = decode(TEXT, row, OFFSETS, LABELS, threshold=0.5)
    assert (span.start, span.end, span.severity) == (0, 2, "minor")


@pytest.mark.parametrize(
    ("severities", "expected"),
    [
        ([], 1.0),
        (["minor"], 24 / 25),
        (["major", "minor"], 19 / 25),
        (["critical", "major"], 10 / 25),
        (["critical"] * 3, 0.0),  # equation 6: 30 points are capped at 25
    ],
)
def test_mqm_follows_equations_5_and_6(severities: list[str], expected: float) -> None:
    assert mqm(ErrorSpan.of("abc", 0, 1, severity) for severity in severities) == pytest.approx(expected)
